// A start-up log that is pasted: on the page, in the text version, by the button, and when it is far too long.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {launch, open} from './harness.mjs';
import {Person} from './person.mjs';

const log = `INFO Initializing a V1 LLM engine (v0.19.0) with config: model='meta-llama/Llama-3.1-8B-Instruct'
INFO Model loading took 14.99 GiB memory
INFO Memory profiling: torch peak memory increase: 1.89GiB; non-torch forward increase memory: 0.25GiB; weights memory: 14.99GiB.
INFO Available KV cache memory: 58.11 GiB
`;

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

async function visit(action) {
  const opened = await open(browser);
  await action(new Person(opened), opened);
  await opened.close();
}

/** What Ctrl+V does, wherever the focus is. */
const paste = (page, text, times = 1) => page.evaluate(([part, count]) => {
  const data = new DataTransfer();
  data.setData('text/plain', part.repeat(count));
  const event = new ClipboardEvent('paste', {bubbles: true, cancelable: true, clipboardData: data});
  document.activeElement.dispatchEvent(event);
  return event.defaultPrevented;
}, [text, times]);
const arrived = (page, part) => page.waitForFunction(
  (words) => JSON.parse(window.app.state()).notices.some((notice) => notice.includes(words)), part);

test('a log pasted on the page is set beside the plan, and used', async () => {
  await visit(async (person, {page}) => {
    await paste(page, log);
    await arrived(page, 'start-up log of vLLM');
    await person.press('measured.use_measured');
    assert.equal((await person.state()).scenario.deployments[0].m_activations, 1.89);
  });
});

test('a saved scenario can be pasted', async () => {
  await visit(async (person, {page}) => {
    const {scenario} = await person.state();
    scenario.deployments[0].users = 77;
    await paste(page, JSON.stringify(scenario));
    await page.waitForFunction(() => JSON.parse(window.app.state()).scenario.deployments[0].users === 77);
  });
});

test('what is pasted into a field stays the field\'s', async () => {
  await visit(async (person, {page}) => {
    await person.press('users');
    await page.waitForFunction(() => document.activeElement.tagName === 'INPUT');
    assert.equal(await paste(page, log), false);
    assert.equal((await person.state()).notices.length, 0);
  });
});

test('the text version has a field for it', async () => {
  await visit(async (person, {page}) => {
    await person.openText();
    const field = page.locator('#field-0-paste');
    await field.fill(log);
    await page.getByRole('button', {name: 'Read it'}).click();
    await arrived(page, 'start-up log of vLLM');
    assert.equal(await field.inputValue(), '');
    assert.match(await person.results(), /vLLM 0\.19\.0/);
    await page.getByRole('button', {name: 'Use the measured values'}).click();
    assert.equal((await person.state()).scenario.deployments[0].m_runtime, 0.25);
    await field.focus();
    assert.equal(await paste(page, log), true, 'read at once: megabytes would stop the field');
  });
});

test('where the clipboard is refused, the button leads to the field', async () => {
  await visit(async (person, {page}) => {
    await page.evaluate(() => {
      Object.defineProperty(navigator, 'clipboard', {value: {readText: () => Promise.reject(new Error('refused'))}});
    });
    await person.press('Measured');
    await person.press('measured.paste');
    await page.waitForFunction(() => document.activeElement.id === 'field-0-paste');
  });
});

test('the clipboard is read when the button asks for it', async () => {
  await visit(async (person, {page}) => {
    await page.evaluate((text) => {
      Object.defineProperty(navigator, 'clipboard', {value: {readText: () => Promise.resolve(text)}});
    }, log);
    await person.press('Measured');
    await person.press('measured.paste');
    await arrived(page, 'start-up log of vLLM');
  });
});

test('fifty megabytes are read within seconds, more is refused in words', async () => {
  await visit(async (person, {page}) => {
    const line = 'INFO 11-30 12:00:00 [loggers.py:1] Avg prompt throughput: 1.0 tokens/s, Running: 1 reqs\n';
    const started = Date.now();
    await paste(page, log + line.repeat(1000), 520);  // 47 MB
    await arrived(page, 'start-up log of vLLM');
    const seconds = (Date.now() - started) / 1000;
    assert.ok(seconds < 15, `${seconds} s`);
    await paste(page, log + line.repeat(1000), 900);
    await arrived(page, 'at most');
  });
});
