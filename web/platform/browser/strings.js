// Strings across the border. UTF-8 both ways, by the browser's own coders: they are in every Emscripten alike.
mergeInto(LibraryManager.library, {
  // JavaScript to C++: afterwards C++ has it from taken().
  $give__deps: [],
  $give: function(text) {
    var bytes = new TextEncoder().encode(text);
    // The buffer first: growing memory replaces HEAPU8.
    var address = _browser_incoming(bytes.length);
    HEAPU8.set(bytes, address);
  },

  // C++ to JavaScript, up to the closing zero.
  $read: function(address) {
    return new TextDecoder().decode(HEAPU8.subarray(address, HEAPU8.indexOf(0, address)));
  },
});
