#include "core/cli/files.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

namespace vram::cli {
namespace {

struct Close {
  void operator()(std::FILE* file) const {
    if (file != stdin) std::fclose(file);
  }
};
using File = std::unique_ptr<std::FILE, Close>;

/// Files by name; a folder stands for its direct members in the order of their names.
Result<std::vector<FileInfo>> files_of(const std::vector<std::string>& names) {
  std::vector<FileInfo> files;
  for (const std::string& name : names) {
    std::error_code error;
    if (!std::filesystem::is_directory(name, error)) {
      const auto size = std::filesystem::file_size(name, error);
      if (error) return Message("file.not_found").with("name", name);
      files.push_back({name, size});
      continue;
    }
    std::vector<FileInfo> members;
    for (const auto& member : std::filesystem::directory_iterator(name, error)) {
      if (!member.is_regular_file(error)) continue;
      members.push_back({member.path().string(), member.file_size(error)});
    }
    if (error) return Message("file.not_found").with("name", name);
    std::sort(members.begin(), members.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    files.insert(files.end(), members.begin(), members.end());
  }
  return files;
}

/// What could be read of the range; fewer bytes tell the reader that the file ended.
std::vector<std::byte> read_range(const std::string& name, ByteRange range) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(range.size()));
  const File file(std::fopen(name.c_str(), "rb"));
  if (!file || fseeko(file.get(), static_cast<off_t>(range.begin), SEEK_SET) != 0) return {};
  bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file.get()));
  return bytes;
}

}  // namespace

Result<std::string> read_text(const std::string& name) {
  const File file(name == "-" ? stdin : std::fopen(name.c_str(), "rb"));
  if (!file) return Message("file.not_found").with("name", name);
  std::string text;
  char buffer[65536];
  while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, file.get())) {
    text.append(buffer, count);
    if (text.size() > kMostTextBytes) {
      return Message("file.too_large").with("name", name).with("most", Bytes(kMostTextBytes));
    }
  }
  if (std::ferror(file.get()) != 0) return Message("file.not_found").with("name", name);
  return text;
}

Result<Opened> open_files(const std::vector<std::string>& names) {
  const Result<std::vector<FileInfo>> files = files_of(names);
  if (!files) return files.error();
  Opening opening(files.value());
  while (const auto request = opening.wants()) opening.give(read_range(files.value()[request->file].name, request->range));
  Result<Opened> opened = opening.take();
  if (opened && !opened.value().scenario.empty()) {
    return Message("open.not_weights")
        .with("file", opened.value().files.front().file.name)
        .with("found", MessageKey{"file_kind." + std::string(file_kind_key(FileKind::scenario))});
  }
  return opened;
}

}  // namespace vram::cli
