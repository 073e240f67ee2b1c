// Side by side, in one run: this project (the program `bench`, native) and what a web page or a desktop program would use
// instead: npm's @huggingface/gguf and JSON.parse with a loop for headers, node-llama-cpp's estimator for a plan.
//
//   npm install --no-save @huggingface/gguf@0.4.6 node-llama-cpp@3.22.1    (anywhere above this folder; 700 MB)
//   node tests/bench/peers.mjs [--write]
//
// Writes files of the sizes that are asked for and prints medians and ratios; --write: into docs/PERFORMANCE.md. What is
// not installed is left out.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, truncateSync, writeFileSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { writeSection } from './sections.mjs';

const program = 'build/native/bench';
const folder = mkdtempSync(join(tmpdir(), 'vram-bench-'));

/** Writes the header of a GGUF: u32(), u64(), text() append, key() begins a value of a type. */
class Gguf {
  parts = [];
  u32(value) { const b = Buffer.alloc(4); b.writeUInt32LE(value); this.parts.push(b); }
  u64(value) { const b = Buffer.alloc(8); b.writeBigUInt64LE(BigInt(value)); this.parts.push(b); }
  text(value) { const b = Buffer.from(value); this.u64(b.length); this.parts.push(b); }
  key(name, type) { this.text(name); this.u32(type); }
  begin(tensors, keys) { this.parts.push(Buffer.from('GGUF')); this.u32(3); this.u64(tensors); this.u64(keys); }
  tensor(name, shape, type, at) { this.text(name); this.u32(shape.length); shape.forEach((n) => this.u64(n)); this.u32(type); this.u64(at); }
  bytes() { return Buffer.concat(this.parts); }
}

/** 1,100 tensors and a vocabulary of 150,000 words, merges and types. */
function ggufHeader() {
  const file = new Gguf(), words = 150000;
  file.begin(1100, 5);
  file.key('general.architecture', 8); file.text('llama');
  file.key('llama.block_count', 4); file.u32(122);
  file.key('tokenizer.ggml.tokens', 9); file.u32(8); file.u64(words);
  for (let i = 0; i < words; i++) file.text(`token${i}`);
  file.key('tokenizer.ggml.token_type', 9); file.u32(5); file.u64(words);
  file.parts.push(Buffer.alloc(4 * words, 1));
  file.key('tokenizer.ggml.merges', 9); file.u32(8); file.u64(words);
  for (let i = 0; i < words; i++) file.text(`a${i} b${i}`);
  for (let i = 0; i < 1100; i++) file.tensor(`blk.${Math.floor(i / 9)}.part${i % 9}.weight`, [4096, 4096], 12, i * 4096 * 16 * 144);
  return file.bytes();
}

/** Llama 3.1 70B as Q4_K_M: its header, and nothing where its tensors would be. */
function llama70B(path) {
  const layers = 80, wide = 8192, inner = 28672, words = 128256, kv = 1024, [f32, q4_k, q6_k] = [0, 12, 14];
  const of = {[f32]: [1, 4], [q4_k]: [256, 144], [q6_k]: [256, 210]};  // values and bytes of a block
  const tensors = [['token_embd', [wide, words], q4_k], ['output_norm', [wide], f32], ['output', [wide, words], q6_k]];
  for (let i = 0; i < layers; i++) {
    for (const [name, shape, type] of [['attn_norm', [wide], f32], ['attn_q', [wide, wide], q4_k], ['attn_k', [wide, kv], q4_k],
      ['attn_v', [wide, kv], q6_k], ['attn_output', [wide, wide], q4_k], ['ffn_norm', [wide], f32],
      ['ffn_gate', [wide, inner], q4_k], ['ffn_up', [wide, inner], q4_k], ['ffn_down', [inner, wide], q6_k]]) {
      tensors.push([`blk.${i}.${name}`, shape, type]);
    }
  }
  const keys = {block_count: layers, context_length: 131072, embedding_length: wide, feed_forward_length: inner,
    'attention.head_count': 64, 'attention.head_count_kv': 8, vocab_size: words, 'rope.dimension_count': 128};
  const file = new Gguf();
  file.begin(tensors.length, Object.keys(keys).length + 1);
  file.key('general.architecture', 8); file.text('llama');
  for (const [name, value] of Object.entries(keys)) { file.key(`llama.${name}`, 4); file.u32(value); }
  let at = 0;
  for (const [name, shape, type] of tensors) {
    file.tensor(`${name}.weight`, shape, type, at);
    at += Math.ceil(shape.reduce((a, b) => a * b) / of[type][0] * of[type][1] / 32) * 32;
  }
  const head = file.bytes();
  writeFileSync(path, head);
  truncateSync(path, Math.ceil(head.length / 32) * 32 + at);
}

