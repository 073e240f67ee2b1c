// A visit from the first frame to the letter, read from the page's text version.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {launch, open} from './harness.mjs';
import {Person} from './person.mjs';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

// Llama-3.1-70B's config.json: twenty facts, written down here.
const llama70b = JSON.stringify({
  architectures: ['LlamaForCausalLM'], model_type: 'llama', hidden_size: 8192, intermediate_size: 28672,
  num_hidden_layers: 80, num_attention_heads: 64, num_key_value_heads: 8, vocab_size: 128256, hidden_act: 'silu',
  max_position_embeddings: 131072, rms_norm_eps: 1e-5, rope_theta: 500000.0, attention_bias: false, mlp_bias: false,
  rope_scaling: {factor: 8.0, low_freq_factor: 1.0, high_freq_factor: 4.0, original_max_position_embeddings: 8192,
    rope_type: 'llama3'}, tie_word_embeddings: false, torch_dtype: 'bfloat16', bos_token_id: 128000, use_cache: true,
});

async function visit(options, action) {
  const opened = await open(browser, options);
  await action(new Person(opened), opened);
  await opened.close();
}

test('a dropped config.json of a 70B needs two cards in half precision and one in four bits', async () => {
  await visit({}, async (person) => {
    await person.drop('config.json', llama70b);
    await person.choose('weights', 'BF16 · 16 bits');
    let state = await person.state();
    assert.equal(state.verdict, 'does_not_fit');
    assert.match(await person.results(), /At least [2-9] × H100/);
    assert.match(await person.results(), /131\.4|141\.1/);
    await person.choose('weights', 'AWQ · 4 bits');
    await person.type('users', '1');
    state = await person.state();
    assert.ok(['fits', 'tight'].includes(state.verdict), state.verdict);
    const limit = /Longest context for 1 user: ([\d,]+) tokens/.exec(await person.results());
    assert.ok(limit, await person.results());
    const tokens = Number(limit[1].replaceAll(',', ''));
    assert.ok(tokens > 8192 && tokens <= 131072, `a bounded context: ${tokens}`);
  });
});

test('half precision weights of 70 billion parameters are 141 GB', async () => {
  await visit({hash: 'v=1&model=meta-llama/Llama-3.1-70B-Instruct&weights=bf16&units=gb'}, async (person) => {
    assert.match(await person.results(), /141\.1/);
  });
});

test('a link opens the same answer', async () => {
  let link, verdict;
  await visit({}, async (person) => {
    await person.drop('config.json', llama70b);
    await person.type('ctx', '16 384');
    ({link, verdict} = {link: (await person.state()).link, verdict: (await person.state()).verdict});
  });
  await visit({hash: link.replace(/^[^#]*#/, '')}, async (person) => {
    const state = await person.state();
    assert.equal(state.verdict, verdict);
    assert.equal(state.link, link);
    assert.match(await person.results(), /16,384/);
  });
});

test('a link with what the page does not know says so and opens the rest', async () => {
  await visit({hash: 'v=1&ctx=4096&colour=red&n=many'}, async (person) => {
    const state = await person.state();
    assert.equal(state.scenario.deployments[0].ctx, 4096);
    assert.equal(state.notices.length, 2, JSON.stringify(state.notices));
  });
});

test('language and theme are switched and remembered', async () => {
  await visit({locale: 'kk-KZ'}, async (person) => {
    assert.equal((await person.state()).language, 'kk');
    await person.press('language.0');
    assert.equal((await person.state()).language, 'ru');
    assert.equal(await person.page.evaluate(() => document.documentElement.lang), 'ru');
    assert.match(await person.results(), /Помещается|Впритык/);
    const before = (await person.state()).theme;
    await person.press('theme');
    assert.notEqual((await person.state()).theme, before);
    await person.page.reload();
    await person.page.waitForFunction(() => window.app?.ready);
    assert.equal((await person.state()).language, 'ru');
    assert.notEqual((await person.state()).theme, before);
  });
});

test('the letter goes to sales with the scenario, the answer and the link', async () => {
  for (const locale of ['en-US', 'ru-RU', 'kk-KZ']) {
    await visit({locale, init: () => {
      window.opened = [];
      HTMLAnchorElement.prototype.click = function click() { window.opened.push(this.href); };
    }}, async (person) => {
      await person.press('send');
      const [address] = await person.page.evaluate(() => window.opened);
      assert.ok(address, 'a letter was opened');
      assert.ok(address.length <= 1900, `${address.length} characters`);
      const letter = new URL(address);
      assert.equal(decodeURIComponent(letter.pathname), 'sale@tkasiatorg.ru');
      assert.match(letter.searchParams.get('subject'), /Llama 3\.1 8B/);
      assert.match(letter.searchParams.get('body'), /H100/);
      assert.match(letter.searchParams.get('body'), /#v=1&model=meta-llama/);
    });
  }
});

test('a broken file leaves the state and says why', async () => {
  await visit({}, async (person) => {
    const before = (await person.state()).scenario;
    for (const [name, content] of [['config.json', '<!doctype html><title>404</title>'], ['config.json', '{"a": '],
      ['model.gguf', '%PDF-1.7'], ['config.json', '']]) {
      await person.drop(name, content);
      const state = await person.state();
      assert.deepEqual(state.scenario, before, `${name}: ${content}`);
      assert.ok(state.notices.length > 0, `${name}: ${content}`);
    }
  });
});

test('a model is found in Cyrillic', async () => {
  await visit({locale: 'ru-RU'}, async (person) => {
    await person.press('model');
    await person.page.waitForFunction(() => document.activeElement?.tagName === 'INPUT');
    await person.page.keyboard.insertText('квен 3 32б');
    await person.page.keyboard.press('Enter');
    assert.match((await person.state()).scenario.deployments[0].model, /Qwen3-32B/);
  });
});

test('nothing is drawn while nothing happens', async () => {
  await visit({}, async (person, opened) => {
    await opened.settle();
    const before = await opened.frames();
    await new Promise((done) => setTimeout(done, 3000));
    assert.equal(await opened.frames(), before);
  });
});
