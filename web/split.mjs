// Sorts the bytes of a wasm program so that they compress better: the code's instructions and each kind of their
// operands in a row of their own. LZMA then takes 5 % less for the code. web/unpack.cpp puts them together again.
//
// The result: nine 32-bit lengths (of what stands before the code, and of the eight rows), then what they are lengths
// of, then what stands behind the code. https://webassembly.github.io/spec/core/binary/instructions.html

const rows = ['sizes', 'instructions', 'locals', 'calls', 'constants', 'aligns', 'offsets', 'others'];

/** The bytes of `wasm`, sorted. Throws at an instruction that neither this nor web/unpack.cpp knows. */
export function split(wasm) {
  const row = Object.fromEntries(rows.map((name) => [name, []]));
  let at = 8;
  const take = (name, count) => { for (; count > 0; --count) row[name].push(wasm[at++]); };
  const number = (name) => {  // LEB128, kept as it is written
    let value = 0, shift = 0, byte;
    do {
      byte = wasm[at++];
      if (name) row[name].push(byte);
      value += (byte & 127) * 2 ** shift;
      shift += 7;
    } while (byte & 128);
    return value;
  };
  const operands = (instruction) => {
    if (instruction >= 0x20 && instruction <= 0x22) return number('locals');
    if (instruction >= 0x28 && instruction <= 0x3e) return number('aligns'), number('offsets');
    if (instruction >= 0x45 && instruction <= 0xc4) return;
    switch (instruction) {
      case 0x00: case 0x01: case 0x05: case 0x0b: case 0x0f: case 0x1a: case 0x1b: return;
      case 0x02: case 0x03: case 0x04: return take('instructions', 1);
      case 0x0c: case 0x0d: case 0x23: case 0x24: case 0x3f: case 0x40: case 0x42: return number('others');
      case 0x0e: for (let left = number('others') + 1; left > 0; --left) number('others'); return;
      case 0x10: return number('calls');
      case 0x11: return number('others'), number('others');
      case 0x41: return number('constants');
      case 0x43: return take('others', 4);
      case 0x44: return take('others', 8);
      case 0xfc: {
        const more = wasm[at];
        take('instructions', 1);
        if (more <= 7) return;                                     // conversions that saturate
        if (more === 10) return number('others'), number('others');  // memory.copy
        if (more === 11) return number('others');                  // memory.fill
      }
    }
    throw new Error(`an instruction that is not known to split.mjs, 0x${instruction.toString(16)} at ${at}`);
  };

  let id, size;
  while ((id = wasm[at++], size = number(), id) !== 10) at += size;
  const start = at;
  for (let left = number('sizes'); left > 0; --left) {
    const length = number('sizes'), end = at + length;
    for (let kinds = number('sizes'); kinds > 0; --kinds) {
      number('sizes');
      take('sizes', 1);
    }
    while (at < end) {
      const instruction = wasm[at];
      take('instructions', 1);
      operands(instruction);
    }
  }
  if (at !== start + size) throw new Error('the code is longer than its section');

  const parts = [wasm.subarray(0, start), ...rows.map((name) => Buffer.from(row[name]))];
  const lengths = Buffer.alloc(4 * parts.length);
  parts.forEach((part, i) => lengths.writeUInt32LE(part.length, 4 * i));
  return Buffer.concat([lengths, ...parts, wasm.subarray(at)]);
}
