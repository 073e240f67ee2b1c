// The page under what browsers and people do to it: thousands of links, windows of every size, files that cannot be, no
// memory, no storage, no frames. Whatever it is, there is a page, what was entered is in it, and it says what happened.
import assert from 'node:assert/strict';
import {closeSync, ftruncateSync, openSync, writeFileSync, writeSync} from 'node:fs';
import {join} from 'node:path';
import {after, before, test} from 'node:test';

import {colours, inTemporaryFolder, launch, open} from './harness.mjs';
import {Person} from './person.mjs';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const kMebibyte = 2 ** 20;

/** Runs in the page before its scripts: keeps the program's memory where a test can see it, and may refuse it more. */
function watchMemory() {
  const instantiate = WebAssembly.instantiate, grow = WebAssembly.Memory.prototype.grow;
  window.memory = {bytes: () => 0, refuse: false};
  WebAssembly.instantiate = async (...parts) => {
    const made = await instantiate(...parts);
    const found = Object.values((made.instance ?? made).exports).find((one) => one instanceof WebAssembly.Memory);
    if (found) window.memory.bytes = () => found.buffer.byteLength;
    return made;
  };
  WebAssembly.Memory.prototype.grow = function (pages) {
    if (window.memory.refuse) throw new RangeError('refused');
    return grow.call(this, pages);
  };
}
const programMemory = (page) => page.evaluate(() => window.memory.bytes());
const users = async (opened) => (await opened.state()).scenario.deployments[0].users;
const corner = {clip: {x: 0, y: 0, width: 200, height: 200}};
const isDrawn = async (page) => colours(await page.screenshot(corner)) > 8;
/** Without waiting for frames, which do not come where the context is lost. */
const stateNow = (page) => page.evaluate(() => JSON.parse(window.app.state()));

// Each is a whole answer and its frames; VRAM_LINKS=5000 takes a minute.
const links = Number(process.env.VRAM_LINKS ?? 120);

test('links in their hundreds, sensible or not, each change the page that is there and leave it whole', async (t) => {
  const p = await open(browser, {init: watchMemory, viewport: {width: 320, height: 240}});
  const begin = await programMemory(p.page);
  const {worst, memory} = await p.page.evaluate(async (count) => {
    let seed = 1;
    const random = (below) => {  // https://github.com/bryc/code, mulberry32
      seed = seed + 0x6D2B79F5 | 0;
      let mixed = Math.imul(seed ^ seed >>> 15, 1 | seed);
      mixed = mixed + Math.imul(mixed ^ mixed >>> 7, 61 | mixed) ^ mixed;
      return ((mixed ^ mixed >>> 14) >>> 0) % below;
    };
    const {deployments: [deployment], ...scenario} = JSON.parse(window.app.state()).scenario;
    const keys = [...Object.keys(scenario), ...Object.keys(deployment), '2.model', '3.users', 'nothing'];
    const choices = Object.fromEntries([...document.querySelectorAll('#results-form select[data-key]')]
      .map((list) => [list.dataset.key, [...list.options].map((option) => option.value)]));
    const rubbish = ['', '%', '%00', '&&&', '<b>', '\u202e', '-1', '1e999', 'NaN', '٣', '%F0%9F', '{"',
      'x'.repeat(5000)];
    const value = (key) => {
      if (random(8) === 0) return rubbish[random(rubbish.length)];
      if (choices[key]) return choices[key][random(choices[key].length)];
      return String(Math.floor(Math.exp(random(1000) / 1000 * 12)));
    };
    // Chromium ignores an address once there were 200 of them in ten seconds, so it is given again.
    let start = 0;
    const changed = (link) => new Promise((resolve) => {
      const go = () => { start = performance.now(); location.hash = link; };
      const again = setInterval(go, 1000);
      addEventListener('hashchange', () => { clearInterval(again); resolve(); }, {once: true});
      go();
    });
    let worst = {time: 0, link: ''};
    const memory = [];
    for (let i = 0; i < count; i++) {
      const pairs = Array.from({length: 1 + random(6)}, () => keys[random(keys.length)])
        .map((key) => `${key}=${value(key)}`);
      const link = `#v=1&${pairs.join('&')}&x=${i}`;
      await changed(link);
      const time = performance.now() - start;
      if (time > worst.time) worst = {time, link};
      if ((i + 1) % Math.ceil(count / 5) === 0) memory.push(window.memory.bytes());
    }
    return {worst, memory};
  }, links);
  t.diagnostic(`slowest ${Math.round(worst.time)} ms: ${worst.link.slice(0, 200)}`);
  t.diagnostic(`memory of the program: ${[begin, ...memory].map((bytes) => bytes / kMebibyte).join(', ')} MiB`);
  assert.ok(worst.time < 10_000, `${worst.time} ms for ${worst.link}`);
  assert.ok(memory.at(-1) <= Math.max(memory[0], begin + 32 * kMebibyte), memory.join());
  await p.page.waitForFunction(() => {
    if (JSON.parse(window.app.state()).scenario.deployments[0].users === 77) return true;
    location.hash = '#v=1&users=77';
    return false;
  }, null, {polling: 1000});
  assert.ok(await isDrawn(p.page));
  await p.close();
});

