#include "core/import/reader_tensors.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace vram {
namespace {

struct ElementRow {
  std::string_view name;
  std::uint32_t bits;
};

// safetensors 0.8 `Dtype` and its bit sizes; the values that older releases lack are harmless there.
constexpr std::array<ElementRow, static_cast<std::size_t>(Element::count_)> kElements = {{
    {"BOOL", 8},    {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6},     {"U8", 8},          {"I8", 8},
    {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}, {"I16", 16},
    {"U16", 16},    {"F16", 16},    {"BF16", 16},   {"I32", 32},        {"U32", 32},        {"F32", 32},
    {"F64", 64},    {"I64", 64},    {"U64", 64},    {"C64", 64},        {"GGML", 0},
}};

std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0x9E3779B97F4A7C15u ^ text.size();
  const char* at = text.data();
  std::size_t left = text.size();
  const auto mix = [&hash](std::uint64_t word) {
    hash = (hash ^ word) * 0xBF58476D1CE4E5B9u;
    hash ^= hash >> 29;
  };
  for (; left >= 8; at += 8, left -= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, 8);
    mix(word);
  }
  std::uint64_t word = 0;
  if (left != 0) std::memcpy(&word, at, left);
  mix(word);
  return hash;
}

std::optional<std::string_view> duplicate_by_sorting(const std::vector<StoredTensor>& tensors) {
  std::vector<std::string_view> names;
  names.reserve(tensors.size());
  for (const StoredTensor& tensor : tensors) names.push_back(tensor.name);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  return twice == names.end() ? std::nullopt : std::optional(*twice);
}

}  // namespace

std::string_view element_name(Element element) { return kElements[static_cast<std::size_t>(element)].name; }

std::optional<Element> find_element(std::string_view name) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(Element::ggml); ++i) {
    if (kElements[i].name == name) return static_cast<Element>(i);
  }
  return std::nullopt;
}

std::uint32_t element_bits(Element element) { return kElements[static_cast<std::size_t>(element)].bits; }

const StoredTensor* TensorList::find(std::string_view name) const {
  const auto found = std::find_if(tensors_.begin(), tensors_.end(), [&](const auto& t) { return t.name == name; });
  return found == tensors_.end() ? nullptr : &*found;
}

Bytes TensorList::bytes() const {
  Bytes sum;
  for (const StoredTensor& tensor : tensors_) sum += Bytes(tensor.bytes);
  return sum;
}

void TensorList::add_named(std::string_view name, StoredTensor tensor) {
  constexpr std::size_t kBlock = 16384;  // blocks are never moved, so that names stay where they are
  if (kept_.empty() || kept_.back().size() - used_ < name.size()) {
    kept_.emplace_back(std::max(kBlock, name.size()));
    used_ = 0;
  }
  char* at = kept_.back().data() + used_;
  if (!name.empty()) std::memcpy(at, name.data(), name.size());
  used_ += name.size();
  tensor.name = std::string_view(at, name.size());
  tensors_.push_back(tensor);
}

std::optional<std::string_view> TensorList::duplicate() const {
  // An open-addressing table of indices, at most half full; names are compared only where their places meet. Names
  // that were made to meet would make it slow, so long runs fall back to sorting.
  constexpr std::size_t kLongRun = 64;
  std::size_t size = 16;
  while (size < tensors_.size() * 2) size *= 2;
  struct Place {
    std::uint32_t index = 0, check = 0;  ///< index + 1, 0 = free; upper bits of the hash
  };
  std::vector<Place> table(size);
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    const std::uint64_t hash = hash_of(tensors_[i].name);
    const auto check = static_cast<std::uint32_t>(hash >> 32);
    std::size_t at = static_cast<std::size_t>(hash) & (size - 1);
    for (std::size_t run = 0; table[at].index != 0; ++run, at = (at + 1) & (size - 1)) {
      if (table[at].check == check && tensors_[table[at].index - 1].name == tensors_[i].name) return tensors_[i].name;
      if (run == kLongRun) return duplicate_by_sorting(tensors_);
    }
    table[at] = {static_cast<std::uint32_t>(i + 1), check};
  }
  return std::nullopt;
}

Count elements_of(std::span<const std::uint64_t> shape) {
  Count product(1);
  for (const std::uint64_t dimension : shape) product = product * Count(dimension);
  return product;
}

}  // namespace vram
