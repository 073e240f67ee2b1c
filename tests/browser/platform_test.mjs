// The browser platform by itself, on the fixture's widgets (fixture.cpp): input, text entry, clipboard, files, idling.
import assert from 'node:assert/strict';
import {readFileSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {after, before, test} from 'node:test';

import {inTemporaryFolder, launch, open, pagePath} from './harness.mjs';

const path = join(dirname(pagePath), 'fixture.html');
let browser;
before(async () => { browser = await launch(); });
after(async () => { await browser.close(); });

const fixture = (options) => open(browser, {path, viewport: {width: 640, height: 480}, ...options});
const key = (page, type, fields) => page.context().newCDPSession(page)
  .then((session) => session.send('Input.dispatchKeyEvent', {type, ...fields}));

test('a click presses once', async () => {
  const f = await fixture();
  await f.page.mouse.click(50, 30);
  assert.equal((await f.state()).presses, 1);
  await f.close();
});

test('nothing is drawn while nothing happens', async () => {
  const f = await fixture();
  const before = await f.frames();
  await f.page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 3000)));
  assert.equal(await f.frames(), before);
  await f.close();
});

for (const deviceScaleFactor of [1, 1.25, 1.5, 3]) {
  test(`the canvas has exactly the screen's pixels at a ratio of ${deviceScaleFactor}`, async () => {
    const f = await fixture({deviceScaleFactor, viewport: {width: 813, height: 607}});
    const [width, height] = await f.page.evaluate(() => {
      const canvas = document.getElementById('canvas');
      return [canvas.width, canvas.height];
    });
    // At a fractional ratio the last row may be a whole pixel or none: the browser snaps the box to pixels.
    assert.ok(Math.abs(width - 813 * deviceScaleFactor) < 1 && Math.abs(height - 607 * deviceScaleFactor) < 1,
              `${width} × ${height}`);
    await f.close();
  });
}

test('the canvas follows the size of the window', async () => {
  const f = await fixture();
  await f.page.setViewportSize({width: 400, height: 700});
  await f.page.waitForFunction(() => document.getElementById('canvas').width === 400);
  await f.page.mouse.click(50, 30);
  assert.equal((await f.state()).presses, 1);
  await f.close();
});

test('text is typed into a real input, in every alphabet, and Enter accepts it', async () => {
  const f = await fixture();
  await f.page.mouse.click(150, 80);
  await f.settle();
  const field = f.page.getByRole('textbox', {name: 'Field'});
  assert.equal(await field.inputValue(), 'Қазақша 42');
  await f.page.keyboard.insertText('Әңгіме');
  await f.page.keyboard.type(' qwen 3');
  assert.equal((await f.state()).text, 'Әңгіме qwen 3');
  await f.page.keyboard.press('Enter');
  const state = await f.state();
  assert.equal(state.log.at(-1), 'ended 7 Әңгіме qwen 3 0');
  assert.equal(await field.count(), 0);
  assert.equal(await f.page.evaluate(() => document.activeElement.id), 'canvas');
  await f.close();
});

test('Escape cancels an entry, Tab and Shift+Tab say which way', async () => {
  const f = await fixture();
  for (const [press, how] of [['Escape', 1], ['Tab', 2], ['Shift+Tab', 3]]) {
    await f.page.mouse.click(150, 80);
    await f.page.keyboard.press(press);
    assert.equal((await f.state()).log.at(-1), `ended 7 Қазақша 42 ${how}`);
  }
  await f.close();
});

test('a click beside the field accepts the entry after the click has been delivered', async () => {
  const f = await fixture();
  await f.page.mouse.click(150, 80);
  await f.page.keyboard.insertText('до');
  await f.page.mouse.click(100, 170);
  const {log} = await f.state();
  assert.deepEqual(log.slice(-2), ['row', 'ended 7 до 0']);
  await f.close();
});

test('Ctrl+V pastes into the field', async () => {
  const f = await fixture({permissions: ['clipboard-read', 'clipboard-write']});
  await f.page.evaluate(() => navigator.clipboard.writeText('Қ мәтін'));
  await f.page.mouse.click(150, 80);
  await f.page.keyboard.press('Control+V');
  assert.equal((await f.state()).text, 'Қ мәтін');
  await f.close();
});

test('a press copies text inside its own event', async () => {
  const f = await fixture({permissions: ['clipboard-read', 'clipboard-write']});
  await f.page.mouse.click(50, 30);
  await f.settle();
  assert.equal(await f.page.evaluate(() => navigator.clipboard.readText()), 'Көшірілді');
  await f.close();
});

