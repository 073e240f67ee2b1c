// The text version: the same calculation as a form and tables, by keyboard, for screen readers, without WebGL, on paper.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {after, before, test} from 'node:test';

import {launch, open} from './harness.mjs';
import {Person} from './person.mjs';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

async function visit(options, action) {
  const opened = await open(browser, options);
  await action(new Person(opened), opened);
  await opened.close();
}
const noDrawing = () => { HTMLCanvasElement.prototype.getContext = () => null; };
const focused = (page) => page.evaluate(() => document.activeElement.id);

test('a scenario is changed with the keyboard alone, and the focus stays where it is', async () => {
  await visit({}, async (person, {page, settle}) => {
    await person.openText();
    assert.equal(await focused(page), 'results-title');
    const users = page.getByLabel('Users at once');
    for (let tabs = 0; tabs < 40 && await focused(page) !== 'field-0-users'; tabs++) await page.keyboard.press('Tab');
    assert.equal(await focused(page), 'field-0-users');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('64');
    await settle();
    assert.equal((await person.state()).scenario.deployments[0].users, 64);
    assert.equal(await focused(page), 'field-0-users');
    assert.match(await person.results(), /64 users/);
    await page.keyboard.press('Control+a');
    await page.keyboard.type('no');
    await settle();
    assert.equal(await users.getAttribute('aria-invalid'), 'true');
    const description = (await users.getAttribute('aria-describedby')).split(' ')[0];
    assert.match(await page.locator(`#${description}`).textContent(), /takes a number/);
    assert.equal((await person.state()).scenario.deployments[0].users, 64);
  });
});

test('the drawn page and the form show one scenario', async () => {
  await visit({}, async (person, {page, settle}) => {
    await person.press('n.one_more');
    assert.equal(await page.locator('#field-0-n').inputValue(), '2');
    await person.openText();
    await page.getByLabel('Weight format', {exact: true}).selectOption('awq_int4');
    await page.getByRole('button', {name: 'Back to the calculator'}).click();
    await settle();
    assert.equal((await person.item('weights')).value, 'AWQ · 4 bits');
  });
});

test('models are added, chosen and removed', async () => {
  await visit({}, async (person, {page, settle}) => {
    await person.openText();
    await page.getByRole('button', {name: 'Serve another model too'}).click();
    await page.locator('#field-1-model').selectOption('Qwen/Qwen3-14B');
    await settle();
    assert.equal((await person.state()).scenario.deployments[1].model, 'Qwen/Qwen3-14B');
    assert.match(await person.results(), /Qwen3 14B/);
    await page.getByRole('button', {name: 'Remove this model'}).first().click();
    await settle();
    assert.equal((await person.state()).scenario.deployments.length, 1);
    assert.equal(await page.locator('#field-0-model').inputValue(), 'Qwen/Qwen3-14B');
  });
});

test('what is said aloud is said once, when things have come to rest', async () => {
  await visit({}, async (person, {page}) => {
    await person.openText();
    await page.evaluate(() => {
      window.said = [];
      new MutationObserver(() => window.said.push(document.getElementById('results-live').textContent))
        .observe(document.getElementById('results-live'), {childList: true, characterData: true, subtree: true});
    });
    await page.getByLabel('Users at once').fill('');
    await page.getByLabel('Users at once').pressSequentially('4096');
    await page.waitForFunction(() => window.said.length > 0);
    const said = await page.evaluate(() => window.said);
    assert.equal(said.length, 1, said.join('\n'));
    assert.match(said[0], /does not fit/i);
  });
});

test('without WebGL 2 the text version is the whole page', async () => {
  for (const [locale, sentence] of [['ru', /Этот браузер не рисует калькулятор/], ['kk', /есептегішті сыза алмайды/],
    ['en', /cannot draw the calculator/]]) {
    await visit({init: noDrawing, locale}, async (person, {page, settle}) => {
      assert.match(await page.locator('#undrawn').innerText(), sentence);
      assert.ok(await page.locator('#trouble').isHidden());
      assert.equal(await page.locator('#to-page').isVisible(), false);
      await page.locator('#field-0-users').fill('4096');
      await settle();
      const state = await person.state();
      assert.equal(state.verdict, 'does_not_fit');
      assert.ok((await person.results()).startsWith(state.verdict_words.replaceAll('\u00a0', ' ')));
      await person.drop('config.json', '<!doctype html>');
      assert.equal((await person.state()).notices.length, 1);
      assert.ok(await page.locator('.notice').isVisible());
    });
  }
});

test('language and theme are switched in the text version', async () => {
  await visit({init: noDrawing}, async (person, {page, settle}) => {
    await page.getByRole('button', {name: 'Қазақша'}).click();
    await settle();
    assert.equal(await page.evaluate(() => document.documentElement.lang), 'kk');
    assert.ok(await page.getByLabel('Қатар жұмыс істейтін пайдаланушылар').isVisible());
    await page.getByRole('button', {name: 'Қараңғы тақырып'}).click();
    assert.ok(await page.evaluate(() => document.documentElement.classList.contains('dark')));
  });
});

