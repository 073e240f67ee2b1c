// The page in other places: saved in every way a browser saves, opened from disk, lying in another page.
import assert from 'node:assert/strict';
import {copyFileSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, before, test} from 'node:test';
import {pathToFileURL} from 'node:url';

import {colours, inTemporaryFolder, launch, open, pagePath} from './harness.mjs';
import {Person} from './person.mjs';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const hash = 'v=1&model=Qwen/Qwen3-32B&users=24&gpu=h200-sxm&n=2';

/** Opens a copy and checks that it is one page, started once, with nothing of the run that it was saved from. */
async function check(path, expected, options = {}) {
  const opened = await open(browser, {path, ...options});
  const state = await opened.state();
  assert.deepEqual(state.scenario, expected);
  assert.equal(state.notices.length, 0);
  const page = opened.page;
  for (const [what, count] of [['canvas', 1], ['#results-title', 1], ['#field-0-users', 1], ['#entry-field', 0],
    ['#results-form fieldset#group-task', 1], ['#to-text', 1]]) {
    assert.equal(await page.locator(what).count(), count, what);
  }
  assert.equal(await page.locator('#field-0-users').inputValue(), String(expected.deployments[0].users));
  assert.ok(colours(await page.screenshot()) > 16);
  await new Person(opened).press('n.one_more');
  assert.equal((await opened.state()).scenario.n, expected.n + 1);
  const tables = await page.locator('#results table').count();
  await opened.close();
  return tables;
}

test('a plain copy of the file works', async () => {
  await inTemporaryFolder(async (folder) => {
    const copy = join(folder, 'Калькулятор памяти.html');
    copyFileSync(pagePath, copy);
    const fresh = await open(browser);
    const {scenario} = await fresh.state();
    await fresh.close();
    await check(copy, scenario);
  });
});

test('the copy that the page saves keeps the scenario, also when it saves again', async () => {
  await inTemporaryFolder(async (folder) => {
    let path = pagePath, scenario;
    for (const generation of [1, 2]) {
      const p = await open(browser, {path, hash: generation === 1 ? hash : ''});
      const person = new Person(p);
      await person.type('ctx', String(4096 * generation));
      ({scenario} = await person.state());
      const [download] = await Promise.all([p.page.waitForEvent('download'), person.press('save')]);
      path = join(folder, `copy-${generation}.html`);
      await download.saveAs(path);
      await p.close();
      assert.equal(scenario.deployments[0].users, 24);
      await check(path, scenario);
    }
    assert.ok(Math.abs(readFileSync(path).length - readFileSync(pagePath).length) < 512, 'nothing else was added');
  });
});

test('plans that are kept for comparison are in the saved copy, in the file and in the link', async () => {
  await inTemporaryFolder(async (folder) => {
    const p = await open(browser, {hash});
    const person = new Person(p);
    await person.press('Compare');
    await person.press('keep');
    await person.press('n.one_more');
    await person.press('keep');
    await person.type('kept.1', 'филиал');
    const {kept, link} = await person.state();
    assert.equal(kept.length, 2);
    assert.equal(kept[1], 'филиал');
    assert.match(await person.results(), /Plans side by side[^]*филиал[^]*Settings that differ/);
    assert.equal(await p.page.locator('#field-0-kept\\.1').inputValue(), 'филиал');
    const [download] = await Promise.all([p.page.waitForEvent('download'), person.press('save')]);
    const copy = join(folder, 'copy.html');
    await download.saveAs(copy);
    await p.close();
    for (const options of [{path: copy}, {hash: link}]) {
      const again = await open(browser, options);
      assert.deepEqual((await again.state()).kept, kept);
      await new Person(again).press('Compare');
      await new Person(again).press('take_kept.0');
      assert.equal((await again.state()).scenario.n, 2);
      await again.close();
    }
  });
});

test('a link opens over the scenario of a saved copy', async () => {
  await inTemporaryFolder(async (folder) => {
    const copy = join(folder, 'copy.html');
    writeFileSync(copy, readFileSync(pagePath, 'utf8').replace('name="scenario" content=""', 'name="scenario" content="v=1&amp;users=3"'));
    const saved = await open(browser, {path: copy});
    assert.equal((await saved.state()).scenario.deployments[0].users, 3);
    await saved.close();
    const linked = await open(browser, {path: copy, hash: 'v=1&users=5'});
    assert.equal((await linked.state()).scenario.deployments[0].users, 5);
    await linked.close();
  });
});

