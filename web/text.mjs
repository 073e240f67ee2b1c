// Bytes as text that survives whatever a page survives: saving by a browser, an editor that wraps lines, mail. There are
// 93 printable ASCII characters besides "<". Of their numbers 0 … 34 stand for the six bits that they are, 35 … 92 for the
// seven bits of 70 … 127: a prefix code, so that gzip and brotli, whose own codes come to these lengths, make the bytes
// of it again without loss. On disk the text is 24 % larger than the bytes, base64 33 %. web/unpack.cpp reads it.
const character = (number) => String.fromCharCode(33 + number + (number >= 27 ? 1 : 0));  // 60 is "<"

export function asText(bytes) {
  const parts = [];
  let bits = 0, count = 0;
  const take = () => {
    const six = bits >> (count - 6) & 63, seven = bits >> (count - 7) & 127;
    parts.push(character(six < 35 ? six : seven - 35));
    count -= six < 35 ? 6 : 7;
  };
  for (const byte of bytes) {
    bits = (bits & 127) << 8 | byte;
    count += 8;
    while (count >= 7) take();
  }
  bits <<= 7;  // what fills the last character is no byte
  for (count += 7; count > 7;) take();
  return parts.join('');
}
