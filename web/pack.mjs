// Packs the page into one file: node pack.mjs SHELL BOOT LICENSE NOTICE UNPACK.wasm PROGRAM.js PROGRAM.wasm OUT
//
// The program is compressed inside its text (text.mjs), script and wasm as one. LZMA takes a fifth less than the gzip that
// browsers unpack by themselves, and the module that unpacks it takes 2 KB; that module stands in base64.
// The policy names the scripts by their hashes, so nothing else runs in the page. What may be fetched is the web master's
// to say, by default nothing: boot.js adds that policy first of all, and two policies allow what both do.
import {execFileSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {readFileSync, writeFileSync} from 'node:fs';
import {brotliCompressSync} from 'node:zlib';

import {split} from './split.mjs';
import {asText} from './text.mjs';

const [shellPath, bootPath, licensePath, noticePath, unpackPath, programPath, wasmPath, outPath] = process.argv.slice(2);
const text = (path) => readFileSync(path, 'utf8').replace(/\r\n/g, '\n');

// Inside <script> only the closing tag and a comment's opening end or change the script.
const inline = (code) => `<script>${code.trim().replace(/<(?=\/script|!--)/gi, '\\x3c')}</script>`;
const hash = (code) => `'sha256-${createHash('sha256').update(code).digest('base64')}'`;

// What web/unpack.cpp unpacks. The dictionary is as large as any page of ours.
const lzma = (bytes) => execFileSync('xz', ['--format=raw', '--stdout', '--lzma1=preset=9e,lc=2,lp=0,pb=0,dict=8MiB'],
                                     {input: bytes, maxBuffer: 1 << 28});

// Without the minifier the page is 50 KB larger and otherwise the same.
const terser = await import('terser').catch(() => null);
const minified = async (code) => (terser ? (await terser.minify(code, {compress: {passes: 2}})).code : code);

let page = text(shellPath);
const put = (mark, content) => {
  if (!page.includes(mark)) throw new Error(`${shellPath} has no ${mark}`);
  page = page.replace(mark, () => content);
};

// The licenses ask to travel with every copy, and a saved page is one.
put('<!--notices-->', `<!--\n${text(licensePath)}\n${text(noticePath)}-->`);
const script = Buffer.from(await minified(text(programPath))), wasm = readFileSync(wasmPath), sorted = split(wasm);
const lengths = ` data-script="${script.length}" data-sorted="${sorted.length}" data-wasm="${wasm.length}"`;
const data = (id, text, lengths = '') =>
  `<script type="application/octet-stream" id="${id}"${lengths}>\n${text}\n</script>\n`;
put('<!--payload-->', data('unpacker', readFileSync(unpackPath).toString('base64')) +
    data('payload', asText(lzma(Buffer.concat([script, sorted]))), lengths));
put('<!--boot-->', inline(await minified(text(bootPath))));

const hashes = [...[...page.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, code]) => hash(code)), hash(script)];
put('<!--policy-->', '<meta http-equiv="Content-Security-Policy" content="' + [
  `default-src 'none'`, `script-src ${hashes.join(' ')} 'wasm-unsafe-eval'`, `style-src 'unsafe-inline'`,
  `img-src data: blob:`, `connect-src https: http://localhost:*`, `base-uri 'none'`, `form-action 'none'`,
].join('; ') + '">');

writeFileSync(outPath, page);
const figure = (bytes) => bytes.length.toLocaleString('en');
console.log(`${outPath}: ${figure(Buffer.from(page))} bytes, ${figure(brotliCompressSync(page))} over brotli`);
