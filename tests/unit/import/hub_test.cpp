// A hub made of files: what is asked for, and what is said when it does not answer as it should.
#include "core/import/hub.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/unit/import/checkpoint_files.h"

namespace vram {
namespace {

using namespace testing_files;

const std::string kCommit = "0123456789abcdef0123456789abcdef01234567";
constexpr std::string_view kIndex = "model.safetensors.index.json";

/// What one answer is to be instead of the file's bytes.
using Answer = HubAnswer;

struct TestHub {
  std::map<std::string, Sparse> files;        ///< by their names
  std::map<std::string, Answer> instead;
  std::string commit = kCommit;
  std::vector<std::string> asked;             ///< paths, in order
  std::uint64_t sent = 0;
  std::size_t most_at_once = 0;

  TestHub& text(const std::string& name, std::string_view content) {
    Writer w;
    w.raw(content);
    files[name] = Sparse(w.take());
    return *this;
  }

  void answer(HubOpening& opening, const HubOpening::Request& request) {
    asked.push_back(request.path);
    const std::size_t start = request.path.find("/resolve/") + 9;
    const std::string name = request.path.substr(request.path.find('/', start) + 1);
    if (const auto other = instead.find(name); other != instead.end()) return opening.give(request.id, other->second);
    const auto found = files.find(name);
    if (found == files.end()) return opening.give(request.id, {.status = 404, .code = "EntryNotFound"});
    const Sparse& file = found->second;
    const ByteRange range{request.range.begin, std::min(request.range.end, file.size)};
    const Bytes8 bytes = file.read(range);
    sent += bytes.size();
    opening.give(request.id, {.status = 206, .size = file.size, .commit = commit, .bytes = bytes});
  }

  Result<Opened> open(HubName name) {
    HubOpening opening(std::move(name));
    for (;;) {
      const auto requests = opening.requests();
      most_at_once = std::max(most_at_once, requests.size());
      if (auto outcome = opening.take()) return *std::move(outcome);
      if (requests.empty()) return Message("nothing is asked for and nothing comes");
      for (const auto& request : requests) answer(opening, request);
    }
  }

