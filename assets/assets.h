// The data files of assets/, compiled into the program: catalogues and the strings of each language.
#pragma once
#include <span>
#include <string_view>

namespace assets {

/// The text of a file by its path below assets/, "strings/ru.json"; empty when there is none.
std::string_view file(std::string_view path);

/// Every path, sorted.
std::span<const std::string_view> paths();

}  // namespace assets
