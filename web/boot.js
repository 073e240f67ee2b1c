// Starts the program that is packed into this page, or says in words why it cannot. Before anything else it shuts the
// page: the only hosts that can be asked for something are the site's `hub_hosts`, and by default there are none.
//
// A browser's "save page" writes the page as it stands, with everything that the program has put into it. So all of that
// is taken back first, and a saved page starts like a delivered one.
(function () {
  'use strict';
  var byId = function (id) { return document.getElementById(id); };

  // A policy holds from the moment its element is in the page, also when the element goes. So a saved page has none of
  // another site, and there is no way to loosen it. What is no host does not get into it: is_host in web/ui/site.cpp.
  var hosts = [];
  try {
    hosts = [].concat(JSON.parse(byId('site').textContent)['hub_hosts'] || []).filter(function (host) {
      return /^(\*\.)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d+)?$/.test(host);
    });
  } catch (edited) { /* the program tells the web master */ }
  var policy = document.createElement('meta');
  policy.httpEquiv = 'Content-Security-Policy';
  policy.content = 'connect-src ' + (hosts.map(function (host) {
    return (/^localhost(:|$)/.test(host) ? 'http://' : 'https://') + host;
  }).join(' ') || "'none'");
  document.head.appendChild(policy).remove();

  document.documentElement.classList.remove('started', 'dark', 'undrawn');
  document.documentElement.removeAttribute('style');
  document.body.classList.remove('text');
  ['entry', 'results-title', 'results-verdict', 'results-summary', 'results-live', 'results-form', 'results-body',
    'trouble-detail'].forEach(function (id) {
    byId(id).textContent = '';
  });
  ['width', 'height', 'style', 'aria-label'].forEach(function (name) { byId('canvas').removeAttribute(name); });
  byId('trouble').hidden = byId('stopped').hidden = true;
  byId('cannot').hidden = false;
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

  // Out of memory, or a defect: nothing of the program can be trusted any more, and what was entered is in the address.
  function failed(event) {
    var error = event.error || event.reason;
    if (!(error instanceof WebAssembly.RuntimeError || error instanceof RangeError)) return;
    byId('cannot').hidden = true;
    byId('stopped').hidden = false;
    trouble(error.message);
  }

  function missing() {
    if (typeof WebAssembly !== 'object') return 'WebAssembly';
    if (typeof ResizeObserver !== 'function') return 'ResizeObserver';
    return '';
  }

  function canDraw() {
    // On the program's own canvas and as SDL asks for it: a second context would take as long again as the first. At once
    // in the size that canvas.js will find: each later one makes the context's memory anew (40 ms without a GPU, 2026-12).
    var canvas = byId('canvas'), box = canvas.getBoundingClientRect();
    canvas.width = Math.max(1, Math.round(box.width * devicePixelRatio));
    canvas.height = Math.max(1, Math.round(box.height * devicePixelRatio));
    return !!canvas.getContext('webgl2', {alpha: false, depth: false, stencil: false, antialias: false});
  }

  // The program's script and its wasm, which were packed as one (pack.mjs) and are unpacked by a module of 2 KB. Each
  // step writes behind what it reads.
  function unpack(unpacker) {
    var payload = byId('payload'), core = unpacker.instance.exports, text = payload.textContent;
    var script = Number(payload.dataset.script), sorted = Number(payload.dataset.sorted), wasm = Number(payload.dataset.wasm);
    var at = core.memory.buffer.byteLength, plain = at + text.length, joined = plain + script + sorted;
    core.memory.grow(Math.ceil((joined + wasm - at) / 65536));
    new TextEncoder().encodeInto(text, new Uint8Array(core.memory.buffer, at, text.length));
    if (!core.unpack(at, core.bytes(at, text.length), plain, script + sorted)) throw new Error('the page is damaged');
    core.join(plain + script, joined, wasm);
    var slice = function (start, length) { return core.memory.buffer.slice(start, start + length); };
    return {script: slice(plain, script), wasm: slice(joined, wasm)};
  }

  // The policy knows the script by its hash, as if it stood in the page.
  function run(script) {
    var element = document.createElement('script');
    element.textContent = new TextDecoder().decode(script);
    document.body.appendChild(element).remove();
  }

  var lacking = missing();
  if (lacking) return trouble(lacking);
  addEventListener('error', failed);
  addEventListener('unhandledrejection', failed);
  var unpacker = Uint8Array.from(atob(byId('unpacker').textContent), function (byte) { return byte.charCodeAt(0); });
  WebAssembly.instantiate(unpacker)
    .then(unpack)
    .then(function (parts) {
      run(parts.script);
      return createApp({canvas: byId('canvas'), wasmBinary: parts.wasm, pageText: pageText, canDraw: canDraw()});
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