for (const state of ['drawn', 'with a field open', 'in the text version', 'in the dark']) {
  test(`a page that the browser saves as it stands (${state}) starts again without traces of the first run`, async () => {
    await inTemporaryFolder(async (folder) => {
      const p = await open(browser, {hash, colorScheme: state === 'in the dark' ? 'dark' : 'light'});
      const person = new Person(p);
      if (state === 'with a field open') await person.press('users');
      if (state === 'in the text version') await person.openText();
      const {scenario} = await person.state();
      let copy = join(folder, 'live.html');
      writeFileSync(copy, '<!doctype html>\n' + await p.page.evaluate(() => document.documentElement.outerHTML));
      const tables = await p.page.locator('#results table').count();
      await p.close();
      assert.equal(await check(copy, scenario), tables);
    });
  });
}

test('an MHTML copy, whose scripts do not run, still shows the last answer, the link and the address', async () => {
  await inTemporaryFolder(async (folder) => {
    const p = await open(browser, {hash});
    const {verdict_words: verdict} = await p.state();
    const session = await p.context.newCDPSession(p.page);
    const {data} = await session.send('Page.captureSnapshot', {format: 'mhtml'});
    await p.close();
    const copy = join(folder, 'saved.mhtml');
    writeFileSync(copy, data);
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(pathToFileURL(copy).href);
    const text = await page.locator('#results').innerText();
    assert.ok(text.includes(verdict), text.slice(0, 300));
    assert.match(text, /sale@tkasiatorg\.ru/);
    assert.ok(await page.locator('#results table').first().isVisible());
    assert.ok(await page.locator('a[href*="users=24"]').first().isVisible());
    assert.equal(await page.locator('#trouble').isVisible(), false);
    await context.close();
  });
});

test('in another page it has no header and tells how high it is', async () => {
  await inTemporaryFolder(async (folder) => {
    const outer = join(folder, 'outer.html');
    writeFileSync(outer, `<!doctype html><title>outer</title><iframe id="gpu-memory" style="width: 100%; height: 300px; border: 0"
      src="${pathToFileURL(pagePath).href}?embed"></iframe><script>
      addEventListener('message', function (event) {
        var frame = document.getElementById('gpu-memory');
        if (event.source === frame.contentWindow && event.data && event.data.vramHeight) {
          frame.style.height = event.data.vramHeight + 'px';
          window.heights = (window.heights || []).concat(event.data.vramHeight);
        }
      });</script>`);
    const context = await browser.newContext({viewport: {width: 1280, height: 800}, locale: 'en-US'});
    const page = await context.newPage();
    await page.goto(pathToFileURL(outer).href);
    await page.waitForFunction(() => window.heights?.length > 0);
    const frame = page.frames()[1];
    await frame.waitForFunction(() => window.app?.ready);
    const state = async () => JSON.parse(await frame.evaluate(() => window.app.settle().then(() => window.app.state())));
    const ids = (await state()).items.map((item) => item.id);
    assert.ok(!ids.includes('theme') && ids.includes('users'), ids.join());
    const lowest = Math.max(...(await state()).items.map((item) => item.rect[1] + item.rect[3]));
    const height = await page.locator('iframe').evaluate((element) => element.offsetHeight);
    assert.ok(height >= lowest && height < lowest + 100, `${height} px for ${lowest}`);
    assert.ok((await page.evaluate(() => window.heights)).length < 6, 'the height comes to rest');
    assert.ok((await state()).link.startsWith('v=1'));
    await context.close();
  });
});

test('a mistake in the site\'s settings is one line in the console, and the page works', async () => {
  await inTemporaryFolder(async (folder) => {
    const copy = join(folder, 'site.html');
    const page = readFileSync(pagePath, 'utf8');
    const edit = (settings) => page.replace(/(<script type="application\/json" id="site">)[^<]*/, (all, tag) => tag + settings);
    for (const [settings, warnings] of [['{"email": "gpu@example.kz", "theme": "pink"}', 1], ['{"email": ', 1], ['', 0]]) {
      writeFileSync(copy, edit(settings));
      const seen = [];
      const p = await open(browser, {path: copy, init: () => {
        window.warned = [];
        console.warn = (text) => window.warned.push(text);
      }});
      seen.push(...await p.page.evaluate(() => window.warned));
      assert.equal(seen.length, warnings, seen.join('\n'));
      assert.equal((await p.state()).verdict, 'fits');
      await p.close();
    }
  });
});
