// Reading files, bounded.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/import/open.h"
#include "core/units/result.h"

namespace vram::cli {

constexpr std::uint64_t kMostTextBytes = 64u << 20;

/// The whole of a text file, "-" for standard input. Errors: file.not_found {name}, file.too_large {name, most}.
Result<std::string> read_text(const std::string& name);

/// Opens a model from its files (a folder's are its direct members), reading headers only. Errors: file.not_found
/// {name} and what Opening says.
Result<Opened> open_files(const std::vector<std::string>& names);

}  // namespace vram::cli
