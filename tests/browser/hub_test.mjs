// Models by name, from a hub on this machine that behaves as the real one does: parts of files, a redirect to a second
// host, refusals with their codes, and connections that are slow or break.
import assert from 'node:assert/strict';
import {createServer} from 'node:http';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, before, test} from 'node:test';

import {inTemporaryFolder, launch, open, pagePath} from './harness.mjs';
import {Person} from './person.mjs';

const commit = '0123456789abcdef0123456789abcdef01234567';
const config = {architectures: ['LlamaForCausalLM'], model_type: 'llama', hidden_size: 512, intermediate_size: 1024,
  num_hidden_layers: 3, num_attention_heads: 8, num_key_value_heads: 2, vocab_size: 32000,
  max_position_embeddings: 4096, tie_word_embeddings: false, torch_dtype: 'bfloat16'};

/** Names and shapes of that model's tensors. */
function tensors() {
  const {hidden_size: h, intermediate_size: f, vocab_size: v} = config;
  const list = [['model.embed_tokens.weight', v, h]];
  for (let i = 0; i < config.num_hidden_layers; i++) {
    const name = (part) => `model.layers.${i}.${part}.weight`;
    list.push([name('self_attn.q_proj'), h, h], [name('self_attn.k_proj'), h / 4, h],
      [name('self_attn.v_proj'), h / 4, h], [name('self_attn.o_proj'), h, h], [name('mlp.gate_proj'), f, h], [name('mlp.up_proj'), f, h],
      [name('mlp.down_proj'), h, f], [name('input_layernorm'), h], [name('post_attention_layernorm'), h]);
  }
  return [...list, ['model.norm.weight', h], ['lm_head.weight', v, h]];
}

/** A safetensors file: its header, and how long it would be with its weights. */
function safetensors(list) {
  let at = 0;
  const header = {};
  for (const [name, ...shape] of list) {
    const bytes = shape.reduce((a, b) => a * b) * 2;
    header[name] = {dtype: 'BF16', shape, data_offsets: [at, at + bytes]};
    at += bytes;
  }
  const text = Buffer.from(JSON.stringify(header)), length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  return {head: Buffer.concat([length, text]), size: 8 + text.length + at};
}

const text = (value) => {
  const head = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
  return {head, size: head.length};
};

/** A model in two shards with its index. */
function llama() {
  const list = tensors(), map = {}, shards = {'a.safetensors': list.slice(0, 10), 'b.safetensors': list.slice(10)};
  for (const [file, part] of Object.entries(shards)) part.forEach(([name]) => { map[name] = file; });
  return {'config.json': text(config), 'model.safetensors.index.json': text({weight_map: map}),
    ...Object.fromEntries(Object.entries(shards).map(([file, part]) => [file, safetensors(part)]))};
}

const models = {
  'good/llama': llama(),
  'bad/markup': {'config.json': text(config), 'model.safetensors.index.json':
    text({weight_map: {x: '<img src=x onerror="document.title=1">.safetensors'}})},
  'bad/page': {'config.json': text('<!doctype html><title>Sign in</title>')},
  'bad/whole': llama(), 'bad/cut': llama(), 'bad/slow': llama(), 'bad/astray': llama(),
};
const isWeights = (file) => file.endsWith('.safetensors');

/** A server on a port of its own that notes what it was asked for. */
async function serve(answer) {
  const server = createServer((request, response) => {
    server.seen.push({url: request.url, headers: request.headers, method: request.method});
    response.setHeader('Access-Control-Allow-Origin', '*');
    response.setHeader('Access-Control-Allow-Headers', '*');
    response.setHeader('Access-Control-Expose-Headers', 'X-Repo-Commit, X-Error-Code, Content-Range');
    if (request.method === 'OPTIONS') return response.end();
    return answer(request, response);
  });
  server.seen = [];
  server.sent = 0;
  await new Promise((resolve) => server.listen(0, resolve));
  server.host = `localhost:${server.address().port}`;
  return server;
}

