// The same page in WebKit (WebKitGTK, Safari's engine on Linux), briefly: it starts, takes presses and text, and so
// does its form. Driven over WebDriver by plain requests: nothing is installed for it but the driver.
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {existsSync, readdirSync} from 'node:fs';
import {createServer} from 'node:net';
import {after, before, test} from 'node:test';
import {pathToFileURL} from 'node:url';

import {colours, pagePath, virtualScreen} from './harness.mjs';

const driverPath = [process.env.VRAM_WEBKIT_DRIVER, '/usr/bin/WebKitWebDriver']
  .find((path) => path && existsSync(path));
/** WebKitGTK's browser lies in the library's own folder: /usr/lib/<machine>/webkit2gtk-4.1/MiniBrowser. */
const browserPath = process.env.VRAM_WEBKIT ?? readdirSync('/usr/lib', {withFileTypes: true})
  .filter((entry) => entry.isDirectory())
  .flatMap((entry) => ['4.1', '4.0'].map((version) => `/usr/lib/${entry.name}/webkit2gtk-${version}/MiniBrowser`))
  .find((path) => existsSync(path));
const skip = driverPath && browserPath ? false : 'WebKit is not installed: apt-get install webkit2gtk-driver';

const freePort = () => new Promise((resolve, reject) => {
  const server = createServer().on('error', reject).listen(0, '127.0.0.1', () => {
    const {port} = server.address();
    server.close(() => resolve(port));
  });
});
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

let screen, driver, address, session;

/** One command of the WebDriver protocol (https://www.w3.org/TR/webdriver2/). */
async function command(method, path, body) {
  const answer = await fetch(address + path, {method, body: body && JSON.stringify(body)});
  const {value} = await answer.json();
  assert.ok(answer.ok, `${path}: ${value?.error} ${value?.message}`);
  return value;
}
const run = (script, ...args) => command('POST', `${session}/execute/sync`, {script, args});
const runAsync = (script, ...args) => command('POST', `${session}/execute/async`, {script, args});

/** Asks until the answer is yes: a page that is not there yet refuses or says no. */
async function until(what, ask, seconds = 60) {
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await pause(100)) {
    if (await ask().catch(() => false)) return;
  }
  assert.fail(`${what} did not come`);
}

before(async () => {
  if (skip) return;
  screen = await virtualScreen();
  const port = await freePort();
  address = `http://127.0.0.1:${port}`;
  driver = spawn(driverPath, [`--port=${port}`, '--host=127.0.0.1'], {
    env: {...process.env, DISPLAY: screen.display, GDK_BACKEND: 'x11', LIBGL_ALWAYS_SOFTWARE: '1'}, stdio: 'ignore',
  });
  await until('the driver', () => command('GET', '/status').then((status) => status.ready));
  const options = {binary: browserPath, args: ['--automation']};
  const {sessionId} = await command('POST', '/session',
                                    {capabilities: {alwaysMatch: {'webkitgtk:browserOptions': options}}});
  session = `/session/${sessionId}`;
});
after(async () => {
  if (session) await command('DELETE', session);
  driver?.kill();
  screen?.close();
});

const settle = () => runAsync('const done = arguments[0]; window.app.settle().then(() => done(true));');
async function open(hash) {
  await command('POST', `${session}/url`, {url: 'about:blank'});  // a changed '#' alone loads nothing
  await command('POST', `${session}/url`, {url: pathToFileURL(pagePath).href + hash});
  await until('the first frame', () => run('return !!(window.app && window.app.ready);'));
  await settle();
}
const state = async () => {
  await settle();
  return JSON.parse(await run('return window.app.state();'));
};
const drawn = () => run('return !document.documentElement.classList.contains("undrawn");');

async function pressAt(x, y) {
  const at = (type, fields = {}) => ({type, button: 0, ...fields});
  const place = {x: Math.round(x), y: Math.round(y), duration: 0};
  const steps = [at('pointerMove', place), at('pointerDown'), at('pointerUp')];
  await command('POST', `${session}/actions`,
                {actions: [{type: 'pointer', id: 'mouse', parameters: {pointerType: 'mouse'}, actions: steps}]});
  await settle();
}
async function press(id) {
  const [x, y, width, height] = (await state()).items.find((item) => item.id === id).rect;
  await pressAt(x + width / 2, y + height / 2);
}
const keys = (text) => command('POST', `${session}/actions`, {actions: [{type: 'key', id: 'keys',
  actions: [...text].flatMap((value) => [{type: 'keyDown', value}, {type: 'keyUp', value}])}]});

test('in WebKit the page starts and answers: drawn, or as its text version, which says so', {skip}, async (t) => {
  await open('#v=1&model=Qwen/Qwen3-32B&users=24&gpu=h200-sxm&n=2');
  const {scenario, verdict} = await state();
  assert.deepEqual([scenario.deployments[0].users, scenario.n, verdict], [24, 2, 'fits']);
  assert.equal(await run('return document.getElementById("trouble").hidden;'), true);
  if (await drawn()) {
    t.diagnostic('drawn with WebGL 2');
    assert.ok(colours(Buffer.from(await command('GET', `${session}/screenshot`), 'base64')) > 16);
  } else {
    t.diagnostic('no WebGL 2 here: the text version is the page');
    assert.match(await run('return document.getElementById("undrawn").innerText;'), /WebGL 2/);
  }
});

test('presses and typed text reach the drawn page in WebKit', {skip}, async (t) => {
  await open('');
  if (!await drawn()) return t.skip('no WebGL 2 here: nothing is drawn');
  await press('n.one_more');
  assert.equal((await state()).scenario.n, 2);
  await press('users');
  await until('the text field', () => run('return document.activeElement.id === "entry-field";'));
  await run('document.activeElement.select();');
  await keys('17\uE007');  // Enter
  assert.equal((await state()).scenario.deployments[0].users, 17);
  assert.match(await run('return location.hash;'), /users=17.*n=2/);
});

test('the form of the text version works in WebKit', {skip}, async () => {
  await open('');
  await run('document.getElementById("to-text").click();');
  await run('const field = document.getElementById("field-0-users"); field.focus(); field.select();');
  await keys('33');
  await until('the answer', async () => (await state()).scenario.deployments[0].users === 33);
  await until('the summary', () => run('return document.getElementById("results").innerText.includes("33");'));
});
