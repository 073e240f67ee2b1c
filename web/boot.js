// Starts the program that is packed into this page, or says in words why it cannot.
//
// A browser's "save page" writes the page as it stands, with everything that the program has put into it. So all of that
// is taken back first, and a saved page starts like a delivered one.
(function () {
  'use strict';
  var byId = function (id) { return document.getElementById(id); };

  document.documentElement.classList.remove('started', 'dark', 'undrawn');
  document.documentElement.removeAttribute('style');
  document.body.classList.remove('text');
  ['entry', 'results-title', 'results-verdict', 'results-summary', 'results-live', 'results-form', 'results-body',
    'trouble-detail'].forEach(function (id) {
    byId(id).textContent = '';
  });
  ['width', 'height', 'style', 'aria-label'].forEach(function (name) { byId('canvas').removeAttribute(name); });
  byId('trouble').hidden = true;
  var pageText = '<!doctype html>\n' + document.documentElement.outerHTML + '\n';

  function trouble(detail) {
    var email = '';
    try { email = [].concat(JSON.parse(byId('site').textContent).email || '').join(','); } catch (edited) { /* the address in the text serves */ }
    if (email) document.querySelectorAll('.site-email').forEach(function (link) {
      link.href = 'mailto:' + email;
      link.textContent = email;
    });
    byId('trouble-detail').textContent = detail;
    byId('trouble').hidden = false;
    byId('stage').hidden = true;
  }

  function missing() {
    if (typeof WebAssembly !== 'object') return 'WebAssembly';
    if (typeof DecompressionStream !== 'function') return 'DecompressionStream';
    if (typeof ResizeObserver !== 'function') return 'ResizeObserver';
    return '';
  }

  function canDraw() {
    // Asked on a canvas of its own: a canvas keeps the first kind of context it was asked for.
    var context = document.createElement('canvas').getContext('webgl2');
    if (!context) return false;
    var release = context.getExtension('WEBGL_lose_context');
    if (release) release.loseContext();
    return true;
  }

  function unpack(base64) {
    var packed = Uint8Array.from(atob(base64), function (c) { return c.charCodeAt(0); });
    var stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
    return new Response(stream).arrayBuffer();
  }

  var lacking = missing();
  if (lacking) return trouble(lacking);
  unpack(byId('payload').textContent.trim())
    .then(function (wasm) { return createApp({
        canvas: byId('canvas'), wasmBinary: wasm, pageText: pageText, canDraw: canDraw(),
      });
    })
    .then(function (program) {
      program.callMain([]);
      document.documentElement.classList.add('started');
    })
    .catch(function (error) {
      console.error(error);
      trouble(String(error && error.message || error));
    });
})();
