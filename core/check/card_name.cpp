#include "core/check/card_name.h"

#include <cctype>
#include <string>

namespace vram::check {
namespace {

constexpr double kMiB = 1024.0 * 1024.0, kGiB = 1024.0 * kMiB, kSeenOfLabel = 0.985;

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

}  // namespace

double memory_in_name(std::string_view name) {
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (!is_digit(name[i])) continue;
    double number = 0, place = 0;  // `place`: of the digit behind the point
    std::size_t end = i;
    for (; end < name.size() && number < 1e7; ++end) {
      const bool between_digits = end + 1 < name.size() && is_digit(name[end + 1]);
      if (is_digit(name[end])) {
        number = place == 0 ? 10 * number + (name[end] - '0') : number + place * (name[end] - '0');
        place /= 10;
      } else if (name[end] == '.' && between_digits && place == 0) {
        place = 0.1;
      } else if (name[end] != ',' || !between_digits) {
        break;
      }
    }
    const std::string_view rest = name.substr(end < name.size() && name[end] == ' ' ? end + 1 : end);
    if (rest.substr(0, 3) == "MiB") return number * kMiB;
    if (rest.substr(0, 3) == "GiB") return number * kGiB;
    if (rest.substr(0, 2) == "GB") return number * kGiB * kSeenOfLabel;
    i = end;
  }
  return 0;
}

}  // namespace vram::check
