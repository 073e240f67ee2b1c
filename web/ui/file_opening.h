// Opening files: the readers of core/import ask for ranges of bytes, the platform brings them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/import/open.h"
#include "web/ui/app.h"

namespace ui {

class FileOpening {
 public:
  /// Nothing yet, while bytes are on their way; otherwise what was opened or why it was not.
  using Outcome = std::optional<vram::Result<vram::Opened>>;

  Outcome begin(const std::vector<OpenedFile>& files);
  /// Bytes that nobody waits for (of an opening that was given up) are passed over.
  Outcome arrived(std::uint32_t file, std::uint64_t offset, std::span<const std::byte> bytes);

  /// How the opened files are called: the one file's name, or the folder's.
  const std::string& name() const { return name_; }

 private:
  Outcome go_on();

  std::optional<vram::Opening> opening_;
  std::vector<std::uint32_t> ids_;
  std::string name_;
};

}  // namespace ui
