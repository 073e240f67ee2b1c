// What a header says is stored: a list of named tensors with their types, shapes and bytes. No meaning yet; that is
// given in checkpoint.h.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/units/bytes.h"
#include "core/units/format.h"

namespace vram {

/// Types of safetensors; plain types of GGUF are among them, block types are `ggml` with a format.
enum class Element : std::uint8_t {
  boolean,
  f4,
  f6_e2m3,
  f6_e3m2,
  u8,
  i8,
  f8_e5m2,
  f8_e4m3,
  f8_e8m0,
  f8_e4m3fnuz,
  f8_e5m2fnuz,
  i16,
  u16,
  f16,
  bf16,
  i32,
  u32,
  f32,
  f64,
  i64,
  u64,
  c64,
  ggml,
  count_
};
std::string_view element_name(Element element);              ///< "F8_E4M3", as safetensors writes it
std::optional<Element> find_element(std::string_view name);  ///< of a name as safetensors writes it
std::uint32_t element_bits(Element element);                 ///< 0 for ggml

struct StoredTensor {
  std::string_view name;  ///< lives in the list
  std::uint64_t bytes = 0;
  std::uint32_t shape_at = 0;
  std::uint8_t rank = 0;
  Element element = Element::f32;
  FormatId format = FormatId::fp32;  ///< of element ggml
};

/// Tensors with their names and shapes in two shared pieces of memory; moving the list keeps the names valid.
class TensorList {
 public:
  TensorList() = default;
  TensorList(TensorList&&) = default;
  TensorList& operator=(TensorList&&) = default;
  TensorList(const TensorList&) = delete;
  TensorList& operator=(const TensorList&) = delete;

  /// Slowest dimension first, as in `shape` of safetensors: a matrix is {outputs, inputs}.
  std::span<const std::uint64_t> shape(const StoredTensor& tensor) const {
    return std::span(dimensions_).subspan(tensor.shape_at, tensor.rank);
  }
  const std::vector<StoredTensor>& tensors() const { return tensors_; }
  const StoredTensor* find(std::string_view name) const;
  Bytes bytes() const;

  /// The dimensions of the tensor that is added next.
  void add_dimension(std::uint64_t dimension) { dimensions_.push_back(dimension); }
  std::uint32_t dimensions() const { return static_cast<std::uint32_t>(dimensions_.size()); }
  /// Adds a tensor; its name must live as long as the list (in what was `keep`ed).
  void add(const StoredTensor& tensor) { tensors_.push_back(tensor); }
  /// Adds a tensor and a copy of its name.
  void add_named(std::string_view name, StoredTensor tensor);
  /// Corrects the bytes of a tensor whose place told better than its type.
  void set_bytes(std::size_t index, std::uint64_t bytes) { tensors_[index].bytes = bytes; }
  /// Memory that names point into.
  void keep(std::vector<char> memory) {
    kept_.push_back(std::move(memory));
    used_ = kept_.back().size();
  }
  /// A name that two tensors share, or nothing.
  std::optional<std::string_view> duplicate() const;

 private:
  std::vector<StoredTensor> tensors_;
  std::vector<std::uint64_t> dimensions_;
  std::vector<std::vector<char>> kept_;
  std::size_t used_ = 0;  ///< of the last block of names
};

/// Elements of a shape.
Count elements_of(std::span<const std::uint64_t> shape);

}  // namespace vram
