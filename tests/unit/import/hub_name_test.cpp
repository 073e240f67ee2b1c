#include "core/import/hub_name.h"

#include <gtest/gtest.h>

namespace vram {
namespace {

constexpr std::string_view kHost = "huggingface.co";

std::string error_of(std::string_view text) {
  const auto name = parse_hub_name(text, kHost);
  return name ? "no error: " + hub_name_text(name.value()) : name.error().key;
}

TEST(HubName, IsReadAsPeopleWriteItAndAsBrowsersShowIt) {
  const struct {
    std::string_view typed;
    HubName meant;
  } names[] = {
      {"Qwen/Qwen3-32B", {"Qwen/Qwen3-32B", "main", ""}},
      {"  Qwen/Qwen3-32B\n", {"Qwen/Qwen3-32B", "main", ""}},
      {"Qwen/Qwen3-32B@v1.0", {"Qwen/Qwen3-32B", "v1.0", ""}},
      {"Qwen/Qwen3-32B@refs/pr/7", {"Qwen/Qwen3-32B", "refs/pr/7", ""}},
      {"a/b/Q4/x-Q4_K_M.gguf@1f2e", {"a/b", "1f2e", "Q4/x-Q4_K_M.gguf"}},
      {"a/b/config.json", {"a/b", "main", ""}},
      {"huggingface.co/a/b", {"a/b", "main", ""}},
      {"https://huggingface.co/a/b", {"a/b", "main", ""}},
      {"https://HuggingFace.co/a/b/", {"a/b", "main", ""}},
      {"https://huggingface.co/a/b?library=vllm#usage", {"a/b", "main", ""}},
      {"https://huggingface.co/a/b/tree/refs%2Fpr%2F7", {"a/b", "refs/pr/7", ""}},
      {"https://huggingface.co/a/b/tree/main/folder", {"a/b", "main", ""}},
      {"https://huggingface.co/a/b/blob/main/Q4/x.gguf", {"a/b", "main", "Q4/x.gguf"}},
      {"https://huggingface.co/a/b/resolve/dev/x.gguf?download=true", {"a/b", "dev", "x.gguf"}},
      {"https://huggingface.co/a/b/blob/main/model-00001-of-00004.safetensors", {"a/b", "main", ""}},
  };
  for (const auto& [typed, meant] : names) {
    const auto name = parse_hub_name(typed, kHost);
    ASSERT_TRUE(name) << typed << ": " << name.error().key;
    EXPECT_EQ(name.value(), meant) << typed;
    EXPECT_EQ(parse_hub_name(hub_name_text(meant), kHost).value(), meant) << "what is shown can be typed again";
  }
}

TEST(HubName, RefusesWhatIsNoName) {
  const struct {
    std::string_view typed, error;
  } wrong[] = {
      {"", "hub.bad_name"},
      {"Qwen3-32B", "hub.bad_name"},
      {"a//b", "hub.bad_name"},
      {"/a/b", "hub.bad_name"},
      {"../b", "hub.bad_name"},
      {"a/..", "hub.bad_name"},
      {"a/b..c", "hub.bad_name"},
      {"a/-b", "hub.bad_name"},
      {"a/b c", "hub.bad_name"},
      {"a/b\\c", "hub.bad_name"},
      {"a/b%2Fc", "hub.bad_name"},
      {"a/б", "hub.bad_name"},
      {"a/b?x=1", "hub.bad_name"},
      {"a/b@", "hub.bad_name"},
      {"a/b@../../x", "hub.bad_name"},
      {"a/b@x#y", "hub.bad_name"},
      {"a:b@evil.example/b", "hub.bad_name"},
      {"a/b/../../x.gguf", "hub.bad_file"},
      {"a/b/.gguf", "hub.bad_file"},
      {"a/b/x.bin", "hub.bad_file"},
      {"a/b/vae/model.safetensors", "hub.bad_file"},
      {"a/b/<img>.gguf", "hub.bad_file"},
      {"https://evil.example/a/b", "hub.other_host"},
      {"https://huggingface.co.evil.example/a/b", "hub.other_host"},
      {"https://huggingface.co@evil.example/a/b", "hub.other_host"},
      {"https://huggingface.co:81/a/b", "hub.other_host"},
      {"https://huggingface.co/", "hub.bad_name"},
      {"https://huggingface.co/datasets/a/b", "hub.bad_name"},
      {"https://huggingface.co/a/b/discussions/1", "hub.bad_name"},
      {"https://huggingface.co/a/b/blob/..%2F..%2Fx/y.gguf", "hub.bad_name"},
  };
  for (const auto& [typed, error] : wrong) EXPECT_EQ(error_of(typed), error) << typed;
  EXPECT_EQ(error_of("a/" + std::string(97, 'b')), "hub.bad_name");
  EXPECT_EQ(error_of("a/b/" + std::string(500, 'c') + ".gguf"), "hub.bad_file");
}

TEST(HubName, MakesPathsInWhichARevisionIsOneStep) {
  EXPECT_EQ(hub_path({"a/b", "main", ""}, "config.json"), "/a/b/resolve/main/config.json");
  EXPECT_EQ(hub_path({"a/b", "refs/pr/7", ""}, "Q4/x.gguf"), "/a/b/resolve/refs%2Fpr%2F7/Q4/x.gguf");
}

}  // namespace
}  // namespace vram
