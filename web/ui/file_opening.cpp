#include "web/ui/file_opening.h"

#include <string_view>

#include "web/platform/platform.h"

namespace ui {
namespace {

/// "config.json", or of several files the folder they lie in, else the first one's name.
std::string common_name(const std::vector<OpenedFile>& files) {
  if (files.empty()) return "";
  const std::string& first = files.front().name;
  const std::size_t slash = first.find('/');
  if (files.size() > 1 && slash != std::string::npos) return first.substr(0, slash);
  return first.substr(first.find_last_of('/') + 1);
}

}  // namespace

FileOpening::Outcome FileOpening::begin(const std::vector<OpenedFile>& files) {
  std::vector<vram::FileInfo> infos;
  ids_.clear();
  for (const OpenedFile& file : files) {
    infos.push_back({file.name, file.size});
    ids_.push_back(file.id);
  }
  name_ = common_name(files);
  opening_.emplace(std::move(infos));
  return go_on();
}

FileOpening::Outcome FileOpening::arrived(std::uint32_t file, std::uint64_t offset, std::span<const std::byte> bytes) {
  if (!opening_) return std::nullopt;
  const auto wanted = opening_->wants();
  if (!wanted || ids_[wanted->file] != file || wanted->range.begin != offset) return std::nullopt;
  opening_->give(bytes);
  return go_on();
}

FileOpening::Outcome FileOpening::go_on() {
  if (const auto wanted = opening_->wants()) {
    platform::read_file(ids_[wanted->file], wanted->range.begin, static_cast<std::uint32_t>(wanted->range.size()));
    return std::nullopt;
  }
  Outcome outcome = opening_->take();
  opening_.reset();
  platform::close_files();
  return outcome;
}

}  // namespace ui
