// The same page in the hand: taps, drags, the sheet at the bottom.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {launch, open} from './harness.mjs';
import {Person} from './person.mjs';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const phone = {viewport: {width: 390, height: 844}, deviceScaleFactor: 2, hasTouch: true, isMobile: true};

class Hand extends Person {
  async tap(id) {
    const [x, y, width, height] = (await this.item(id)).rect;
    await this.page.touchscreen.tap(x + width / 2, y + height / 2);
    await this.opened.settle();
  }

  async drag(fromX, fromY, toX, toY) {
    const session = await this.page.context().newCDPSession(this.page);
    const touch = (type, x, y) =>
      session.send('Input.dispatchTouchEvent', {type, touchPoints: type === 'touchEnd' ? [] : [{x, y}]});
    await touch('touchStart', fromX, fromY);
    for (let i = 1; i <= 8; i++) await touch('touchMove', fromX + (toX - fromX) * i / 8, fromY + (toY - fromY) * i / 8);
    await touch('touchEnd');
    await session.detach();
    await this.opened.settle();
  }

  async has(id) { return (await this.state()).items.some((item) => item.id === id); }
}

async function visit(options, action) {
  const opened = await open(browser, {...phone, ...options});
  await action(new Hand(opened));
  await opened.close();
}

test('the verdict stays at the bottom and leads to the answer', async () => {
  await visit({}, async (hand) => {
    assert.equal((await hand.state()).width, 'phone');
    await hand.tap('strip');
    assert.ok(!await hand.has('strip'), 'the answer is in view instead');
  });
});

test('a number explains itself in a sheet that a tap beside it closes', async () => {
  await visit({}, async (hand) => {
    await hand.tap('strip');
    await hand.tap('legend.kv');
    assert.ok(await hand.has('explanation.close'));
    await hand.page.touchscreen.tap(195, 60);
    await hand.opened.settle();
    assert.ok(!await hand.has('explanation.close'));
  });
});

test('a model is typed and tapped', async () => {
  await visit({locale: 'ru-RU'}, async (hand) => {
    await hand.tap('model');
    await hand.page.waitForFunction(() => document.activeElement?.tagName === 'INPUT');
    await hand.page.keyboard.insertText('квен 3 14б');
    await hand.opened.settle();
    await hand.tap('option.Qwen/Qwen3-14B');
    const state = await hand.state();
    assert.equal(state.scenario.deployments[0].model, 'Qwen/Qwen3-14B');
    assert.equal(await hand.page.locator('#entry-field').count(), 0, 'the text field is gone');
  });
});

test('a drag up scrolls, a drag along a slider moves it', async () => {
  await visit({}, async (hand) => {
    const [x, y, width, height] = (await hand.item('users.slider')).rect;
    const users = (await hand.state()).scenario.deployments[0].users;
    await hand.drag(x + width * 0.4, y + height / 2, x + width * 0.9, y + height / 2);
    assert.ok((await hand.state()).scenario.deployments[0].users > users);
    await hand.drag(195, 500, 195, 300);
    const moved = y - (await hand.item('users.slider')).rect[1];
    assert.ok(moved >= 150, `scrolled by ${moved}`);
  });
});
