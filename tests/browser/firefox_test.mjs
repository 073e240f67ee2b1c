// The same page in Firefox, briefly: it draws, takes text and keys. Firefox has WebGL 2 without a GPU only in a window, so
// it gets a screen of its own (Xvfb).
import assert from 'node:assert/strict';
import {existsSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {after, before, test} from 'node:test';
import {pathToFileURL} from 'node:url';

import puppeteer from 'puppeteer-core';

import {colours, pagePath, stoppedBy, virtualScreen} from './harness.mjs';

const executable = [process.env.VRAM_FIREFOX, '/usr/bin/firefox-esr', '/usr/bin/firefox']
  .find((path) => path && existsSync(path));
const skip = executable ? false : 'Firefox is not installed';
let screen, browser;

before(async () => {
  if (skip) return;
  screen = await virtualScreen();
  browser = await puppeteer.launch({
    browser: 'firefox', executablePath: executable, headless: false,
    env: {...process.env, DISPLAY: screen.display, LIBGL_ALWAYS_SOFTWARE: '1'},
    extraPrefsFirefox: {'webgl.force-enabled': true, 'app.update.enabled': false},
  });
});
after(async () => {
  await browser?.close();
  screen?.close();
});

async function open(path) {
  const page = await browser.newPage();
  const errors = [];
  page.on('console', (message) => { if (message.type() === 'error') errors.push(message.text()); });
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.goto(pathToFileURL(path).href);
  await page.waitForFunction(() => window.app?.ready, {timeout: 60_000});
  await page.evaluate(() => window.app.settle());
  return {page, errors};
}

test('the page draws its first frame in Firefox', {skip}, async () => {
  const {page, errors} = await open(pagePath);
  assert.ok(colours(Buffer.from(await page.screenshot())) > 16);
  const frames = await page.evaluate(() => window.app.frames());
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 1000)));
  assert.equal(await page.evaluate(() => window.app.frames()), frames);
  assert.deepEqual(errors, []);
  assert.equal(await page.evaluate(stoppedBy), 'connect-src', 'the policy that boot.js writes holds here too');
  await page.close();
});

test('text, Tab and presses work in Firefox', {skip}, async () => {
  const {page, errors} = await open(join(dirname(pagePath), 'fixture.html'));
  const state = async () => JSON.parse(await page.evaluate(() => window.app.settle().then(() => window.app.state())));
  await page.mouse.click(150, 80);
  await page.keyboard.type('Әңгіме 3');
  await page.keyboard.press('Enter');
  assert.equal((await state()).log.at(-1), 'ended 7 Әңгіме 3 0');
  await page.mouse.click(50, 30);
  assert.equal((await state()).presses, 1);
  await page.evaluate(() => document.getElementById('to-text').focus());
  await page.keyboard.press('Tab');
  await page.keyboard.press(' ');
  assert.equal((await state()).presses, 2);
  assert.deepEqual(errors, []);
  await page.close();
});
