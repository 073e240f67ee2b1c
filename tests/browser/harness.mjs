// Opens the packed page in Chromium, as a user would: from disk. Collects what a page must not have: console errors and
// requests. Tests wait for what the page says (window.app), never for time.
//
//   await page(async ({page, app, frame}) => { … }, {hash: 'v=1', locale: 'ru-RU'});
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {existsSync, mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {inflateSync} from 'node:zlib';

import {chromium} from 'playwright-core';

export const pagePath = resolve(process.env.VRAM_PAGE ?? 'build/web/index.html');

const executable = [process.env.VRAM_CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
  .find((path) => path && existsSync(path));

// Chromium 130 and newer give WebGL without a GPU only when asked to; the rest keeps the browser from calling home.
const flags = [
  '--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-quic',
  '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync',
];

/** Starts Chromium once for a test file; `close()` it at the end. */
export async function launch() {
  assert.ok(executable, 'Chromium was not found: apt-get install chromium, or set VRAM_CHROMIUM');
  return chromium.launch({executablePath: executable, args: flags});
}

/**
 * Opens the page in a context of its own and waits for its first frame.
 * Options: those of Playwright's newContext, and hash, path (another copy of the page), init (a function that runs in the
 * page before its scripts), mayFail (do not wait for the first frame), allowErrors (console errors are expected).
 */
export async function open(browser, options = {}) {
  const {hash = '', path = pagePath, init, mayFail = false, allowErrors = false, ...contextOptions} = options;
  assert.ok(existsSync(path), `${path} is not built: cmake --build --preset web`);
  const context = await browser.newContext({
    viewport: {width: 1280, height: 800}, locale: 'en-US', acceptDownloads: true, ...contextOptions,
  });
  const page = await context.newPage();
  const errors = [], requests = [];
  page.on('console', (message) => { if (message.type() === 'error') errors.push(message.text()); });
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('request', (request) => requests.push(request.url()));
  if (init) await page.addInitScript(init);
  const address = pathToFileURL(path).href;
  await page.goto(address + (hash ? `#${hash}` : ''));
  if (!mayFail) {
    await page.waitForFunction(() => window.app?.ready, null, {timeout: 60_000});
    await page.evaluate(() => window.app.settle());
  }
  return {
    page, context, errors, requests,
    state: async () => JSON.parse(await page.evaluate(() => window.app.settle().then(() => window.app.state()))),
    settle: () => page.evaluate(() => window.app.settle()),
    frames: () => page.evaluate(() => window.app.frames()),
    /** Checks what every page owes and closes it. */
    async close() {
      const outside = requests.filter((url) => !/^(data|blob):/.test(url) && url.split('#')[0] !== address);
      assert.deepEqual(outside, [], 'the page asks for nothing');
      if (!allowErrors) assert.deepEqual(errors, [], 'no console errors');
      await context.close();
    },
  };
}

/** A screen for browsers that draw only in a window: {display, close()}. */
export async function virtualScreen() {
  const screen = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp'],
                       {stdio: ['ignore', 'ignore', 'ignore', 'pipe']});
  const number = await new Promise((resolve, reject) => {
    screen.on('error', reject);
    screen.stdio[3].on('data', (data) => resolve(String(data).trim()));
  });
  return {display: `:${number}`, close: () => screen.kill()};
}

/** Runs in a page: the directive of its policy that stops a request to somewhere else. */
export const stoppedBy = () => new Promise((resolve) => {
  document.addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective), {once: true});
  fetch('https://example.org/').then(() => resolve('nothing'), () => {});
});

/** A temporary folder that is gone afterwards. */
export async function inTemporaryFolder(action) {
  const folder = mkdtempSync(join(tmpdir(), 'vram-'));
  try {
    return await action(folder);
  } finally {
    rmSync(folder, {recursive: true, force: true});
  }
}

/** The pixels of a PNG with 8-bit samples, as Chromium's screenshots are: {width, height, channels, data}. */
export function pixels(png) {
  let width = 0, height = 0, channels = 0;
  const parts = [];
  for (let at = 8; at < png.length;) {
    const size = png.readUInt32BE(at), type = png.toString('latin1', at + 4, at + 8);
    const body = png.subarray(at + 8, at + 8 + size);
    if (type === 'IHDR') {
      width = body.readUInt32BE(0);
      height = body.readUInt32BE(4);
      channels = {2: 3, 6: 4}[body[9]];
    }
    if (type === 'IDAT') parts.push(body);
    at += size + 12;
  }
  const packed = inflateSync(Buffer.concat(parts)), row = width * channels;
  const data = Buffer.alloc(row * height);
  for (let y = 0; y < height; y++) {
    const filter = packed[y * (row + 1)];
    for (let x = 0; x < row; x++) {
      const left = x < channels ? 0 : data[y * row + x - channels];
      const up = y ? data[(y - 1) * row + x] : 0;
      const corner = y && x >= channels ? data[(y - 1) * row + x - channels] : 0;
      const guess = left + up - corner;
      const near = [left, up, corner].reduce((a, b) => (Math.abs(guess - b) < Math.abs(guess - a) ? b : a));
      const predicted = [0, left, up, (left + up) >> 1, near][filter];
      data[y * row + x] = packed[y * (row + 1) + 1 + x] + predicted;
    }
  }
  return {width, height, channels, data};
}

/** How many different colours a picture has, up to a few thousand: one means that nothing was drawn. */
export function colours(png) {
  const {channels, data} = pixels(png), seen = new Set();
  for (let i = 0; i < data.length && seen.size < 4096; i += channels) {
    seen.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
  }
  return seen.size;
}
