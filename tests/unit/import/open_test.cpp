#include "core/import/open.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "assets/assets.h"
#include "tests/unit/import/checkpoint_files.h"

namespace vram {
namespace {

using namespace testing_files;

struct Folder {
  std::vector<std::pair<std::string, Sparse>> files;
  Folder& add(std::string name, Sparse file) {
    files.emplace_back(std::move(name), std::move(file));
    return *this;
  }
  Folder& text(std::string name, std::string_view content) {
    Writer w;
    w.raw(content);
    return add(std::move(name), Sparse(w.take()));
  }
};

Result<Opened> open(const Folder& folder, std::uint64_t* read = nullptr) {
  std::vector<FileInfo> infos;
  for (const auto& [name, file] : folder.files) infos.push_back({name, file.size});
  Opening opening(std::move(infos));
  std::uint64_t bytes = 0;
  while (const auto request = opening.wants()) {
    EXPECT_LT(request->file, folder.files.size());
    EXPECT_GT(request->range.size(), 0U);
    EXPECT_LE(request->range.size(), kReadStep);
    EXPECT_LE(request->range.end, folder.files[request->file].second.size);
    bytes += request->range.size();
    opening.give(folder.files[request->file].second.read(request->range));
  }
  EXPECT_EQ(opening.progress().done, bytes);
  if (read != nullptr) *read = bytes;
  return opening.take();
}

std::string error_of(const Folder& folder) {
  const auto opened = open(folder);
  return opened ? "no error" : opened.error().key;
}

Parameter parameter(const Message& message, std::string_view name) {
  for (const auto& [key, value] : message.parameters) {
    if (key == name) return value;
  }
  return std::string("?");
}

const Message* note(const Opened& opened, std::string_view key) {
  for (const Message& message : opened.model.notes) {
    if (message.key == key) return &message;
  }
  return nullptr;
}

FileUse use_of(const Opened& opened, std::string_view name) {
  for (const UsedFile& used : opened.files) {
    if (used.file.name == name) return used.use;
  }
  return FileUse::ignored;
}

Sparse shard(const Checkpoint& whole, std::size_t from, std::size_t to) {
  return safetensors(std::vector<SafeTensor>(whole.tensors.begin() + static_cast<std::ptrdiff_t>(from),
                                             whole.tensors.begin() + static_cast<std::ptrdiff_t>(to)));
}

std::string index_of(const Checkpoint& whole, std::size_t cut, std::string_view first, std::string_view second) {
  std::string json = R"({"metadata":{"total_size":16060522496},"weight_map":{)";
  for (std::size_t i = 0; i < whole.tensors.size(); ++i) {
    json += (i == 0 ? "\"" : ",\"") + whole.tensors[i].name + "\":\"" + std::string(i < cut ? first : second) + "\"";
  }
  return json + "}}";
}

constexpr const char* kFirst = "model-00001-of-00002.safetensors";
constexpr const char* kSecond = "model-00002-of-00002.safetensors";

Folder llama_folder() {
  const Checkpoint whole = llama_31_8b();
  Folder folder;
  folder.text("config.json", llama_31_8b_config());
  folder.add(kFirst, shard(whole, 0, 100)).add(kSecond, shard(whole, 100, whole.tensors.size()));
  folder.text("model.safetensors.index.json", index_of(whole, 100, kFirst, kSecond));
  folder.text("tokenizer.json", R"({"version":"1.0","truncation":null,"added_tokens":[]})")
      .text("README.md", "# Llama");
  return folder;
}

TEST(Open, PutsAFolderTogether) {
  std::uint64_t read = 0;
  const auto opened = open(llama_folder(), &read);
  ASSERT_TRUE(opened) << opened.error().key;
  const Opened& o = opened.value();
  EXPECT_EQ(count_parameters(o.model).total, Count(8'030'261'248));
  EXPECT_EQ(weight_bytes(o.model), Bytes(16'060'522'496));
  EXPECT_EQ(o.stored, Bytes(16'060'522'496));
  EXPECT_EQ(o.model.origin, Origin::checkpoint);
  EXPECT_EQ(o.model.dims.head_dim, 128U);
  ASSERT_EQ(o.model.caches.size(), 1U) << "from config.json, not deduced";
  EXPECT_EQ(note(o, "checkpoint.caches_deduced"), nullptr);
  EXPECT_EQ(note(o, "open.differs_from_config"), nullptr);
  EXPECT_EQ(use_of(o, kFirst), FileUse::weights);
  EXPECT_EQ(use_of(o, "config.json"), FileUse::description);
  EXPECT_EQ(use_of(o, "model.safetensors.index.json"), FileUse::description);
  EXPECT_EQ(use_of(o, "tokenizer.json"), FileUse::ignored);
  EXPECT_EQ(o.config, llama_31_8b_config());
  EXPECT_LT(read, 200'000U) << "headers only, of 16 GB";
}

/// Parameters of the text model by role. A gate inside the queries' projection counts as queries.
std::map<std::string, std::uint64_t> by_role(const Model& model) {
  std::map<std::string, std::uint64_t> sums;
  for (const Tensor& tensor : model.tensors) {
    if (!tensor.stored || tensor.part != Part::text) continue;
    sums[std::string(role_key(tensor.role))] +=
        (tensor.parameters() * Count(model.layers_of(tensor.layer_set))).value();
  }
  return sums;
}

struct Described {
  const char* what;
  Checkpoint stored;
  const char* config;
};

// Two ways to one inventory: from the names and shapes of what is stored, and from config.json by the family's rules.
TEST(Open, SeesInTheTensorsWhatConfigJsonDescribes) {
  const Described cases[] = {
      {"Llama 3.1 8B", llama_31_8b(), llama_31_8b_config()},
      {"Qwen3-30B-A3B", qwen3_30b_a3b(),
       R"({"model_type":"qwen3_moe","hidden_size":2048,"intermediate_size":6144,"num_hidden_layers":48,
          "num_attention_heads":32,"num_key_value_heads":4,"head_dim":128,"vocab_size":151936,"num_experts":128,
          "num_experts_per_tok":8,"moe_intermediate_size":768,"decoder_sparse_step":1,"mlp_only_layers":[],
          "tie_word_embeddings":false,"torch_dtype":"bfloat16"})"},
      {"gpt-oss-20b", gpt_oss_20b(),
       R"({"model_type":"gpt_oss","hidden_size":2880,"intermediate_size":2880,"num_hidden_layers":24,
          "num_attention_heads":64,"num_key_value_heads":8,"head_dim":64,"vocab_size":201088,"num_local_experts":32,
          "num_experts_per_tok":4,"sliding_window":128,"attention_bias":true,"tie_word_embeddings":false,
          "quantization_config":{"quant_method":"mxfp4","modules_to_not_convert":["model.layers.*.self_attn",
          "model.layers.*.mlp.router","model.embed_tokens","lm_head"]}})"},
      {"DeepSeek-V3", deepseek_v3(61, 3),
       R"({"model_type":"deepseek_v3","hidden_size":7168,"intermediate_size":18432,"num_hidden_layers":61,
          "num_attention_heads":128,"num_key_value_heads":128,"vocab_size":129280,"n_routed_experts":256,
          "n_shared_experts":1,"num_experts_per_tok":8,"moe_intermediate_size":2048,"first_k_dense_replace":3,
          "moe_layer_freq":1,"q_lora_rank":1536,"kv_lora_rank":512,"qk_rope_head_dim":64,"qk_nope_head_dim":128,
          "v_head_dim":128,"topk_method":"noaux_tc","num_nextn_predict_layers":1,"tie_word_embeddings":false,
          "torch_dtype":"bfloat16"})"},
  };
  for (const Described& c : cases) {
    const auto from_config = open(Folder().text("config.json", c.config));
    const auto from_both =
        open(Folder().text("config.json", c.config).add("model.safetensors", safetensors(c.stored.tensors)));
    ASSERT_TRUE(from_config && from_both) << c.what;
    EXPECT_EQ(by_role(from_both.value().model), by_role(from_config.value().model)) << c.what;
    EXPECT_EQ(from_both.value().model.caches.size(), from_config.value().model.caches.size()) << c.what;
    EXPECT_EQ(note(from_both.value(), "open.differs_from_config"), nullptr) << c.what;
  }
}

TEST(Open, TellsFilesByWhatIsInThem) {
  Folder folder = llama_folder();
  for (std::size_t i = 0; i < folder.files.size(); ++i) {
    if (folder.files[i].first != kFirst && folder.files[i].first != kSecond)
      folder.files[i].first = "file" + std::to_string(i);
  }
  ASSERT_TRUE(open(folder));
}

TEST(Open, ReadsOneFileWithoutConfig) {
  const auto opened = open(Folder().add("model.safetensors", safetensors(llama_31_8b().tensors)));
  ASSERT_TRUE(opened) << opened.error().key;
  EXPECT_EQ(opened.value().model.name, "model");
  EXPECT_NE(note(opened.value(), "checkpoint.caches_deduced"), nullptr);
}

TEST(Open, ReadsAConfigAlone) {
  const auto opened = open(Folder().text("config.json", llama_31_8b_config()));
  ASSERT_TRUE(opened) << opened.error().key;
  EXPECT_EQ(opened.value().model.origin, Origin::config);
  EXPECT_EQ(opened.value().stored, Bytes(0));
}

TEST(Open, ComparesAConfigWithItsIndex) {
  const auto opened = open(Folder()
                               .text("config.json", llama_31_8b_config())
                               .text("model.safetensors.index.json", index_of(llama_31_8b(), 100, kFirst, kSecond)));
  ASSERT_TRUE(opened) << opened.error().key;
  const Message* says = note(opened.value(), "open.index_says");
  ASSERT_NE(says, nullptr);
  EXPECT_EQ(parameter(*says, "bytes"), Parameter(Bytes(16'060'522'496)));
  EXPECT_EQ(parameter(*says, "computed"), Parameter(Bytes(16'060'522'496)));
}

TEST(Open, NamesShardsThatAreMissing) {
  Folder folder = llama_folder();
  folder.files.erase(folder.files.begin() + 1);
  const auto by_index = open(folder);
  ASSERT_FALSE(by_index);
  EXPECT_EQ(by_index.error(), Message("open.missing_parts")
                                  .with("missing", kFirst)
                                  .with("present", std::int64_t{1})
                                  .with("count", std::int64_t{2}));

  const auto by_number = open(Folder().add("m-00002-of-00007.safetensors", shard(llama_31_8b(), 0, 9)));
  ASSERT_FALSE(by_number);
  EXPECT_EQ(parameter(by_number.error(), "missing"),
            Parameter(std::string("m-00001-of-00007, m-00003-of-00007, m-00004-of-00007 …")));
}

TEST(Open, DoesNotCountASecondCopyAsWeights) {
  Folder folder = llama_folder();
  folder.add("consolidated.safetensors", safetensors(llama_31_8b().tensors));
  for (const bool with_index : {true, false}) {
    if (!with_index) folder.files.erase(folder.files.begin() + 3);
    const auto opened = open(folder);
    ASSERT_TRUE(opened) << opened.error().key;
    EXPECT_EQ(opened.value().stored, Bytes(16'060'522'496)) << with_index;
    EXPECT_EQ(use_of(opened.value(), "consolidated.safetensors"), FileUse::second_copy) << with_index;
    const Message* left_out = note(opened.value(), "open.left_out");
    ASSERT_NE(left_out, nullptr);
    EXPECT_EQ(parameter(*left_out, "use"), Parameter(MessageKey{"file_use.second_copy"}));
  }
}

TEST(Open, KeepsAnAdapterApart) {
  const Sparse adapter =
      safetensors({{"base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight", "BF16", {16, 4096}},
                   {"base_model.model.model.layers.0.self_attn.q_proj.lora_B.weight", "BF16", {4096, 16}}});
  EXPECT_EQ(error_of(Folder().add("adapter_model.safetensors", adapter)), "open.only_adapter");
  Folder folder = llama_folder();
  folder.add("adapter_model.safetensors", adapter);
  const auto opened = open(folder);
  ASSERT_TRUE(opened) << opened.error().key;
  EXPECT_EQ(use_of(opened.value(), "adapter_model.safetensors"), FileUse::adapter);
  EXPECT_EQ(opened.value().stored, Bytes(16'060'522'496));
}

TEST(Open, AddsDraftLayersFromAFileOfTheirOwn) {
  Folder folder;
  folder.add("model.safetensors", safetensors(llama_31_8b().tensors));
  folder.add("mtp.safetensors", safetensors({{"mtp.fc.weight", "BF16", {4096, 8192}}}));
  const auto opened = open(folder);
  ASSERT_TRUE(opened) << opened.error().key;
  EXPECT_EQ(count_parameters(opened.value().model).mtp, Count(4096 * 8192));
}

TEST(Open, SaysWhenWeightsAndConfigAreOfTwoModels) {
  std::string config = llama_31_8b_config();
  config.replace(config.find("\"num_hidden_layers\":32"), 22, "\"num_hidden_layers\":16");
  const auto opened =
      open(Folder().text("config.json", config).add("model.safetensors", safetensors(llama_31_8b().tensors)));
  ASSERT_TRUE(opened) << opened.error().key;
  const Message* differs = note(opened.value(), "open.differs_from_config");
  ASSERT_NE(differs, nullptr);
  EXPECT_EQ(parameter(*differs, "stored"), Parameter(std::int64_t{8'030'261'248}));
}

TEST(Open, UsesTheWeightsWhenTheConfigIsAWebPage) {
  Folder folder;
  folder.text("config.json", "<!DOCTYPE html><html>404</html>")
      .add("model.safetensors", safetensors(llama_31_8b().tensors));
  const auto opened = open(folder);
  ASSERT_TRUE(opened) << opened.error().key;
  const Message* ignored = note(opened.value(), "open.ignored");
  ASSERT_NE(ignored, nullptr);
  EXPECT_EQ(parameter(*ignored, "found"), Parameter(MessageKey{"file_kind.html"}));
}

// --- GGUF

GgufWriter part_of(int number, int count, int first, int last) {
  GgufWriter w;
  if (number == 0) {
    w.text("general.architecture", "llama")
        .text("general.name", "Split")
        .integer("llama.block_count", 4)
        .integer("llama.embedding_length", 256);
    w.integer("llama.attention.head_count", 4).integer("llama.attention.head_count_kv", 2);
    w.tensor("token_embd.weight", 1, {256, 1000}, 512000);
  }
  w.integer("split.no", static_cast<std::uint64_t>(number), GgufWriter::u16)
      .integer("split.count", static_cast<std::uint64_t>(count), GgufWriter::u16);
  for (int l = first; l < last; ++l) {
    const std::string blk = "blk." + std::to_string(l) + ".";
    for (const char* name : {"attn_q", "attn_output"}) w.tensor(blk + name + ".weight", 1, {256, 256}, 131072);
    for (const char* name : {"attn_k", "attn_v"}) w.tensor(blk + name + ".weight", 1, {256, 128}, 65536);
  }
  return w;
}

TEST(Open, ReadsAGgufWithItsCachesAndNotes) {
  const auto opened = open(Folder().add("llama.gguf", llama_31_8b_gguf().finish()));
  ASSERT_TRUE(opened) << opened.error().key;
  const Opened& o = opened.value();
  EXPECT_EQ(o.model.name, "Llama 3.1 8B");
  EXPECT_EQ(weight_bytes(o.model), o.stored);
  ASSERT_EQ(o.model.caches.size(), 1U);
  EXPECT_EQ(o.model.caches[0].kv_heads, 8U);
  EXPECT_NE(note(o, "loading.embedding_on_host"), nullptr);
}

TEST(Open, PutsASplitGgufTogetherInAnyOrder) {
  Folder folder;
  folder.add("m-00002-of-00002.gguf", part_of(1, 2, 2, 4).finish())
      .add("m-00001-of-00002.gguf", part_of(0, 2, 0, 2).finish());
  const auto opened = open(folder);
  ASSERT_TRUE(opened) << opened.error().key;
  EXPECT_EQ(opened.value().model.name, "Split");
  EXPECT_EQ(count_parameters(opened.value().model).text, Count(256000 + 4 * (2 * 65536 + 2 * 32768)));
  EXPECT_NE(note(opened.value(), "loading.head_copied"), nullptr);
}

TEST(Open, NamesPartsOfASplitGgufThatAreMissingOrTwice) {
  const auto missing = open(Folder().add("m-00001-of-00003.gguf", part_of(0, 3, 0, 2).finish()));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().key, "open.missing_parts");
  EXPECT_EQ(parameter(missing.error(), "missing"),
            Parameter(std::string("m-00002-of-00003.gguf, m-00003-of-00003.gguf")));
  Folder twice;
  twice.add("m-00001-of-00002.gguf", part_of(0, 2, 0, 2).finish())
      .add("m-00001-of-00002.gguf", part_of(0, 2, 0, 2).finish());
  EXPECT_EQ(error_of(twice), "open.part_twice");
}

TEST(Open, DoesNotMixTwoModels) {
  Folder two;
  two.add("llama-Q4_K_M.gguf", llama_31_8b_gguf().finish()).add("llama-Q8_0.gguf", llama_31_8b_gguf().finish());
  EXPECT_EQ(error_of(two), "open.several_models");
  Folder formats;
  formats.add("llama.gguf", llama_31_8b_gguf().finish()).add("model.safetensors", safetensors(llama_31_8b().tensors));
  EXPECT_EQ(error_of(formats), "open.two_formats");
}

TEST(Open, AddsATowerToItsGguf) {
  GgufWriter tower;
  tower.text("general.architecture", "clip")
      .tensor("v.blk.0.attn_q.weight", 1, {1152, 1152}, 1152 * 1152 * 2)
      .tensor("mm.0.weight", 1, {1152, 4096}, 1152 * 4096 * 2);
  const Sparse mmproj = tower.finish();
  const auto opened = open(Folder().add("mmproj.gguf", mmproj).add("llama.gguf", llama_31_8b_gguf().finish()));
  ASSERT_TRUE(opened) << opened.error().key;
  EXPECT_EQ(count_parameters(opened.value().model).vision, Count(1152 * 1152 + 1152 * 4096));
  EXPECT_EQ(use_of(opened.value(), "mmproj.gguf"), FileUse::tower);
  EXPECT_EQ(error_of(Folder().add("mmproj.gguf", mmproj)), "open.only_tower");
}

TEST(Open, SaysThatAVocabularyHasNoWeights) {
  GgufWriter w;
  w.text("general.architecture", "llama").texts("tokenizer.ggml.tokens", {"a"});
  EXPECT_EQ(error_of(Folder().add("ggml-vocab.gguf", w.finish())), "open.only_vocabulary");
}

// --- what is no model

struct NotWeights {
  const char* name;
  std::string content;
  const char* found;
};

TEST(OpenBadInput, NamesWhatAFileReallyIs) {
  using namespace std::string_literals;
  const NotWeights cases[] = {
      {"model.gguf", "%PDF-1.7\n%", "file_kind.pdf"},
      {"config.json", "\n <!DOCTYPE html><title>Sign in</title>", "file_kind.html"},
      {"pytorch_model.bin", "PK\x03\x04rest", "file_kind.pickle"},
      {"weights.zip", "PK\x03\x04rest", "file_kind.zip"},
      {"old.pt", "\x80\x02}q\x01"s, "file_kind.pickle"},
      {"model.safetensors", "version https://git-lfs.github.com/spec/v1\noid sha256:0", "file_kind.lfs"},
      {"old.bin", "tjgg\x01\x00\x00\x00 and more"s, "file_kind.old_ggml"},
      {"shot.png", "\x89PNG\r\n\x1A\n"s, "file_kind.image"},
      {"model.h5", "\x89HDF\r\n"s, "file_kind.hdf5"},
      {"a.tar.gz", "\x1F\x8B\x08"s, "file_kind.archive"},
      {"notes.txt", "Қазақша мәтін", "file_kind.text"},
      {"noise", "\x01\x02\x00\x03\xFF"s, "file_kind.binary"},
      {"empty", "", "file_kind.empty"},
      {"tokenizer.json", R"({"version":"1.0","added_tokens":[]})", "file_kind.other_json"},
  };
  for (const NotWeights& c : cases) {
    const auto opened = open(Folder().text(c.name, c.content));
    ASSERT_FALSE(opened) << c.name;
    EXPECT_EQ(opened.error(), Message("open.not_weights").with("file", c.name).with("found", MessageKey{c.found}))
        << c.name;
  }
}

TEST(OpenBadInput, LeavesWhatIsCalledAModelToItsReader) {
  EXPECT_EQ(error_of(Folder().text("model.gguf", "nothing that anyone knows, long enough")), "gguf.magic");
  EXPECT_EQ(error_of(Folder().text("model.gguf", "short")), "gguf.too_short");
  EXPECT_EQ(error_of(Folder().text("model.safetensors", "nothing that anyone knows")), "safetensors.header_too_long");
}

TEST(OpenBadInput, SaysWhatIsWrongWithADescription) {
  const auto config = open(Folder().text("config.json", R"({"model_type":"llama",)"));
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().key, "json.syntax");
  EXPECT_EQ(parameter(config.error(), "file"), Parameter(std::string("config.json")));
  EXPECT_EQ(error_of(Folder().text("m.index.json", R"({"weight_map":{"a":"f"}})")), "open.index_alone");
  EXPECT_EQ(error_of(Folder().text("m.index.json", R"({"weight_map":[]})")), "index.no_weight_map");
  EXPECT_EQ(error_of(Folder()), "open.no_files");
  EXPECT_EQ(error_of(Folder().text("a.txt", "a").text("b.txt", "b")), "open.nothing_known");
}

TEST(OpenBadInput, ARefusedFileEndsTheOpening) {
  Folder folder = llama_folder();
  folder.files[2].second.size -= 5;
  const auto opened = open(folder);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().key, "safetensors.truncated");
  EXPECT_EQ(parameter(opened.error(), "file"), Parameter(std::string(kSecond)));
}

TEST(OpenBadInput, AReadThatFailsIsSaid) {
  Opening opening({{"config.json", 100}});
  opening.give({});
  EXPECT_FALSE(opening.wants());
  EXPECT_EQ(opening.take().error().key, "reader.unreadable");
}

TEST(OpenBadInput, HugeDescriptionsAreNotRead) {
  std::uint64_t read = 0;
  Writer w;
  w.raw(R"({"model_type":"llama","x":")");
  const auto opened = open(Folder().add("config.json", Sparse(w.take(), std::uint64_t{1} << 40)), &read);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().key, "reader.text_too_large");
  EXPECT_LE(read, kSniff);
}

TEST(OpenMessages, HaveWords) {
  const std::string_view strings = assets::file("strings/import_files.json");
  for (const FileUse use : {FileUse::weights, FileUse::tower, FileUse::description, FileUse::extra, FileUse::adapter,
                            FileUse::second_copy, FileUse::ignored}) {
    EXPECT_NE(strings.find("\"file_use." + std::string(file_use_key(use)) + "\""), std::string_view::npos);
  }
}

constexpr std::string_view kLog =
    "INFO [gpu_model_runner.py:4960] Model loading took 15.26 GiB memory\nINFO Available KV cache memory: 6.5 GiB\n";

TEST(Open, AStartUpLogIsReadAloneAndBesideAModel) {
  for (const std::string_view name : {"server.log", "log.txt", "nohup.out", "pasted"}) {
    const std::string text = "starting\n" + std::string(8000, '.') + "\n" + std::string(kLog);
    const auto opened = open(Folder().text(std::string(name), text));
    ASSERT_TRUE(opened) << name << ": " << opened.error().key;
    ASSERT_TRUE(opened.value().log) << name;
    EXPECT_EQ(opened.value().log->program, LogProgram::vllm);
    EXPECT_FALSE(opened.value().has_model());
    EXPECT_EQ(opened.value().files[0].use, FileUse::log);
  }
  const auto both = open(Folder().text("config.json", llama_31_8b_config()).text("server.log", kLog));
  ASSERT_TRUE(both);
  EXPECT_TRUE(both.value().has_model());
  EXPECT_TRUE(both.value().log);
  EXPECT_TRUE(both.value().model.notes.empty()) << both.value().model.notes[0].key;
}

TEST(Open, ATextOfAModelsFolderIsNotReadForALog) {
  std::uint64_t read = 0;
  Folder folder;
  folder.text("config.json", llama_31_8b_config()).text("merges.txt", std::string(1 << 20, 'a'));
  const auto opened = open(folder, &read);
  ASSERT_TRUE(opened);
  EXPECT_LT(read, 4 * kSniff);
}

TEST(Open, ALogOfNoKnownProgramSaysWhatToGive) {
  EXPECT_EQ(error_of(Folder().text("server.log", "started\nready\n")), "log.not_recognised");
  EXPECT_EQ(error_of(Folder().text("server.txt", "started\nready\n")), "open.not_weights");
}

}  // namespace
}  // namespace vram
