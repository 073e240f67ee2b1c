// Packs the page into one file: node pack.mjs SHELL BOOT LICENSE NOTICE PROGRAM.js PROGRAM.wasm OUT
//
// The program's bytes are compressed inside their base64 text: 40 % of the size of the plain base64 that Emscripten's
// SINGLE_FILE writes, on disk as well as over the wire. The policy names the scripts by their hashes, so nothing else
// runs in the page, and lets nothing be fetched: what is typed and opened cannot leave.
import {createHash} from 'node:crypto';
import {readFileSync, writeFileSync} from 'node:fs';
import {gzipSync} from 'node:zlib';

const [shellPath, bootPath, licensePath, noticePath, programPath, wasmPath, outPath] = process.argv.slice(2);
const text = (path) => readFileSync(path, 'utf8').replace(/\r\n/g, '\n');

// Inside <script> only the closing tag and a comment's opening end or change the script.
const inline = (code) => `<script>${code.trim().replace(/<(?=\/script|!--)/gi, '\\x3c')}</script>`;

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
const payload = gzipSync(readFileSync(wasmPath), {level: 9}).toString('base64');
put('<!--payload-->', `<script type="application/octet-stream" id="payload">\n${payload}\n</script>`);
put('<!--program-->', inline(await minified(text(programPath))));
put('<!--boot-->', inline(await minified(text(bootPath))));

const hashes = [...page.matchAll(/<script>([\s\S]*?)<\/script>/g)]
  .map(([, code]) => `'sha256-${createHash('sha256').update(code).digest('base64')}'`);
put('<!--policy-->', '<meta http-equiv="Content-Security-Policy" content="' + [
  `default-src 'none'`, `script-src ${hashes.join(' ')} 'wasm-unsafe-eval'`, `style-src 'unsafe-inline'`,
  `img-src data: blob:`, `connect-src 'none'`, `base-uri 'none'`, `form-action 'none'`,
].join('; ') + '">');

writeFileSync(outPath, page);
console.log(`${outPath}: ${page.length.toLocaleString('en')} characters, ` +
            `${gzipSync(page, {level: 9}).length.toLocaleString('en')} bytes over gzip`);
