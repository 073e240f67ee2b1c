// Large files are read by their headers only: a sparse GGUF of 30 GB opens at once.
import assert from 'node:assert/strict';
import {closeSync, ftruncateSync, openSync, writeSync} from 'node:fs';
import {join} from 'node:path';
import {after, before, test} from 'node:test';

import {inTemporaryFolder, launch, open} from './harness.mjs';
import {Person} from './person.mjs';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const layers = 40, hidden = 8192, intermediate = 28672, vocabulary = 32000, heads = 64, keyHeads = 8;

/** The header of a Llama in 16 bits, and how long its file is. */
function gguf() {
  const parts = [];
  const u32 = (value) => { const b = Buffer.alloc(4); b.writeUInt32LE(value); parts.push(b); };
  const u64 = (value) => { const b = Buffer.alloc(8); b.writeBigUInt64LE(BigInt(value)); parts.push(b); };
  const words = (value) => { u64(value.length); parts.push(Buffer.from(value)); };
  const tensors = [['token_embd.weight', hidden, vocabulary], ['output_norm.weight', hidden], ['output.weight', hidden, vocabulary]];
  for (let i = 0; i < layers; i++) {
    const name = (part) => `blk.${i}.${part}.weight`;
    tensors.push([name('attn_norm'), hidden], [name('attn_q'), hidden, hidden], [name('attn_k'), hidden, 1024],
      [name('attn_v'), hidden, 1024], [name('attn_output'), hidden, hidden], [name('ffn_norm'), hidden],
      [name('ffn_gate'), hidden, intermediate], [name('ffn_up'), hidden, intermediate], [name('ffn_down'), intermediate, hidden]);
  }
  const facts = {block_count: layers, embedding_length: hidden, feed_forward_length: intermediate, context_length: 8192,
    'attention.head_count': heads, 'attention.head_count_kv': keyHeads, vocab_size: vocabulary};
  parts.push(Buffer.from('GGUF'));
  u32(3); u64(tensors.length); u64(1 + Object.keys(facts).length);
  words('general.architecture'); u32(8); words('llama');
  for (const [key, value] of Object.entries(facts)) { words(`llama.${key}`); u32(4); u32(value); }
  let offset = 0, parameters = 0;
  for (const [name, ...shape] of tensors) {
    words(name); u32(shape.length);
    for (const side of shape) u64(side);
    u32(1); u64(offset);  // F16
    const values = shape.reduce((a, b) => a * b);
    parameters += values;
    offset += Math.ceil(values * 2 / 32) * 32;
  }
  const header = Buffer.concat(parts);
  return {header, size: Math.ceil(header.length / 32) * 32 + offset, parameters};
}

test('a GGUF of tens of gigabytes is answered from its header', async () => {
  await inTemporaryFolder(async (folder) => {
    const {header, size, parameters} = gguf();
    assert.ok(size > 60e9 / 2, `${size} bytes`);
    const path = join(folder, 'model.gguf');
    const file = openSync(path, 'w');
    writeSync(file, header);
    ftruncateSync(file, size);
    closeSync(file);

    const opened = await open(browser);
    const person = new Person(opened);
    const chooser = opened.page.waitForEvent('filechooser');
    await person.press('open_file');
    await (await chooser).setFiles(path);
    await opened.page.waitForFunction(() => JSON.parse(window.app.state()).scenario.deployments[0].config !== '');
    const state = await person.state();
    assert.equal(state.notices.length, 0, JSON.stringify(state.notices));
    assert.match(state.scenario.deployments[0].config, /"inventory":1/);
    const billions = (parameters / 1e9).toFixed(1);
    assert.ok(state.items.some((item) => item.label?.includes(`${billions} billion`)), `${billions} billion`);
    await opened.close();
  });
});