/** Milliseconds in which node-llama-cpp says what a 70B on the GPU takes with 8 sequences of 8,192 tokens; and the bytes. */
async function estimated(path) {
  const {getLlama, readGgufFileInfo, GgufInsights} = await import('node-llama-cpp');
  const llama = await getLlama({gpu: false, build: 'never', logLevel: 'disabled'});
  const insights = await GgufInsights.from(await readGgufFileInfo(path), llama);
  let bytes = 0;
  const time = await median(async () => {
    const model = insights.estimateModelResourceRequirements({gpuLayers: 81});
    const context = insights.estimateContextResourceRequirements({contextSize: 8192, modelGpuLayers: 81, sequences: 8});
    bytes = model.gpuVram + context.gpuVram;
  });
  await llama.dispose();
  return {time, bytes};
}

/** 90,000 tensors of experts in fp8. */
function safetensorsHeader() {
  const header = { __metadata__: { format: 'pt' } };
  let at = 0;
  for (let i = 0; i < 90000; i++) {
    const part = ['gate_proj', 'up_proj', 'down_proj'][i % 3];
    const bytes = 2048 * 7168;
    header[`model.layers.${Math.floor(i / 1500)}.mlp.experts.${Math.floor(i / 3) % 500}.${part}.weight`] = { dtype: 'F8_E4M3', shape: [2048, 7168], data_offsets: [at, at + bytes] };
    at += bytes;
  }
  const json = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(json.length));
  return { bytes: Buffer.concat([length, json]), size: 8 + json.length + at };
}

async function median(run, times = 15) {
  const took = [];
  for (let i = 0; i < times; i++) {
    const start = performance.now();
    await run();
    took.push(performance.now() - start);
  }
  return took.sort((a, b) => a - b)[times >> 1];
}

function sumOfHeader(bytes) {
  const length = Number(bytes.readBigUInt64LE(0));
  const header = JSON.parse(bytes.subarray(8, 8 + length).toString('utf8'));
  let elements = 0, stored = 0;
  for (const [name, tensor] of Object.entries(header)) {
    if (name === '__metadata__') continue;
    elements += tensor.shape.reduce((a, b) => a * b, 1);
    stored += tensor.data_offsets[1] - tensor.data_offsets[0];
  }
  return elements + stored;
}

try {
  const ggufPath = join(folder, 'm.gguf'), safetensorsPath = join(folder, 'm.safetensors');
  writeFileSync(ggufPath, ggufHeader());
  const safetensors = safetensorsHeader();
  writeFileSync(safetensorsPath, safetensors.bytes);

  const missing = (problem) => console.error(`left out: ${problem.code ?? problem.message}; see the head of this file`);
  let ggufPeer = null, estimate = null;
  try {
    const { gguf } = await import('@huggingface/gguf');
    ggufPeer = await median(() => gguf(ggufPath, { allowLocalFile: true }), 5);
  } catch (problem) { missing(problem); }
  try {
    const model = join(folder, 'llama-70b-q4_k_m.gguf');
    llama70B(model);
    estimate = await estimated(model);
  } catch (problem) { missing(problem); }
  const json = readFileSync(safetensorsPath);
  const jsonPeer = await median(() => sumOfHeader(json));

  const output = execFileSync(program, ['--benchmark_filter=gguf_header|safetensors_header|plan/llama_cpp_70b', '--benchmark_format=json', '--benchmark_repetitions=5', '--benchmark_report_aggregates_only=true'], {
    env: { ...process.env, VRAM_BENCH_GGUF: ggufPath, VRAM_BENCH_SAFETENSORS: safetensorsPath, VRAM_BENCH_SAFETENSORS_SIZE: String(safetensors.size) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ours = (name) => {
    const one = JSON.parse(output).benchmarks.find((b) => b.name === `${name}_median`);
    return one.real_time * {ns: 1e-6, us: 1e-3, ms: 1}[one.time_unit];
  };
  const row = (what, mine, peer, name) => (peer === null ? [] :
    [`| ${what} | ${mine.toFixed(2)} | ${name}, ${peer.toFixed(2)} | ${(peer / mine).toFixed(0)} |`]);
  const section = `## Beside the peers

Milliseconds in one run, natively; ratio = how many times faster.

| question | here | there | ratio |
| --- | ---: | ---: | ---: |
${[...row('header of a GGUF, 1,100 tensors, 150,000 words', ours('gguf_header'), ggufPeer, '@huggingface/gguf'),
    ...row('header of a safetensors, 90,000 tensors', ours('safetensors_header'), jsonPeer, '`JSON.parse` and a loop'),
    ...row('llama.cpp: what a 70B takes', ours('plan/llama_cpp_70b'), estimate && estimate.time, 'node-llama-cpp')].join('\n')}

Generated by \`node tests/bench/peers.mjs --write\`.
`;
  console.log(section);
  if (process.argv.includes('--write')) writeSection(section);
} finally {
  rmSync(folder, { recursive: true });
}
process.exit(0);  // node-llama-cpp leaves something running
