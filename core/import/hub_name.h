// What a person calls a model on a hub, and where its files are asked for.
//
//   Qwen/Qwen3-32B                                     the whole model
//   Qwen/Qwen3-32B@v1.0                                a branch, a tag or a commit of it
//   Qwen/Qwen3-32B-GGUF/Qwen3-32B-Q4_K_M.gguf          one file
//   https://huggingface.co/Qwen/Qwen3-32B/tree/main    what a browser's address bar shows
//
// The names are strict: nothing that is not a hub's name becomes an address.
#pragma once
#include <string>
#include <string_view>

#include "core/units/result.h"

namespace vram {

struct HubName {
  std::string model;               ///< "Qwen/Qwen3-32B"
  std::string revision = "main";   ///< a branch, a tag or a commit
  std::string file;                ///< a GGUF with its folder; "" = the model's safetensors
  friend bool operator==(const HubName&, const HubName&) = default;
};

/// `host`: of the hub, as an address has it. Errors: hub.bad_name, hub.other_host {host, found}, hub.bad_file {file}.
Result<HubName> parse_hub_name(std::string_view text, std::string_view host);

/// The shortest text that parses as `name`: "Qwen/Qwen3-32B@v1.0".
std::string hub_name_text(const HubName& name);

/// Where a file's bytes are, behind the host: "/Qwen/Qwen3-32B/resolve/main/config.json".
std::string hub_path(const HubName& name, std::string_view file);

/// A path of plain names: no empty ones, none that begins with a dot, letters, digits and ._+- only. What an index
/// names is asked for only if it is one.
bool is_hub_file(std::string_view path);

/// Forty hexadecimal digits, which say for ever the same.
bool is_commit(std::string_view revision);

}  // namespace vram