test('a window of any size, at any ratio of pixels, keeps what is being typed and is drawn', async () => {
  const p = await open(browser);
  const session = await p.context.newCDPSession(p.page);
  await new Person(p).press('users');
  await p.page.waitForFunction(() => document.activeElement.id === 'entry-field');
  await p.page.keyboard.press('Control+a');
  await p.page.keyboard.insertText('31');
  const windows = [[200, 200, 1], [320, 640, 3.75], [599, 900, 0.5], [600, 200, 1.1], [901, 901, 2], [2560, 1440, 1],
    [8000, 300, 1], [640, 8000, 1], [1280, 800, 1]];
  for (const [width, height, ratio] of windows) {
    await session.send('Emulation.setDeviceMetricsOverride', {width, height, deviceScaleFactor: ratio, mobile: false});
    await p.page.waitForFunction((wide) => Math.abs(document.getElementById('canvas').width - wide) < 2, width * ratio);
    await p.settle();
    assert.ok(await isDrawn(p.page), `${width} × ${height} at ${ratio}`);
  }
  await p.page.keyboard.press('Enter');
  assert.equal(await users(p), 31);
  await p.close();
});

test('a tab that is frozen and comes back goes on where it was', async () => {
  const p = await open(browser);
  const session = await p.context.newCDPSession(p.page);
  await new Person(p).press('users');
  await p.page.keyboard.press('Control+a');
  await p.page.keyboard.insertText('19');
  await session.send('Page.setWebLifecycleState', {state: 'frozen'});
  await session.send('Page.setWebLifecycleState', {state: 'active'});
  await p.page.keyboard.press('Enter');
  assert.equal(await users(p), 19);
  assert.ok(await isDrawn(p.page));
  await p.close();
});

/** Opens files by the page's own button; resolves when the page has said something of them or has a model of theirs. */
async function openFiles(p, paths) {
  const chooser = p.page.waitForEvent('filechooser');
  await new Person(p).press('open_file');
  await (await chooser).setFiles(paths);
  await p.page.waitForFunction(() => {
    const {notices, scenario} = JSON.parse(window.app.state());
    return notices.length > 0 || scenario.deployments[0].config !== '';
  });
  return p.state();
}

test('a file of a terabyte that is no model is refused in words, at once', async (t) => {
  await inTemporaryFolder(async (folder) => {
    const path = join(folder, 'model.gguf'), file = openSync(path, 'w');
    writeSync(file, 'GGUF\x03\0\0\0');
    try {
      ftruncateSync(file, 2 ** 40);
    } catch (error) {
      return t.skip(`no sparse file of a terabyte can be made in ${folder}: ${error.code}`);
    } finally {
      closeSync(file);
    }
    const p = await open(browser, {init: watchMemory, hash: 'v=1&users=5'});
    const begin = Date.now(), {notices, scenario} = await openFiles(p, path);
    assert.ok(Date.now() - begin < 20_000);
    assert.equal(notices.length, 1);
    assert.equal(scenario.deployments[0].users, 5);
    assert.ok(await programMemory(p.page) < 128 * kMebibyte);
    await p.close();
  });
});

test('of ten files at once the model is taken, and ten that are none are refused in words', async () => {
  await inTemporaryFolder(async (folder) => {
    const written = (name, content) => {
      const path = join(folder, name);
      writeFileSync(path, content);
      return path;
    };
    const others = Array.from({length: 9}, (_, i) => written(`${i}.bin`, Buffer.alloc(4096, i * 29)));
    const config = written('config.json', JSON.stringify({architectures: ['LlamaForCausalLM'], model_type: 'llama',
      hidden_size: 4096, intermediate_size: 14336, num_hidden_layers: 32, num_attention_heads: 32,
      num_key_value_heads: 8, vocab_size: 128256, torch_dtype: 'bfloat16'}));
    for (const [paths, isModel] of [[[...others, config], true], [[...others, written('9.bin', 'x')], false]]) {
      const p = await open(browser, {hash: 'v=1&users=5'});
      const {notices, scenario: {deployments: [one]}} = await openFiles(p, paths);
      assert.deepEqual([notices.length > 0, one.config !== '', one.users], [!isModel, isModel, 5]);
      await p.close();
    }
  });
});