/** Sends the part of a file that was asked for. */
function send(server, request, response, file, {ranges = true, cut = false} = {}) {
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range) ?? [];
  const begin = ranges ? Number(from) : 0, end = ranges ? Math.min(Number(to) + 1, file.size) : file.size;
  if (ranges) response.setHeader('Content-Range', `bytes ${begin}-${end - 1}/${file.size}`);
  response.setHeader('Content-Length', end - begin);
  response.writeHead(ranges ? 206 : 200);
  const part = Buffer.alloc(end - begin);
  file.head.copy(part, 0, begin);
  const bytes = cut ? part.subarray(0, 100) : part;
  server.sent += bytes.length;
  response.write(bytes, () => (cut ? response.destroy() : response.end()));
}

let browser, hub, storage, elsewhere;
before(async () => {
  const find = (request) => {
    const [, name, , file] = /^\/([^/]+\/[^/]+)\/resolve\/([^/]+)\/(.+)$/.exec(request.url) ?? [];
    return {name, file, found: models[name]?.[file]};
  };
  const refuse = (response, status, code) => {
    response.setHeader('X-Error-Code', code);
    response.writeHead(status).end('no');
  };
  hub = await serve((request, response) => {
    const {name, file, found} = find(request);
    if (name === 'bad/gated') return refuse(response, 401, 'GatedRepo');
    if (!models[name]) return refuse(response, 401, 'RepoNotFound');
    if (!found) return refuse(response, 404, 'EntryNotFound');
    if (name === 'bad/slow' && isWeights(file)) return null;
    response.setHeader('X-Repo-Commit', commit);
    if (!isWeights(file)) return send(hub, request, response, found);
    const host = name === 'bad/astray' ? elsewhere.host : storage.host;
    return response.writeHead(302, {Location: `http://${host}${request.url}`}).end();
  });
  storage = await serve((request, response) => {
    const {name, found} = find(request);
    send(storage, request, response, found, {ranges: name !== 'bad/whole', cut: name === 'bad/cut'});
  });
  elsewhere = await serve((request, response) => response.end());
  browser = await launch();
});
after(async () => {
  await browser.close();
  for (const server of [hub, storage, elsewhere]) {
    server.closeAllConnections();
    server.close();
  }
});

const servers = () => [hub, storage, elsewhere];
const asked = () => servers().flatMap((server) => server.seen.map(({url}) => url));

/** A visit to a page whose site names the hub; at its end nobody else was asked for anything. */
async function visit(action, options = {}) {
  for (const server of servers()) Object.assign(server, {seen: [], sent: 0});
  await inTemporaryFolder(async (folder) => {
    const path = join(folder, 'site.html');
    const settings = JSON.stringify({email: 'gpu@example.kz', hub_hosts: [hub.host, storage.host]});
    writeFileSync(path, readFileSync(pagePath, 'utf8')
      .replace(/(<script type="application\/json" id="site">)[^<]*/, (all, tag) => tag + settings));
    const opened = await open(browser, {path, allowErrors: true, ...options});
    await opened.page.evaluate(() => {
      window.violations = [];
      document.addEventListener('securitypolicyviolation', (event) => window.violations.push(event.effectiveDirective));
    });
    await action(new Person(opened), opened);
    await opened.context.close();
  });
  assert.deepEqual(elsewhere.seen, [], 'no host is asked that the site does not name');
}

/** What the form says under the field, once it says something. */
async function saidAfter(person, name) {
  await person.page.locator('[data-key="hub.name"]').fill(name);
  await person.page.locator('#act-hub_open').click();
  await person.opened.settle();  // it has begun, and the text version says so
  await person.page.waitForFunction(() => document.getElementById('act-hub_open'));
  await person.opened.settle();
  return person.page.locator('[data-key="hub.name"] ~ .error').textContent();
}

