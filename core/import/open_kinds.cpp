#include "core/import/open_kinds.h"

#include <algorithm>
#include <array>
#include <string>

#include "core/import/engine_log.h"
#include "core/import/safetensors.h"
#include "core/import/safetensors_scan.h"

namespace vram {
namespace {

constexpr std::array<std::string_view, static_cast<std::size_t>(FileKind::count_)> kKeys = {
    "gguf",  "safetensors", "config", "safetensors_index", "hf_quant_config", "scenario", "other_json", "empty",
    "text",  "engine_log",  "html",   "pdf",               "zip",             "archive",  "pickle",     "lfs",
    "image", "hdf5",        "old_ggml", "binary",
};

struct Magic {
  std::string_view bytes;
  FileKind kind;
};

using namespace std::string_view_literals;
constexpr Magic kMagics[] = {
    {"GGUF"sv, FileKind::gguf},
    {"tjgg"sv, FileKind::old_ggml},
    {"fmgg"sv, FileKind::old_ggml},
    {"lmgg"sv, FileKind::old_ggml},
    {"algg"sv, FileKind::old_ggml},
    {"%PDF"sv, FileKind::pdf},
    {"PK\x03\x04"sv, FileKind::zip},
    {"\x80\x02"sv, FileKind::pickle},
    {"\x80\x04"sv, FileKind::pickle},
    {"version https://git-lfs"sv, FileKind::lfs},
    {"\x89HDF"sv, FileKind::hdf5},
    {"\x1F\x8B"sv, FileKind::archive},
    {"7z\xBC\xAF"sv, FileKind::archive},
    {"Rar!"sv, FileKind::archive},
    {"\xFD"
     "7zXZ"sv,
     FileKind::archive},
    {"\x28\xB5\x2F\xFD"sv, FileKind::archive},
    {"\x89PNG"sv, FileKind::image},
    {"\xFF\xD8\xFF"sv, FileKind::image},
    {"GIF8"sv, FileKind::image},
};

bool ends_with(std::string_view name, std::string_view ending) {
  if (name.size() < ending.size()) return false;
  return std::equal(ending.begin(), ending.end(), name.end() - static_cast<std::ptrdiff_t>(ending.size()),
                    [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b - 'A' + 'a') : b); });
}

std::string_view base_name(std::string_view path) {
  const std::size_t slash = path.find_last_of("/\\");
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// A header length that the file can hold, and an opening brace after it.
bool looks_like_safetensors(const FileInfo& file, std::span<const std::byte> begin) {
  if (begin.size() < 10 || std::to_integer<char>(begin[8]) != '{') return false;
  const std::uint64_t length = little_endian(begin.first(8));
  return length <= kMaxSafetensorsHeader && length <= file.size - 8;
}

FileKind json_kind(const FileInfo& file, std::string_view text) {
  if (has(text, "\"deployments\"") && has(text, "\"v\"")) return FileKind::scenario;
  if (has(text, "\"weight_map\"") || ends_with(file.name, ".index.json")) return FileKind::index;
  if (has(text, "\"producer\"") && has(text, "\"quantization\"")) return FileKind::quant_config;
  if (has(text, "\"added_tokens\"") || has(text, "\"added_tokens_decoder\"") || has(text, "\"tokenizer_class\"")) {
    return FileKind::other_json;
  }
  constexpr std::string_view config_words[] = {"\"model_type\"", "\"architectures\"", "\"hidden_size\"",
                                               "\"num_hidden_layers\"", "\"text_config\""};
  const bool is_config =
      std::any_of(std::begin(config_words), std::end(config_words), [&](auto word) { return has(text, word); });
  return is_config || base_name(file.name) == "config.json" ? FileKind::config : FileKind::other_json;
}

}  // namespace

std::string_view file_kind_key(FileKind kind) { return kKeys[static_cast<std::size_t>(kind)]; }

FileKind file_kind(const FileInfo& file, std::span<const std::byte> begin) {
  std::string_view text(reinterpret_cast<const char*>(begin.data()), begin.size());
  if (text.empty()) return FileKind::empty;
  if (looks_like_safetensors(file, begin)) return FileKind::safetensors;
  for (const Magic& magic : kMagics) {
    if (text.substr(0, magic.bytes.size()) != magic.bytes) continue;
    const bool torch = magic.kind == FileKind::zip && (ends_with(file.name, ".bin") || ends_with(file.name, ".pt") ||
                                                       ends_with(file.name, ".pth") || ends_with(file.name, ".ckpt"));
    return torch ? FileKind::pickle : magic.kind;
  }
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return FileKind::empty;
  if (text[first] == '<') return FileKind::html;
  if (text[first] == '{') return json_kind(file, text);
  if (ends_with(file.name, ".gguf")) return FileKind::gguf;
  if (ends_with(file.name, ".safetensors")) return FileKind::safetensors;
  if (text[first] == '[' && ends_with(file.name, ".json")) return FileKind::other_json;
  const std::string_view whole =
      text.substr(0, text.size() - std::min<std::size_t>(text.size(), begin.size() == kSniff ? 4 : 0));
  if (looks_like_engine_log(whole)) return FileKind::engine_log;
  if (has(whole, "\0"sv) || !is_utf8(whole)) return FileKind::binary;
  return ends_with(file.name, ".log") ? FileKind::engine_log : FileKind::text;
}

}  // namespace vram
