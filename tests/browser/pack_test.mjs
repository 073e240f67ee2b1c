// The packed file by itself, without a browser.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import test from 'node:test';
import {fileURLToPath} from 'node:url';
import {brotliCompressSync} from 'node:zlib';

import {inTemporaryFolder, pagePath} from './harness.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url)), built = dirname(pagePath);
const page = readFileSync(pagePath, 'utf8');
const program = readFileSync(join(built, 'index_program.wasm'));

function embedded(id) {
  const [, attributes, text] = page.match(new RegExp(`<script type="application/octet-stream" id="${id}"(.*?)>([^<]*)<`));
  const lengths = Object.fromEntries([...attributes.matchAll(/data-(\w+)="(\d+)"/g)].map(([, name, n]) => [name, +n]));
  return {text, lengths};
}

/** What the page's own module makes of a payload: the script and the program, or null when it refuses. */
function unpacked(text, {script, sorted, wasm}) {
  const module = new WebAssembly.Module(Buffer.from(embedded('unpacker').text, 'base64'));
  const {memory, bytes, unpack, join} = new WebAssembly.Instance(module).exports;
  const at = memory.buffer.byteLength, plain = at + text.length, joined = plain + script + sorted;
  memory.grow(Math.ceil((joined + wasm - at) / 65536));
  Buffer.from(memory.buffer).write(text, at, 'latin1');
  if (!unpack(at, bytes(at, text.length), plain, script + sorted)) return null;
  join(plain + script, joined, wasm);
  return {script: Buffer.from(memory.buffer, plain, script), wasm: Buffer.from(memory.buffer, joined, wasm)};
}

test('the program comes out of the page byte for byte, also when an editor has wrapped its lines', () => {
  const {text, lengths} = embedded('payload');
  for (const payload of [text, text.replace(/.{77}/g, '$&\r\n')]) {
    const {script, wasm} = unpacked(payload, lengths);
    assert.ok(wasm.equals(program));
    assert.match(script.toString(), /createApp/);
  }
});

test('the payload is nothing but printable characters that mean nothing in a page', () => {
  assert.match(embedded('payload').text.trim(), /^[!-;=-~]+$/);
});

test('a payload that is cut short gives no program', () => {
  const {text, lengths} = embedded('payload');
  for (const kept of [10, 1000, text.length >> 1, text.length - 1000]) {
    let got = null;
    try { got = unpacked(text.slice(0, kept), lengths); } catch (error) { assert.ok(error instanceof WebAssembly.RuntimeError); }
    assert.ok(!got?.wasm.equals(program), `${kept} characters were enough`);
  }
});

test('packing twice gives the same bytes', () => inTemporaryFolder((folder) => {
  const again = join(folder, 'index.html');
  const parts = ['shell.html', 'web/boot.js', 'LICENSE', 'NOTICE'].map((name) => join(root, name));
  const programs = ['unpack.wasm', 'index_program.js', 'index_program.wasm'].map((name) => join(built, name));
  execFileSync(process.execPath, [join(root, 'web/pack.mjs'), ...parts, ...programs, again], {cwd: root});
  assert.ok(readFileSync(again).equals(readFileSync(pagePath)));
}));

test('the page is small on disk and over brotli', () => {
  // Ratchets, 2 % over what was measured (docs/PERFORMANCE.md); the goals are 700 KB and 480 KB.
  const disk = readFileSync(pagePath).length, brotli = brotliCompressSync(page).length;
  assert.ok(disk < 760_000, `${disk} bytes`);
  assert.ok(brotli < 600_000, `${brotli} bytes`);
});