test('text, scenario and table are saved, and the scenario opens again', async () => {
  await visit({hash: 'v=1&model=Qwen/Qwen3-32B&users=24&gpu=h200-sxm&n=2', locale: 'ru-RU'}, async (person, {page}) => {
    await person.openText();
    const saved = async (name) => {
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', {name}).click()]);
      return [download.suggestedFilename(), readFileSync(await download.path(), 'utf8')];
    };
    const [textName, text] = await saved('Сохранить текст');
    assert.equal(textName, 'gpu-memory.txt');
    assert.match(text, /Qwen3 32B[^]*#v=1&model=Qwen\/Qwen3-32B[^]*План проверки перед покупкой/);
    const [, table] = await saved('Сохранить таблицу');
    assert.ok(table.startsWith('\uFEFF') && table.includes(';'));
    const [name, scenario] = await saved('Сохранить сценарий');
    await visit({}, async (other) => {
      await other.drop(name, scenario);
      assert.deepEqual((await other.state()).scenario, (await person.state()).scenario);
    });
  });
});

test('options are found and sorted by their headings, with the keyboard too', async () => {
  await visit({init: noDrawing}, async (person, {page, settle}) => {
    await page.getByRole('button', {name: 'Find options'}).click();
    await settle();
    const table = page.getByRole('region', {name: 'Options that nothing beats'});
    const heading = table.getByRole('columnheader', {name: 'Power under load, kW'});
    assert.equal(await heading.getAttribute('aria-sort'), 'none');
    await heading.getByRole('button').focus();
    await page.keyboard.press('Enter');
    await settle();
    assert.equal(await heading.getAttribute('aria-sort'), 'ascending');
    assert.equal(await focused(page), 'act-sort.power', 'the focus stays on the heading');
    await page.keyboard.press('Enter');
    await settle();
    assert.equal(await heading.getAttribute('aria-sort'), 'descending');
  });
});

test('what is missing for an offer is asked for and goes into the letter', async () => {
  await visit({init: () => {
    window.opened = [];
    HTMLAnchorElement.prototype.click = function click() { window.opened.push(this.href); };
  }}, async (person, {page}) => {
    await person.openText();
    await page.getByLabel('Name', {exact: true}).fill('Aigul');
    await page.getByLabel('Telephone').fill('+7 700 000 00 00');
    await page.getByLabel('Existing server platform, power and cooling of the rack').fill('42U, 10 kW');
    await page.getByRole('button', {name: 'Send to sales'}).click();
    const [address] = await page.evaluate(() => window.opened);
    assert.ok(address.length <= 1900, `${address.length} characters`);
    const body = new URL(address).searchParams.get('body');
    for (const part of ['Aigul', '+7 700 000 00 00', '42U, 10 kW', '#v=1&model=']) assert.ok(body.includes(part), body);
    assert.ok(!(await person.state()).link.includes('Aigul'));
  });
});

for (const colorScheme of ['light', 'dark']) {
  test(`a report of one or two pages is printed from the ${colorScheme} theme`, async () => {
    await visit({colorScheme, locale: 'ru-RU', hash: 'v=1&model=meta-llama/Llama-3.1-70B-Instruct&users=16&gpu=h100-sxm&n=4'},
      async (person, {page}) => {
        await page.evaluate(() => dispatchEvent(new Event('beforeprint')));  // Chromium's pdf() does not tell
        const paper = await page.pdf({format: 'A4'});
        const pages = paper.toString('latin1').match(/\/Type\s*\/Page\b/g).length;
        assert.ok(pages <= 2, `${pages} pages`);
        await page.emulateMedia({media: 'print', colorScheme});
        assert.equal(await page.locator('#results-form').isVisible(), false);
        assert.equal(await page.locator('#canvas').isVisible(), false);
        assert.deepEqual(await page.evaluate(() => {
          const style = getComputedStyle(document.body);
          return [style.color, style.backgroundColor];
        }), ['rgb(0, 0, 0)', 'rgb(255, 255, 255)']);
        const text = await page.locator('#results').innerText();
        for (const part of [/Сценарий/, /Память по устройствам/, /Время до первого токена/, /Паспортная мощность/, /меньше железа/i, /План проверки/, /#v=1&model=/, /данные на \d\d\.\d\d\.20\d\d/]) {
          assert.match(text, part);
        }
      });
  });
}

test('axe-core finds nothing serious', async () => {
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  for (const [locale, colorScheme, task] of [['ru-RU', 'light', 'serve'], ['kk-KZ', 'dark', 'tune'], ['en-US', 'dark', 'serve']]) {
    await visit({locale, colorScheme, hash: `v=1&task=${task}&n=2&users=0`}, async (person, {page}) => {
      await person.openText();
      await page.evaluate(axe);
      const found = await page.evaluate(() => window.axe.run({exclude: [['#stage']]}));
      const serious = found.violations.filter((one) => ['serious', 'critical'].includes(one.impact));
      assert.deepEqual(serious.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).slice(0, 3).join(' | ')}`), []);
      assert.ok(found.passes.length > 10, 'axe looked at the page');
    });
  }
});