test('a press opens a letter', async () => {
  const f = await fixture({
    init: () => addEventListener('click', (event) => {
      const link = event.target.closest?.('a[href^=mailto]');
      if (!link) return;
      event.preventDefault();
      window.letter = link.href;
    }, true),
  });
  await f.page.mouse.click(150, 30);
  assert.equal(await f.page.evaluate(() => window.letter), 'mailto:sale@example.org?subject=Hi');
  await f.close();
});

test('Ctrl and C is seen on a Russian layout', async () => {
  const f = await fixture();
  await f.page.mouse.click(400, 400);
  await key(f.page, 'rawKeyDown', {key: 'Control', code: 'ControlLeft', windowsVirtualKeyCode: 17, modifiers: 2});
  await key(f.page, 'rawKeyDown', {key: 'с', code: 'KeyC', windowsVirtualKeyCode: 67, modifiers: 2});
  assert.ok((await f.state()).log.includes('ctrl+c'));
  await f.close();
});

test('Tab goes through the canvas and out at both ends', async () => {
  const f = await fixture();
  const focused = () => f.page.evaluate(() => document.activeElement.id || document.activeElement.tagName);
  await f.page.evaluate(() => {
    const after = document.createElement('button');
    after.id = 'after';
    document.getElementById('stage').after(after);
    document.getElementById('to-text').focus();
  });
  // Seven stops: three buttons, the field, the slider and two rows.
  let stops = 0;
  await f.page.keyboard.press('Tab');
  await f.settle();  // the focus leaves in the frame after the key
  while (await focused() === 'canvas' && stops < 20) {
    await f.page.keyboard.press('Tab');
    await f.settle();
    ++stops;
  }
  assert.equal(await focused(), 'after');
  assert.equal(stops, 7);
  await f.page.keyboard.press('Shift+Tab');
  assert.equal(await focused(), 'canvas');
  for (stops = 0; await focused() === 'canvas' && stops < 20; ++stops) {
    await f.page.keyboard.press('Shift+Tab');
    await f.settle();
  }
  assert.equal(await focused(), 'to-text');
  assert.equal(stops, 7);
  await f.close();
});

test('Space presses what Tab has reached', async () => {
  const f = await fixture();
  await f.page.keyboard.press('Tab');  // "Text version", before the canvas
  await f.page.keyboard.press('Tab');
  await f.page.keyboard.press('Space');
  assert.equal((await f.state()).presses, 1);
  await f.close();
});

test('the wheel scrolls the list, Ctrl and wheel stays the browser\'s zoom', async () => {
  const f = await fixture();
  await f.page.mouse.move(100, 300);
  await f.settle();
  await f.page.mouse.wheel(0, 120);
  await f.page.waitForFunction(() => JSON.parse(window.app.state()).scroll === 120);
  const prevented = await f.page.evaluate(() => {
    const wheel = (fields) => !document.getElementById('canvas')
      .dispatchEvent(new WheelEvent('wheel', {deltaY: 20, bubbles: true, cancelable: true, ...fields}));
    return [wheel({}), wheel({ctrlKey: true})];
  });
  assert.deepEqual(prevented, [true, false]);
  await f.close();
});

test('the slider writes the address, and a changed address is reported', async () => {
  const f = await fixture();
  await f.page.mouse.click(280, 120);
  await f.settle();
  assert.match(f.page.url(), /#v=1&slider=(9|10)$/);
  await f.page.evaluate(() => { location.hash = 'v=1&slider=3'; });
  await f.page.waitForFunction(() => window.app.state().includes('link v=1&slider=3'));
  await f.close();
});

test('a changed preference is reported', async () => {
  const f = await fixture();
  await f.page.emulateMedia({colorScheme: 'dark'});
  await f.page.waitForFunction(() => window.app.state().includes('preferences'));
  await f.close();
});

test('a dropped file is read where it is asked for', async () => {
  const f = await fixture();
  await f.page.evaluate(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(['{"hidden_size": 4096}'], 'config.json'));
    document.getElementById('canvas').dispatchEvent(
      new DragEvent('drop', {dataTransfer: transfer, bubbles: true, cancelable: true}));
  });
  assert.deepEqual((await f.state()).log, ['file config.json 21', 'bytes 17 096}']);
  await f.close();
});

const finger = async (f) => {
  const session = await f.page.context().newCDPSession(f.page);
  const send = (type, ...points) => session.send('Input.dispatchTouchEvent',
    {type, touchPoints: points.map(([x, y]) => ({x, y}))});
  return {
    async tap(x, y) {
      await send('touchStart', [x, y]);
      await send('touchEnd');
    },
    async drag(from, to) {
      await send('touchStart', from);
      for (let i = 1; i <= 10; ++i) {
        await send('touchMove', from.map((start, axis) => start + (to[axis] - start) * i / 10));
      }
      // A finger that rests before it lifts flings nothing.
      await f.page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 150)));
      await send('touchEnd');
    },
  };
};
const phone = {viewport: {width: 390, height: 700}, hasTouch: true, isMobile: true, deviceScaleFactor: 3};