  std::string error(HubName name = {"meta-llama/Llama-3.1-8B", "main", ""}) {
    const auto opened = open(std::move(name));
    return opened ? "no error" : opened.error().key;
  }
};

/// In `count` shards.
TestHub llama(std::size_t count) {
  const std::vector<SafeTensor> whole = llama_31_8b().tensors;
  TestHub hub;
  hub.text("config.json", llama_31_8b_config());
  std::string map;
  const std::size_t step = (whole.size() + count - 1) / count;
  for (std::size_t i = 0; i < count; ++i) {
    const auto from = whole.begin() + static_cast<std::ptrdiff_t>(i * step);
    const auto to = whole.begin() + static_cast<std::ptrdiff_t>(std::min(whole.size(), (i + 1) * step));
    const std::string name = "part-" + std::to_string(i) + ".safetensors";
    hub.files[name] = safetensors({from, to});
    for (auto tensor = from; tensor != to; ++tensor) {
      map += (map.empty() ? "\"" : ",\"") + tensor->name + "\":\"" + name + "\"";
    }
  }
  return hub.text(std::string(kIndex), R"({"weight_map":{)" + map + "}}");
}

TEST(Hub, OpensAModelOfManyFilesByTheirHeaders) {
  TestHub hub = llama(12);
  const auto opened = hub.open({"meta-llama/Llama-3.1-8B", "main", ""});
  ASSERT_TRUE(opened) << opened.error().key;
  const Model& model = opened.value().model;
  EXPECT_EQ(count_parameters(model).total, Count(8'030'261'248));
  EXPECT_EQ(weight_bytes(model), Bytes(16'060'522'496));
  EXPECT_EQ(model.origin, Origin::checkpoint);
  EXPECT_EQ(model.name, "meta-llama/Llama-3.1-8B@0123456");
  EXPECT_EQ(model.notes.back(),
            Message("hub.source").with("name", "meta-llama/Llama-3.1-8B").with("commit", kCommit));
  EXPECT_EQ(hub.asked.size(), 14U) << "one request a file";
  EXPECT_EQ(hub.asked[0], "/meta-llama/Llama-3.1-8B/resolve/main/config.json");
  EXPECT_EQ(hub.asked[13].find("/meta-llama/Llama-3.1-8B/resolve/" + kCommit + "/part-"), 0U) << hub.asked[13];
  EXPECT_EQ(hub.most_at_once, HubOpening::kAtOnce);
  EXPECT_LT(hub.sent, 2'000'000U) << "of 16 GB";
}

TEST(Hub, OpensAModelOfOneFileOrOfAConfigAlone) {
  TestHub hub;
  hub.text("config.json", llama_31_8b_config());
  const auto described = hub.open({"a/b", "main", ""});
  ASSERT_TRUE(described) << described.error().key;
  EXPECT_EQ(described.value().model.origin, Origin::config);
  EXPECT_EQ(described.value().model.name, "a/b@0123456");
  hub.files["model.safetensors"] = safetensors(llama_31_8b().tensors);
  hub.commit = "";
  const auto opened = hub.open({"a/b", "v2", ""});
  ASSERT_TRUE(opened) << opened.error().key;
  EXPECT_EQ(opened.value().model.origin, Origin::checkpoint);
  EXPECT_EQ(opened.value().model.name, "a/b@v2") << "as it was asked for, where the hub does not say more";
}

TEST(Hub, AsksForTheRestOfAHeaderThatIsLongerThanItsFirstPart) {
  TestHub hub;
  hub.text("config.json", R"({"model_type":"qwen3_moe","architectures":["Qwen3MoeForCausalLM"]})");
  hub.files["model.safetensors"] = safetensors(qwen3_30b_a3b().tensors);
  const auto opened = hub.open({"a/b", "main", ""});
  ASSERT_TRUE(opened) << opened.error().key;
  EXPECT_EQ(count_parameters(opened.value().model).total, Count(30'532'122'624));
  EXPECT_LT(hub.sent, hub.files["model.safetensors"].head.size() + 300'000U);
}

TEST(Hub, OpensAGgufWithAllItsParts) {
  TestHub hub;
  hub.files["Q4/llama.gguf"] = llama_31_8b_gguf().finish();
  const auto opened = hub.open({"a/b", kCommit, "Q4/llama.gguf"});
  ASSERT_TRUE(opened) << opened.error().key;
  EXPECT_EQ(count_parameters(opened.value().model).total, Count(8'030'261'248));
  EXPECT_EQ(opened.value().model.name, "a/b/Q4/llama.gguf@0123456");

  EXPECT_EQ(hub.error({"a/b", "main", "Q4/big-00002-of-00003.gguf"}), "hub.no_file");
  const std::vector<std::string> parts(hub.asked.end() - 3, hub.asked.end());
  EXPECT_EQ(parts, (std::vector<std::string>{"/a/b/resolve/main/Q4/big-00001-of-00003.gguf",
                                             "/a/b/resolve/main/Q4/big-00002-of-00003.gguf",
                                             "/a/b/resolve/main/Q4/big-00003-of-00003.gguf"}));
}

TEST(Hub, SaysWhyAModelDidNotCome) {
  using End = HubAnswer::End;
  const std::vector<std::byte> some(100);
  const struct {
    std::string file;
    Answer answer;
    std::string_view error;
  } cases[] = {
      {"config.json", {.status = 404, .code = "EntryNotFound"}, "hub.no_config"},
      {"config.json", {.status = 404, .code = "RevisionNotFound"}, "hub.not_found"},
      {"config.json", {.status = 404}, "hub.not_found"},
      {"config.json", {.status = 401, .code = "RepoNotFound"}, "hub.not_found"},
      {"config.json", {.status = 401, .code = "GatedRepo"}, "hub.gated"},
      {"config.json", {.status = 403}, "hub.gated"},
      {"config.json", {.status = 429}, "hub.busy"},
      {"config.json", {.status = 503}, "hub.status"},
      {"config.json", {.end = End::unreachable}, "hub.unreachable"},
      {"config.json", {.end = End::slow, .status = 206}, "hub.slow"},
      {"config.json", {.end = End::cut, .status = 200, .bytes = some}, "hub.cut"},
      {"config.json", {.status = 206, .size = 500, .bytes = some}, "hub.cut"},
      {"config.json", {.status = 206, .size = std::uint64_t{1} << 40, .bytes = some}, "hub.too_large"},
      {std::string(kIndex), {.status = 401}, "hub.gated"},
      {"part-1.safetensors", {.status = 404, .code = "EntryNotFound"}, "hub.no_file"},
      {"part-1.safetensors", {.status = 200, .bytes = some}, "hub.no_ranges"},
      {"part-1.safetensors", {.status = 206, .bytes = some}, "hub.no_ranges"},
      {"part-1.safetensors", {.end = End::cut, .status = 206, .size = 1'000'000, .bytes = some}, "hub.cut"},
  };
  for (const auto& [file, answer, error] : cases) {
    TestHub hub = llama(2);
    hub.instead[file] = answer;
    EXPECT_EQ(hub.error(), error) << file << ", status " << answer.status << " " << answer.code;
  }
}

TEST(Hub, AsksForNoFileThatAnIndexMadeUp) {
  for (const char* name : {"../../../api/whoami-v2", "https://evil.example/x.safetensors", "/x.safetensors",
                           "a/../x.safetensors", "x.safetensors?y", "x.bin"}) {
    TestHub hub;
    hub.text("config.json", llama_31_8b_config());
    hub.text(std::string(kIndex), R"({"weight_map":{"a":")" + std::string(name) + "\"}}");
    EXPECT_EQ(hub.error(), "hub.bad_file") << name;
    EXPECT_EQ(hub.asked.size(), 2U);
  }
}

TEST(Hub, TakesNeitherAPageNorAScenarioForAModel) {
  TestHub hub;
  hub.text("config.json", "<!doctype html><title>Sign in to the network</title>");
  EXPECT_EQ(hub.error(), "open.not_weights");
  hub.text("config.json", R"({"v":1,"deployments":[{"users":5}]})");
  EXPECT_EQ(hub.error(), "hub.not_a_model");
}

TEST(Hub, TakesAWholeTextFromAServerWithoutRangesAndPassesOverAnswersItDidNotAskFor) {
  TestHub hub;
  hub.text("config.json", llama_31_8b_config());
  const Bytes8 bytes = hub.files["config.json"].head;
  hub.instead["config.json"] = {.status = 200, .bytes = bytes};
  EXPECT_EQ(hub.error(), "no error");

  HubOpening opening({"a/b", "main", ""});
  const auto requests = opening.requests();
  opening.give(requests[0].id + 1, {.status = 500});
  EXPECT_FALSE(opening.take());
  EXPECT_TRUE(opening.requests().empty()) << "each is asked for once";
}

TEST(Hub, TellsHowFarItIs) {
  TestHub hub = llama(3);
  HubOpening opening({"a/b", "main", ""});
  EXPECT_EQ(opening.progress().files, 1);
  for (int step = 0; step < 2; ++step) {
    for (const auto& request : opening.requests()) hub.answer(opening, request);
  }
  EXPECT_EQ(opening.progress().here, 2);
  EXPECT_EQ(opening.progress().files, 5);
  EXPECT_EQ(opening.progress().bytes, Bytes(hub.sent));
}

}  // namespace
}  // namespace vram
