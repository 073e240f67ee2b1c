// Side by side, in one run: this project's header readers (the program `bench`, native) and what a web page would use
// instead, npm's @huggingface/gguf and JSON.parse with a loop.
//
//   npm install --no-save @huggingface/gguf@0.4.6        (once, in this folder's parent or anywhere above it)
//   node tests/bench/import_peers.mjs build/native/bench
//
// Writes two files of the sizes that issue 3 asks for and prints the medians and their ratio.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const program = process.argv[2] ?? 'build/native/bench';
const folder = mkdtempSync(join(tmpdir(), 'vram-bench-'));

/** 1,100 tensors and a vocabulary of 150,000 words, merges and types. */
function ggufHeader() {
  const parts = [];
  const u32 = (value) => { const b = Buffer.alloc(4); b.writeUInt32LE(value); parts.push(b); };
  const u64 = (value) => { const b = Buffer.alloc(8); b.writeBigUInt64LE(BigInt(value)); parts.push(b); };
  const text = (value) => { const b = Buffer.from(value); u64(b.length); parts.push(b); };
  const key = (name, type) => { text(name); u32(type); };
  const words = 150000;
  parts.push(Buffer.from('GGUF'));
  u32(3); u64(1100); u64(5);
  key('general.architecture', 8); text('llama');
  key('llama.block_count', 4); u32(122);
  key('tokenizer.ggml.tokens', 9); u32(8); u64(words);
  for (let i = 0; i < words; i++) text(`token${i}`);
  key('tokenizer.ggml.token_type', 9); u32(5); u64(words);
  parts.push(Buffer.alloc(4 * words, 1));
  key('tokenizer.ggml.merges', 9); u32(8); u64(words);
  for (let i = 0; i < words; i++) text(`a${i} b${i}`);
  for (let i = 0; i < 1100; i++) {
    text(`blk.${Math.floor(i / 9)}.part${i % 9}.weight`);
    u32(2); u64(4096); u64(4096); u32(12); u64(i * 4096 * 16 * 144);
  }
  return Buffer.concat(parts);
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

  let ggufPeer = NaN;
  try {
    const { gguf } = await import('@huggingface/gguf');
    ggufPeer = await median(() => gguf(ggufPath, { allowLocalFile: true }), 5);
  } catch (problem) {
    console.error(`@huggingface/gguf is not there (${problem.code ?? problem.message}); see the head of this file`);
  }
  const json = readFileSync(safetensorsPath);
  const jsonPeer = await median(() => sumOfHeader(json));

  const output = execFileSync(program, ['--benchmark_filter=gguf_header|safetensors_header', '--benchmark_format=json', '--benchmark_repetitions=5', '--benchmark_report_aggregates_only=true'], {
    env: { ...process.env, VRAM_BENCH_GGUF: ggufPath, VRAM_BENCH_SAFETENSORS: safetensorsPath, VRAM_BENCH_SAFETENSORS_SIZE: String(safetensors.size) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ours = (name) => JSON.parse(output).benchmarks.find((b) => b.name === `${name}_median`)?.real_time ?? NaN;
  const row = (what, mine, peer, name) => console.log(`${what.padEnd(44)} ${mine.toFixed(2).padStart(9)} ms ${peer.toFixed(2).padStart(9)} ms ${(peer / mine).toFixed(1).padStart(7)} × faster than ${name}`);
  row('GGUF, 1,100 tensors, 150,000 words', ours('gguf_header'), ggufPeer, '@huggingface/gguf');
  row('safetensors, 90,000 tensors', ours('safetensors_header'), jsonPeer, 'JSON.parse and a loop');
} finally {
  rmSync(folder, { recursive: true });
}