test('without a hub in the site\'s settings there is no field, and no request is possible', async () => {
  const opened = await open(browser, {allowErrors: true});
  const {items} = await opened.state();
  assert.deepEqual(items.filter((item) => item.id?.startsWith('hub')), []);
  assert.equal(await opened.page.locator('#act-hub_open, [data-key="hub.name"]').count(), 0);
  const seen = hub.seen.length;
  const blocked = await opened.page.evaluate((address) => new Promise((resolve) => {
    document.addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective));
    fetch(address).catch(() => {});
  }), `http://${hub.host}/good/llama/resolve/main/config.json`);
  assert.equal(blocked, 'connect-src');
  assert.equal(hub.seen.length, seen);
  await opened.context.close();
});

test('a press opens the model, and its name is all that leaves the page', async () => {
  await visit(async (person, opened) => {
    await person.type('hub.name', 'good/llama');
    assert.deepEqual(asked(), [], 'nothing is asked for before the press');
    await person.press('hub_open');
    await person.page.waitForFunction(() => JSON.parse(window.app.state()).model.startsWith('good/llama'));
    const state = await person.state();
    assert.equal(state.model, 'good/llama@0123456');
    assert.deepEqual(state.notices, []);
    assert.match(state.scenario.deployments[0].config, /"inventory":1/, 'read from the weights\' headers');
    assert.match(await person.results(), new RegExp(`good/llama, commit ${commit}`));

    assert.deepEqual(asked().filter((url) => !/^\/good\/llama\/resolve\/[0-9a-z]+\/[a-z.]+$/.test(url)), []);
    assert.ok(storage.seen.length >= 2 && storage.sent < 300_000, `${storage.sent} bytes of weights`);
    for (const {headers} of [...hub.seen, ...storage.seen]) {
      assert.equal(headers.referer, undefined);
      assert.equal(headers.cookie, undefined);
    }
    const hosts = new Set(opened.requests.filter((url) => url.startsWith('http')).map((url) => new URL(url).host));
    assert.deepEqual([...hosts].sort(), [hub.host, storage.host].sort());
    assert.deepEqual(await person.page.evaluate(() => window.violations), []);
  });
});

test('what goes wrong is said, and the scenario stays', async () => {
  await visit(async (person) => {
    await person.openText();
    const before = (await person.state()).scenario;
    for (const [name, words] of [
      ['bad/gated', /login.*config\.json/],
      ['nobody/nothing', /no public model “nobody\/nothing”/],
      ['bad/page', /a web page/],
      ['bad/whole', /only whole.*config\.json/],
      ['bad/cut', /connection broke.*config\.json/],
      ['bad/astray', /cannot be reached/],
      ['bad/markup', /<img src=x/],
      ['https://example.org/good/llama', /example\.org/],
      ['good/../llama', /not a model's name/],
    ]) assert.match(await saidAfter(person, name), words, name);
    assert.deepEqual((await person.state()).scenario, before);
    const stopped = new Set(await person.page.evaluate(() => window.violations));
    assert.deepEqual([...stopped], ['connect-src'], 'the policy stopped what led elsewhere');
    assert.equal(await person.page.locator('img').count(), 0, 'a file\'s name is text');
    await person.page.context().setOffline(true);
    assert.match(await saidAfter(person, 'good/llama'), /cannot be reached/);
  });
});

test('what takes long can be stopped and ends by itself', async () => {
  await visit(async (person) => {
    await person.page.clock.install();
    const waits = () => person.page.waitForFunction(() => /Files read: 2 of 4/.test(document.body.textContent));
    await person.type('hub.name', 'bad/slow');
    await person.press('hub_open');
    await waits();
    await person.press('hub_stop');
    assert.ok(await person.item('hub_open'));
    await person.openText();
    await person.page.locator('#act-hub_open').click();
    await waits();
    await person.page.clock.fastForward(31_000);
    await person.page.waitForFunction(() => /did not answer in time/.test(document.body.textContent));
    assert.equal((await person.state()).scenario.deployments[0].config ?? '', '');
  });
});
