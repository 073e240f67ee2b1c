// The packed page, whatever it shows: it starts, idles, leaves the browser's keys alone, says when it cannot run.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {after, before, test} from 'node:test';

import {colours, launch, open, pagePath, stoppedBy} from './harness.mjs';

let browser;
before(async () => { browser = await launch(); });
after(async () => { await browser.close(); });

test('the first frame is drawn from disk, under the policy, without a request', async () => {
  const p = await open(browser);
  const alive = await p.page.evaluate(() => !document.getElementById('canvas').getContext('webgl2').isContextLost());
  assert.ok(alive, 'the WebGL 2 context is alive');
  assert.ok(colours(await p.page.screenshot()) > 16, 'the picture is not uniform');
  assert.match(await p.page.evaluate(() => window.app.version), /ImGui 1\.92.*SDL 2\./);
  await p.close();
});

test('the policy lets nothing out', async () => {
  const p = await open(browser, {allowErrors: true});  // of the fetch; what a site may allow is in hub_test
  assert.equal(await p.page.evaluate(stoppedBy), 'connect-src');
  const policy = readFileSync(pagePath, 'utf8').match(/Content-Security-Policy" content="([^"]*)/)[1];
  assert.match(policy, /default-src 'none'; script-src 'sha256-[^;*]*;/);
  await p.context.close();
});

test('nothing is drawn while nothing happens', async () => {
  const p = await open(browser);
  const before = await p.frames();
  await p.page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 3000)));
  assert.equal(await p.frames(), before);
  await p.close();
});

test('reload, find, print, zoom, save and developer keys stay the browser\'s', async () => {
  const p = await open(browser);
  const prevented = await p.page.evaluate(() => {
    const canvas = document.getElementById('canvas');
    canvas.focus();
    const keys = [
      {key: 'F5', code: 'F5'}, {key: 'F11', code: 'F11'}, {key: 'F12', code: 'F12'}, {key: 'F1', code: 'F1'},
      ...['r', 'f', 'p', 's', 'l', 'c', 'v', 'x', 'a', '+', '-', '0'].map((key) => ({key, ctrlKey: true})),
      ...['к', 'а', 'с', 'м'].map((key, i) => ({key, code: ['KeyR', 'KeyF', 'KeyC', 'KeyV'][i], ctrlKey: true})),
      {key: 'r', code: 'KeyR', metaKey: true}, {key: 'ArrowLeft', code: 'ArrowLeft', altKey: true},
    ];
    return keys
      .filter((key) => !canvas.dispatchEvent(new KeyboardEvent('keydown', {bubbles: true, cancelable: true, ...key})))
      .map((key) => key.key);
  });
  assert.deepEqual(prevented, []);
  await p.close();
});

test('a lost WebGL context comes back with a picture', async () => {
  const p = await open(browser);
  await p.page.evaluate(() => new Promise((resolve) => {
    const canvas = document.getElementById('canvas');
    const lose = canvas.getContext('webgl2').getExtension('WEBGL_lose_context');
    canvas.addEventListener('webglcontextlost', () => setTimeout(() => lose.restoreContext()), {once: true});
    canvas.addEventListener('webglcontextrestored', () => resolve(), {once: true});
    lose.loseContext();
  }));
  await p.settle();
  assert.ok(colours(await p.page.screenshot()) > 16);
  await p.close();
});

const words = {
  ru: /Этот браузер не может запустить калькулятор/,
  kk: /Бұл браузер есептегішті іске қоса алмайды/,
  en: /This browser cannot run the calculator/,
};
const faults = {
  WebAssembly: () => { delete window.WebAssembly; },
};
for (const [missing, init] of Object.entries(faults)) {
  test(`without ${missing} the page says so in the reader's language and shows the address`, async () => {
    for (const [language, sentence] of Object.entries(words)) {
      const p = await open(browser, {init, mayFail: true, locale: language});
      const trouble = p.page.getByRole('alert');
      await trouble.waitFor();
      const text = await trouble.innerText();
      assert.match(text, sentence);
      assert.match(text, new RegExp(`sale@tkasiatorg\\.ru\\s+${missing}`));
      assert.equal(Object.values(words).filter((other) => other.test(text)).length, 1);
      await p.close();
    }
  });
}

test('without scripts the page says so and shows its words in every language', async () => {
  const p = await open(browser, {mayFail: true, javaScriptEnabled: false});
  const text = await p.page.locator('#trouble').innerText();
  for (const sentence of Object.values(words)) assert.match(text, sentence);
  assert.match(text, /sale@tkasiatorg\.ru/);
  await p.context.close();
});

test('blocked storage stops nothing', async () => {
  const p = await open(browser, {
    init: () => Object.defineProperty(window, 'localStorage', {get() { throw new Error('blocked'); }}),
  });
  assert.ok(colours(await p.page.screenshot()) > 16);
  await p.close();
});