test('without more memory the page says that it stopped, and a reload goes on with what was entered', async () => {
  const p = await open(browser, {init: watchMemory, allowErrors: true, hash: 'v=1&users=23'});
  await p.page.evaluate(() => {
    window.memory.refuse = true;
    location.hash = `#v=1&users=23&more_cards=${'x'.repeat(20e6)}`;  // has to be held to be read
  });
  const trouble = p.page.getByRole('alert');
  await trouble.waitFor();
  assert.match(await trouble.innerText(), /The calculator has stopped[^]*reload the page/);
  assert.doesNotMatch(await trouble.innerText(), /cannot run/);
  await p.page.reload();
  await p.page.waitForFunction(() => window.app?.ready);
  assert.equal(await users(p), 23);
  await p.close();
});

test('full storage and rubbish in it change nothing but what is remembered', async () => {
  const p = await open(browser, {init: () => {
    localStorage.setItem('vram.language', '☃'.repeat(1000));
    localStorage.setItem('vram.theme', '{"');
    for (let size = 2 ** 22; size >= 1; size /= 2) {
      for (let i = 0; i < 4; i++) {
        try { localStorage.setItem(`full.${size}.${i}`, 'x'.repeat(size)); } catch { break; }
      }
    }
  }});
  const person = new Person(p);
  assert.deepEqual([(await p.state()).language, (await p.state()).theme], ['en', 'light']);
  await person.press('theme');
  assert.equal((await p.state()).theme, 'dark');
  await p.close();
});

test('a context that is lost for good leaves the text version, which works, and gives the page back with the context',
  async () => {
    const p = await open(browser, {hash: 'v=1&users=6'});
    await p.page.evaluate(() => {
      window.lose = document.getElementById('canvas').getContext('webgl2').getExtension('WEBGL_lose_context');
      window.lose.loseContext();
    });
    await p.page.waitForFunction(() => document.body.classList.contains('text'));
    assert.ok(await p.page.locator('#undrawn').isVisible());
    assert.ok(await p.page.locator('#results-verdict').innerText());
    await p.page.locator('#field-0-users').fill('12');
    assert.equal((await stateNow(p.page)).scenario.deployments[0].users, 12);
    await p.page.evaluate(() => window.lose.restoreContext());
    await p.page.locator('#to-page').click();
    await p.settle();
    assert.ok(await isDrawn(p.page));
    assert.equal(await users(p), 12);
    await p.close();
  });

test('when the first frame does not come, the text version is shown', async () => {
  const p = await open(browser, {mayFail: true, hash: 'v=1&users=9', init: () => {
    window.requestAnimationFrame = () => 1;
    window.ResizeObserver = class { observe() {} };
    Element.prototype.getBoundingClientRect = () => new DOMRect();
  }});
  await p.page.waitForFunction(() => document.body.classList.contains('text'), null, {polling: 200});
  assert.ok(await p.page.locator('#undrawn').isVisible());
  assert.equal(await p.page.locator('#field-0-users').inputValue(), '9');
  await p.close();
});

const hostile = '<img src=x onerror=alert(1)>"\'&\r\nBcc: all@example.org&body=sold';

test('a model whose name is markup and headers is text everywhere, and no header of the letter', async () => {
  const config = {model_type: 'llama', _name_or_path: hostile, hidden_size: 4096, num_hidden_layers: 32,
    num_attention_heads: 32, vocab_size: 32000, intermediate_size: 11008, architectures: ['LlamaForCausalLM']};
  const p = await open(browser, {init: () => addEventListener('click', (event) => {
    const link = event.target.closest?.('a[href^=mailto]');
    if (!link) return;
    event.preventDefault();
    window.letter = link.href;
  }, true)});
  const person = new Person(p);
  const elements = () => p.page.evaluate(() => document.querySelectorAll('img, b, i, script').length);
  const before = await elements();
  await person.drop(`${hostile.replaceAll('/', '')}.json`, JSON.stringify(config));
  await p.page.waitForFunction(() => JSON.parse(window.app.state()).scenario.deployments[0].config !== '');
  await p.page.evaluate(() => { location.hash += '&engine_version=%3Cb%3Ex%3C%2Fb%3E%0D%0ABcc%3A'; });
  await p.settle();
  await person.openText();
  assert.ok((await person.results()).includes('<img src=x onerror=alert(1)>'));
  assert.equal(await elements(), before);
  await p.page.locator('[data-act=send]').first().click();
  const letter = new URL(await p.page.evaluate(() => window.letter));
  assert.deepEqual([...letter.searchParams.keys()], ['subject', 'body']);
  assert.doesNotMatch(letter.searchParams.get('subject'), /[\r\n]/);
  assert.ok(!/^Bcc:/m.test(letter.searchParams.get('body').replaceAll('\r', '')));
  await p.close();
});
