// A compute graph as llama.cpp builds it, reduced to what decides memory: sizes, what reads what, what is a view.
//
// llama.cpp reserves one buffer a device for everything a forward pass computes. Its size is the high-water mark of an
// allocator that walks the graph, gives every tensor a place and takes it back after the last reader. No closed formula
// gives that mark for every model, batch and placement, so the graph itself is built here, tensor by tensor, and the
// same walk is made over it (allocate.h). A 70-billion model is 3,500 tensors and takes a fifth of a millisecond.
//
//   Graph graph;
//   const Id x = graph.input("inp_tokens", Type::i32, {512});
//   const Id e = graph.get_rows(embedding, x);             // 512 rows of the embedding, f32
//   graph.expand(e);                                       // its place in the order of execution
//
// Shapes are ggml's: ne[0] is the innermost dimension. Every function states the rule of ggml it stands for
// (ggml/src/ggml.c, read at the time of libllama 0.5.0).
#pragma once
#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "core/units/format.h"

namespace vram::llamacpp {

using Id = std::int32_t;
constexpr Id kNone = -1;
using Shape = std::array<std::uint64_t, 4>;
constexpr Shape shape(std::uint64_t a, std::uint64_t b = 1, std::uint64_t c = 1, std::uint64_t d = 1) {
  return {a, b, c, d};
}

/// What an operation does with memory and where it may run; operations that behave alike share one name.
enum class Op : std::uint8_t {
  leaf,             ///< a weight, a cache or an input
  view,             ///< view, reshape, permute, transpose: never computed
  get_rows,         ///< never moved to a device for the sake of its weight
  mul_mat,
  mul_mat_id,       ///< one of many experts a row
  rope,             ///< may overwrite its source; its small weight does not choose a device
  flash_attention,  ///< its small weight (sinks) does not choose a device
  in_place,         ///< may overwrite a source of the same layout: add, mul, scale, unary, norm, softmax, …
  other,
};

/// Where a leaf lies. Devices count from 0; the host is the last backend.
enum class Home : std::uint8_t { graph, weight, cache };

struct Node {
  Shape ne{1, 1, 1, 1}, nb{};           ///< values, and bytes from one to the next, of each dimension
  std::uint64_t view_offset = 0;
  std::uint64_t bytes = 0;              ///< ggml_nbytes of what is computed; of a leaf with a home only where it is copied
  std::uint64_t device_extra = 0;       ///< asked for behind them on a GPU only
  const char* name = "";                ///< for whoever looks at a graph
  Id view_of = kNone;                   ///< the tensor whose bytes these are
  std::uint32_t first_source = 0;       ///< in the graph's list
  std::uint8_t source_count = 0;
  Op op = Op::leaf;
  Home home = Home::graph;
  bool input = false, output = false;
  FormatId type = FormatId::fp32;
  std::int16_t backend = -1;            ///< of a leaf with a home, or asked for by the model's builder

  bool is_view() const { return view_of != kNone; }
  std::uint64_t values() const { return ne[0] * ne[1] * ne[2] * ne[3]; }
  std::uint64_t rows() const { return ne[1] * ne[2] * ne[3]; }
};

/// Bytes of one row of `values` values; quantised rows are whole blocks.
std::uint64_t row_bytes(FormatId type, std::uint64_t values);
/// Bytes from the first to the last value (ggml_nbytes): views count their gaps.
std::uint64_t node_bytes(const Node& node);

class Graph {
 public:
  /// `pads_rows`: GPUs want quantised rows in whole steps of 512 values.
  explicit Graph(bool pads_rows = true) : pads_rows_(pads_rows) {}
  /// Room for so many tensors; more may come.
  void reserve(std::size_t tensors);

  // leaves
  Id input(const char* name, FormatId type, Shape ne);
  Id weight(const char* name, FormatId type, Shape ne, std::int16_t backend);
  Id cache(const char* name, FormatId type, Shape ne, std::int16_t backend);

  // views
  Id view(Id a, Shape ne, std::uint64_t nb1, std::uint64_t nb2, std::uint64_t nb3, std::uint64_t offset);
  Id reshape(Id a, Shape ne);
  Id permute(Id a, int p0, int p1, int p2, int p3);
  Id transpose(Id a) { return permute(a, 1, 0, 2, 3); }

  // operations
  Id get_rows(Id a, Id rows);
  Id mul_mat(const char* name, Id weight, Id x);
  Id mul_mat_id(const char* name, Id experts, Id x, Id chosen);
  Id element_wise(const char* name, Id a, Id b = kNone, Id c = kNone);  ///< shape of `a`, may overwrite a source
  Id rope(Id a, Id positions, Id factors = kNone);
  Id result(const char* name, FormatId type, Shape ne, std::initializer_list<Id> sources);  ///< any other operation
  Id cont(const char* name, Id a) { return cont(name, a, node(a).ne); }
  Id cont(const char* name, Id a, Shape ne) { return result(name, node(a).type, ne, {a}); }
  /// Writes `from` into `to` (cpy, set_rows): a view of `to` that is computed.
  Id write(const char* name, Id to, std::initializer_list<Id> from);
  Id flash_attention(Id q, Id k, Id v, Id mask, Id sinks, bool workspace);

  /// A GPU keeps `tensor` until `until` has been computed, since one kernel does everything in between. In the order of
  /// execution.
  void keep(Id tensor, Id until) { kept_.push_back({tensor, until}); }

  /// Layers like those between the results `a` and `b` were left out behind `b`. That is right where a buffer is divided
  /// alike at both: then it is at the end of every one of them.
  void leave_out_after(Id a, Id b) { left_out_.push_back({a, b}); }
  struct LeftOut {
    Id a, b;
  };
  const std::vector<LeftOut>& left_out() const { return left_out_; }

  /// Puts `a` and everything it needs into the order of execution (ggml_build_forward_expand).
  void expand(Id a);

  const Node& node(Id id) const { return known(id) ? nodes_[static_cast<std::size_t>(id)] : absent_; }
  Node& node(Id id) {
    if (known(id)) return nodes_[static_cast<std::size_t>(id)];
    return absent_ = Node{};
  }
  /// What a tensor reads, in order.
  std::span<const Id> sources(Id id) const { return {sources_.data() + node(id).first_source, node(id).source_count}; }
  /// False when something was built from a tensor that the model does not have: a file that contradicts itself.
  bool complete() const { return complete_; }
  std::size_t size() const { return nodes_.size(); }
  const std::vector<Id>& order() const { return order_; }
  const std::vector<Id>& leaves() const { return leaves_; }

 private:
  friend class Scheduler;
  Node& add(std::initializer_list<Id> sources);
  Id last() const { return static_cast<Id>(nodes_.size() - 1); }
  Id view_of(Id a, const Shape& ne, const Shape& nb, std::uint64_t offset);
  void set_stored_bytes(Node& node) const;
  Id copied(Id id);  ///< a place for the same bytes on another backend
  bool known(Id id) const {
    const bool there = id >= 0 && static_cast<std::size_t>(id) < nodes_.size();
    if (!there) complete_ = false;
    return there;
  }

  struct Kept {
    Id tensor, until;
  };

  bool pads_rows_;
  Node absent_;
  mutable bool complete_ = true;
  std::vector<Node> nodes_;
  std::vector<Kept> kept_;
  std::vector<LeftOut> left_out_;
  std::vector<std::uint8_t> visited_;
  std::vector<Id> sources_, order_, leaves_;
};

}  // namespace vram::llamacpp