test('a tap presses, and opens the text entry with the focus', async () => {
  const f = await fixture(phone);
  const touch = await finger(f);
  await touch.tap(50, 30);
  assert.equal((await f.state()).presses, 1);
  await touch.tap(150, 80);
  await f.settle();
  const entry = await f.page.evaluate(() => {
    const {id} = document.activeElement;
    return [id, parseFloat(getComputedStyle(document.activeElement).fontSize)];
  });
  assert.equal(entry[0], 'entry-field');
  assert.ok(entry[1] >= 16, 'a phone zooms into smaller text');
  await f.close();
});

test('a finger scrolls the list and presses nothing', async () => {
  const f = await fixture(phone);
  const touch = await finger(f);
  await touch.drag([100, 400], [105, 300]);
  const state = await f.state();
  // The first step goes over the tap's radius.
  assert.ok(state.scroll >= 80 && state.scroll <= 101, `scrolled ${state.scroll}`);
  assert.ok(!state.log.includes('row'));
  await f.close();
});

test('a finger that starts on a button and moves presses nothing', async () => {
  const f = await fixture(phone);
  const touch = await finger(f);
  await touch.drag([50, 30], [60, 120]);
  await touch.drag([50, 30], [200, 30]);
  assert.equal((await f.state()).presses, 0);
  await f.close();
});

test('a finger drags a slider sideways', async () => {
  const f = await fixture(phone);
  const touch = await finger(f);
  await touch.drag([150, 120], [285, 122]);
  assert.equal((await f.state()).slider, 10);
  await f.close();
});

test('a lost WebGL context comes back with the same picture', async () => {
  const f = await fixture();
  const before = await f.page.screenshot();
  await f.page.evaluate(() => new Promise((resolve) => {
    const canvas = document.getElementById('canvas');
    const lose = canvas.getContext('webgl2').getExtension('WEBGL_lose_context');
    canvas.addEventListener('webglcontextlost', () => setTimeout(() => lose.restoreContext()), {once: true});
    canvas.addEventListener('webglcontextrestored', () => resolve(), {once: true});
    lose.loseContext();
  }));
  await f.settle();
  assert.ok(before.equals(await f.page.screenshot()));
  await f.close();
});

test('results are text, tables and safe links only', async () => {
  const f = await fixture();
  const results = f.page.locator('#results');
  assert.equal(await results.locator('b').count(), 0);
  assert.deepEqual(await results.locator('th,td').allTextContents(), ['a', 'b', 'x', '1']);
  assert.deepEqual(await results.locator('a').evaluateAll((links) => links.map((link) => link.href)), ['mailto:a@b.c']);
  await f.page.keyboard.press('Tab');
  await f.page.keyboard.press('Enter');
  assert.equal(await f.page.evaluate(() => document.activeElement.id), 'results-title');
  assert.ok(await results.getByRole('heading', {name: 'Table'}).isVisible());
  await f.page.getByRole('button', {name: 'Back to the calculator'}).click();
  assert.equal(await f.page.evaluate(() => document.activeElement.id), 'canvas');
  await f.close();
});

test('the page saves itself as it was delivered', async () => {
  await inTemporaryFolder(async (folder) => {
    const f = await fixture();
    const [download] = await Promise.all([f.page.waitForEvent('download'), f.page.mouse.click(250, 30)]);
    const copy = join(folder, 'copy.html');
    await download.saveAs(copy);
    await f.close();
    const saved = readFileSync(copy, 'utf8'), delivered = readFileSync(path, 'utf8');
    assert.ok(Math.abs(saved.length - delivered.length) < 64);
    const again = await open(browser, {path: copy});
    await again.page.mouse.click(50, 30);
    assert.equal((await again.state()).presses, 1);
    await again.close();
  });
});

test('a page saved by the browser starts again from its beginning', async () => {
  await inTemporaryFolder(async (folder) => {
    const f = await fixture();
    await f.page.mouse.click(150, 80);  // with an entry open
    await f.settle();
    const live = join(folder, 'live.html');
    writeFileSync(live, '<!doctype html>\n' + await f.page.evaluate(() => document.documentElement.outerHTML));
    await f.close();
    const again = await open(browser, {path: live});
    assert.equal(await again.page.locator('#entry-field').count(), 0);
    assert.equal(await again.page.locator('canvas').count(), 1);
    assert.equal(await again.page.locator('#results table').count(), 1);
    await again.close();
  });
});
