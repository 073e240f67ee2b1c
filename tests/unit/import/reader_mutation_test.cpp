// A short fuzz run that every build does: good files, damaged at random but always the same way. Each must end in an
// answer or a message, within the file and without asking for a byte twice. The long run is tests/fuzz/run.sh.
#include <gtest/gtest.h>

#include <string>

#include "core/import/open.h"
#include "tests/unit/import/checkpoint_files.h"

namespace vram {
namespace {

using namespace testing_files;

/// xorshift64*: the same numbers on every machine.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : state_(seed * 2 + 1) {}
  std::uint64_t below(std::uint64_t limit) {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return (state_ * 2685821657736338717u >> 16) % limit;
  }

 private:
  std::uint64_t state_;
};

void damage(Bytes8& bytes, Chance& chance) {
  for (std::uint64_t i = 0, changes = 1 + chance.below(4); i < changes && !bytes.empty(); ++i) {
    const auto at = static_cast<std::size_t>(chance.below(bytes.size()));
    switch (chance.below(6)) {
      case 0:
        bytes[at] ^= static_cast<std::byte>(1 << chance.below(8));
        break;
      case 1:
        bytes[at] = static_cast<std::byte>(chance.below(256));
        break;
      case 2:
        bytes.resize(at);
        break;
      case 3:
        bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at), static_cast<std::byte>(chance.below(256)));
        break;
      case 4:
        for (std::size_t k = at; k < std::min(at + 8, bytes.size()); ++k) bytes[k] = static_cast<std::byte>(0xFF);
        break;
      default:
        bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(at));
        break;
    }
  }
}

/// Opens one file of these bytes; true when it gave a model.
bool opens(const std::string& name, const Sparse& file) {
  Opening opening({{name, file.size}});
  std::uint64_t end = 0;
  bool sniffed = false;
  while (const auto request = opening.wants()) {
    EXPECT_LE(request->range.end, file.size);
    if (sniffed && request->range.begin != 0) {
      EXPECT_GE(request->range.begin, end);
      end = request->range.end;
    }
    sniffed = true;
    opening.give(file.read(request->range));
  }
  const auto opened = opening.take();
  if (opened) return true;
  EXPECT_FALSE(opened.error().key.empty());
  return false;
}

GgufWriter small_gguf() {
  GgufWriter w;
  w.text("general.architecture", "qwen35").integer("qwen35.block_count", 2).integer("qwen35.attention.head_count", 4);
  w.integer("qwen35.embedding_length", 64)
      .numbers("qwen35.attention.head_count_kv", {0, 2})
      .integer("qwen35.ssm.state_size", 16);
  w.integer("qwen35.ssm.inner_size", 64).texts("tokenizer.ggml.tokens", {"a", "bc", "def"}).real("x", 1.5F);
  w.tensor("token_embd.weight", 8, {64, 32}, 64 * 34).tensor("blk.0.attn_qkv.weight", 1, {64, 96}, 64 * 96 * 2);
  w.tensor("blk.0.ssm_a", 0, {4}, 16).tensor("blk.1.ffn_up_exps.weight", 39, {64, 8, 4}, 2 * 17 * 32);
  return w;
}

std::vector<SafeTensor> small_safetensors() {
  return {{"model.embed_tokens.weight", "BF16", {32, 16}},
          {"model.layers.0.self_attn.k_proj.weight", "F8_E4M3", {16, 16}},
          {"model.layers.0.self_attn.k_proj.weight_scale_inv", "F32", {1, 1}},
          {"model.layers.0.mlp.experts.0.up_proj.qweight", "I32", {16, 2}},
          {"model.layers.0.mlp.experts.0.up_proj.scales", "F16", {1, 16}},
          {"model.layers.1.mlp.experts.gate_up_proj_blocks", "U8", {2, 4, 1, 16}},
          {"model.layers.1.mlp.experts.gate_up_proj_scales", "U8", {2, 4, 1}}};
}

struct Subject {
  std::string name;
  Sparse file;
};

TEST(ReaderMutations, EndInAnAnswerOrAMessage) {
  GgufWriter gguf = small_gguf();
  const Subject subjects[] = {
      {"m.gguf", gguf.finish()},
      {"m.safetensors", safetensors(small_safetensors())},
      {"config.json",
       [] {
         Writer w;
         w.raw(llama_31_8b_config());
         return Sparse(w.take());
       }()},
  };
  for (const Subject& subject : subjects) {
    ASSERT_TRUE(opens(subject.name, subject.file)) << subject.name;
    int opened = 0;
    for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
      Chance chance(seed);
      Bytes8 bytes = subject.file.head;
      const std::uint64_t rest = subject.file.size - bytes.size();
      damage(bytes, chance);
      const std::uint64_t size = bytes.size() + rest;
      opened += opens(subject.name, Sparse(std::move(bytes), size)) ? 1 : 0;
    }
    EXPECT_LT(opened, 1500) << subject.name;
  }
}

}  // namespace
}  // namespace vram
