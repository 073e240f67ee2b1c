#include "core/import/hub_name.h"

#include <algorithm>
#include <vector>

namespace vram {
namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr std::size_t kLongestName = 96, kLongestPath = 400;

bool only(std::string_view text, std::string_view more) {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return kDigits.find(c) != std::string_view::npos || kLetters.find(c) != std::string_view::npos ||
           more.find(c) != std::string_view::npos;
  });
}

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// One half of "org/model", by the hub's own rule (huggingface_hub, validate_repo_id).
bool is_name(std::string_view text) {
  const auto edge = [](char c) { return c == '.' || c == '-'; };
  return !text.empty() && text.size() <= kLongestName && only(text, "._-") && !edge(text.front()) &&
         !edge(text.back()) && !has(text, "..") && !has(text, "--");
}

std::vector<std::string_view> split(std::string_view path) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    parts.push_back(path.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

std::string joined(const std::vector<std::string_view>& parts, std::size_t from) {
  std::string path;
  for (std::size_t i = from; i < parts.size(); ++i) path += (i == from ? "" : "/") + std::string(parts[i]);
  return path;
}

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
  return text;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) + 1 - first);
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

/// A file of the whole model means the model; a GGUF is a model by itself.
Result<HubName> checked(HubName name) {
  const std::size_t slash = name.model.find('/');
  const std::string_view model = name.model;
  if (!is_name(model.substr(0, slash)) || !is_name(model.substr(slash + 1)) || !is_hub_file(name.revision)) {
    return Message("hub.bad_name");
  }
  if (name.file.empty() || (is_hub_file(name.file) && lower(name.file).ends_with(".gguf"))) return name;
  const bool of_the_whole = name.file.ends_with(".json") || name.file.ends_with(".safetensors");
  if (!of_the_whole || has(name.file, "/")) return Message("hub.bad_file").with("file", name.file);
  name.file.clear();
  return name;
}

/// "org/model", and after it "tree/REVISION", "blob/REVISION/FILE", "resolve/REVISION/FILE" or nothing.
Result<HubName> from_address(std::string_view path) {
  path = path.substr(0, path.find_first_of("?#"));
  while (path.ends_with('/')) path.remove_suffix(1);
  const std::vector<std::string_view> parts = split(path);
  if (parts.size() < 2 || parts[0] == "datasets" || parts[0] == "spaces") return Message("hub.bad_name");
  HubName name;
  name.model = std::string(parts[0]) + "/" + std::string(parts[1]);
  if (parts.size() == 2) return checked(std::move(name));
  const bool of_file = parts[2] == "blob" || parts[2] == "resolve" || parts[2] == "raw";
  if (parts.size() < 4 || !(of_file || parts[2] == "tree")) return Message("hub.bad_name");
  name.revision = replaced(std::string(parts[3]), "%2F", "/");
  if (of_file) name.file = joined(parts, 4);
  return checked(std::move(name));
}

}  // namespace

bool is_hub_file(std::string_view path) {
  const std::vector<std::string_view> parts = split(path);
  return path.size() <= kLongestPath && std::all_of(parts.begin(), parts.end(), [](std::string_view part) {
           return !part.empty() && part.front() != '.' && only(part, "._+-");
         });
}

bool is_commit(std::string_view revision) {
  return revision.size() == 40 && revision.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Result<HubName> parse_hub_name(std::string_view text, std::string_view host) {
  text = trimmed(text);
  const std::size_t scheme = text.find("://");
  if (scheme != std::string_view::npos) text.remove_prefix(scheme + 3);
  const std::size_t slash = std::min(text.find('/'), text.size());
  const std::string first = lower(text.substr(0, slash));
  if (first == host) return from_address(text.substr(std::min(slash + 1, text.size())));
  if (scheme != std::string_view::npos) {
    return Message("hub.other_host").with("host", std::string(host)).with("found", first);
  }

  HubName name;
  const std::size_t at = text.find('@');
  if (at != std::string_view::npos) name.revision = std::string(text.substr(at + 1));
  const std::vector<std::string_view> parts = split(text.substr(0, at));
  if (parts.size() < 2) return Message("hub.bad_name");
  name.model = std::string(parts[0]) + "/" + std::string(parts[1]);
  name.file = joined(parts, 2);
  return checked(std::move(name));
}

std::string hub_name_text(const HubName& name) {
  return name.model + (name.file.empty() ? "" : "/" + name.file) +
         (name.revision == "main" ? "" : "@" + name.revision);
}

std::string hub_path(const HubName& name, std::string_view file) {
  return "/" + name.model + "/resolve/" + replaced(name.revision, "/", "%2F") + "/" + std::string(file);
}

}  // namespace vram
