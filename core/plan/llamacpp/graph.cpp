#include "core/plan/llamacpp/graph.h"

#include <algorithm>

namespace vram::llamacpp {
namespace {

std::uint64_t block_values(FormatId type) { return std::max<std::uint64_t>(1, storage_format(type).block_values); }

/// True where values share a scale: quantised types, and those with a scale a group (mxfp4).
bool is_blocked(FormatId type) {
  const StorageFormat& format = storage_format(type);
  return format.block_values > 1 || format.group > 0;
}

/// Bytes of a value of the types that have nothing beside it; 0 = a type of blocks or scales.
std::uint64_t plain_bytes(FormatId type) {
  switch (type) {
    case FormatId::fp32: case FormatId::raw32: return 4;
    case FormatId::fp16: case FormatId::bf16: case FormatId::raw16: return 2;
    case FormatId::fp64: case FormatId::raw64: return 8;
    case FormatId::raw8: return 1;
    default: return 0;
  }
}

/// Strides of a tensor without gaps.
Shape packed(FormatId type, const Shape& ne) {
  Shape nb{};
  const std::uint64_t plain = plain_bytes(type);
  nb[0] = plain > 0 ? plain : row_bytes(type, block_values(type));
  nb[1] = plain > 0 ? plain * ne[0] : row_bytes(type, ne[0]);
  nb[2] = nb[1] * ne[1];
  nb[3] = nb[2] * ne[2];
  return nb;
}

constexpr std::uint64_t kMatrixRowPadding = 512;  // ggml-cuda: kernels read quantised rows in steps of 512 values

}  // namespace

std::uint64_t row_bytes(FormatId type, std::uint64_t values) {
  return stored_bytes(storage_format(type), Count(1), Count(values)).value();
}

std::uint64_t node_bytes(const Node& node) {
  for (const std::uint64_t n : node.ne) {
    if (n == 0) return 0;
  }
  const std::uint64_t block = plain_bytes(node.type) > 0 ? 1 : block_values(node.type);
  std::uint64_t bytes = block == 1 ? node.nb[0] + (node.ne[0] - 1) * node.nb[0] : node.ne[0] * node.nb[0] / block;
  for (std::size_t i = 1; i < 4; ++i) bytes += (node.ne[i] - 1) * node.nb[i];
  return bytes;
}

void Graph::reserve(std::size_t tensors) {
  nodes_.reserve(tensors);
  sources_.reserve(2 * tensors);
  order_.reserve(tensors);
  leaves_.reserve(tensors / 2);
  visited_.reserve(tensors);
}

Node& Graph::add(std::initializer_list<Id> sources) {
  Node& made = nodes_.emplace_back();
  made.first_source = static_cast<std::uint32_t>(sources_.size());
  for (const Id source : sources) {
    if (source != kNone) sources_.push_back(source);
  }
  made.source_count = static_cast<std::uint8_t>(sources_.size() - made.first_source);
  return made;
}

Id Graph::input(const char* name, FormatId type, Shape ne) {
  Node& made = add({});
  made.name = name;
  made.type = type;
  made.ne = ne;
  made.nb = packed(type, ne);
  made.bytes = node_bytes(made);
  made.input = true;
  return last();
}

Id Graph::weight(const char* name, FormatId type, Shape ne, std::int16_t backend) {
  Node& made = add({});
  made.name = name;
  made.home = Home::weight;
  made.type = type;
  made.ne = ne;
  made.nb = packed(type, ne);
  made.backend = backend;
  return last();
}

void Graph::set_stored_bytes(Node& node) const {
  node.bytes = stored_bytes(storage_format(node.type), Count(node.rows()), Count(node.ne[0])).value();
  const std::uint64_t rest = node.ne[0] % kMatrixRowPadding;
  const bool padded = pads_rows_ && is_blocked(node.type) && rest != 0;
  node.device_extra = padded ? row_bytes(node.type, kMatrixRowPadding - rest) : 0;
}

Id Graph::copied(Id id) {
  Node made = nodes_[static_cast<std::size_t>(id)];
  const bool of_home = made.is_view() && made.bytes > 0;  // what writes into a cache copies with all of it
  if (made.home != Home::graph) {
    set_stored_bytes(made);
  } else if (!of_home) {
    made.bytes = made.is_view() ? node_bytes(made) : made.bytes;
    made.device_extra = 0;
  }
  made.op = Op::leaf;
  made.home = Home::graph;
  made.view_of = kNone;
  made.view_offset = 0;
  made.source_count = 0;
  made.input = made.output = false;
  nodes_.push_back(made);
  return last();
}

Id Graph::cache(const char* name, FormatId type, Shape ne, std::int16_t backend) {
  const Id id = weight(name, type, ne, backend);
  node(id).home = Home::cache;
  return id;
}

Id Graph::view_of(Id a, const Shape& ne, const Shape& nb, std::uint64_t offset) {
  Node& made = add({a});
  const Node& of = node(a);
  made.op = Op::view;
  made.ne = ne;
  made.nb = nb;
  made.name = of.name;
  made.type = of.type;
  made.view_of = of.is_view() ? of.view_of : a;
  made.view_offset = of.view_offset + offset;
  return last();
}

Id Graph::view(Id a, Shape ne, std::uint64_t nb1, std::uint64_t nb2, std::uint64_t nb3, std::uint64_t offset) {
  return view_of(a, ne, {node(a).nb[0], nb1, nb2, nb3}, offset);
}

Id Graph::reshape(Id a, Shape ne) { return view_of(a, ne, packed(node(a).type, ne), 0); }

Id Graph::permute(Id a, int p0, int p1, int p2, int p3) {
  Shape ne{}, nb{};
  const std::array<int, 4> to{p0, p1, p2, p3};
  for (std::size_t i = 0; i < 4; ++i) {
    ne[static_cast<std::size_t>(to[i])] = node(a).ne[i];
    nb[static_cast<std::size_t>(to[i])] = node(a).nb[i];
  }
  return view_of(a, ne, nb, 0);
}

Id Graph::result(const char* name, FormatId type, Shape ne, std::initializer_list<Id> sources) {
  Node& made = add(sources);
  made.name = name;
  made.op = Op::other;
  made.type = type;
  made.ne = ne;
  made.nb = packed(type, ne);
  made.bytes = node_bytes(made);
  return last();
}

Id Graph::get_rows(Id a, Id rows) {
  const Shape& of = node(rows).ne;
  const Id id = result("rows", FormatId::fp32, {node(a).ne[0], of[0], of[1], of[2]}, {a, rows});
  node(id).op = Op::get_rows;
  return id;
}

Id Graph::mul_mat(const char* name, Id weight, Id x) {
  const Shape of = node(x).ne;
  const Id id = result(name, FormatId::fp32, {node(weight).ne[1], of[1], of[2], of[3]}, {weight, x});
  node(id).op = Op::mul_mat;
  return id;
}

Id Graph::mul_mat_id(const char* name, Id experts, Id x, Id chosen) {
  const Shape ne = {node(experts).ne[1], node(chosen).ne[0], node(x).ne[2], 1};
  const Id id = result(name, FormatId::fp32, ne, {experts, x, chosen});
  node(id).op = Op::mul_mat_id;
  return id;
}

Id Graph::element_wise(const char* name, Id a, Id b, Id c) {
  const Id id = result(name, node(a).type, node(a).ne, {a, b, c});
  node(id).op = Op::in_place;
  return id;
}

Id Graph::rope(Id a, Id positions, Id factors) {
  const Id id = result("rope", node(a).type, node(a).ne, {a, positions, factors});
  node(id).op = Op::rope;
  return id;
}

Id Graph::write(const char* name, Id to, std::initializer_list<Id> from) {
  const std::uint32_t first = static_cast<std::uint32_t>(sources_.size());
  for (const Id source : from) {
    if (source != kNone) sources_.push_back(source);
  }
  const Shape ne = node(to).ne, nb = node(to).nb;
  const Id id = view_of(to, ne, nb, 0);
  Node& made = node(id);
  made.first_source = first;
  made.source_count = static_cast<std::uint8_t>(sources_.size() - first);
  made.op = Op::other;
  made.name = name;
  if (node(to).home != Home::graph) set_stored_bytes(made);
  return id;
}

Id Graph::flash_attention(Id q, Id k, Id v, Id mask, Id sinks, bool workspace) {
  const Shape of = node(q).ne;
  const Id id = result("attention", FormatId::fp32, {node(v).ne[0], of[2], of[1], of[3]}, {q, k, v, mask, sinks});
  Node& made = node(id);
  made.op = Op::flash_attention;
  if (workspace) {
    // Keys and values that the kernel does not read as they are stored are unpacked to f16 behind the result
    // (ggml-cuda/fattn.cu, ggml_cuda_flash_attn_ext_get_f16_extra_data); values that are a view of the keys share theirs.
    const bool shared = node(v).view_of == node(k).view_of && node(v).view_offset == node(k).view_offset;
    std::uint64_t end = made.bytes;
    for (const Id side : {k, v}) {
      if (node(side).type == FormatId::fp16 || (side == v && shared && side != k)) continue;
      end = (end + 127) / 128 * 128 + node(side).values() * 2;
    }
    made.device_extra = end - made.bytes;
  }
  return id;
}

void Graph::expand(Id a) {
  if (!known(a)) return;
  visited_.resize(nodes_.size(), 0);
  if (visited_[static_cast<std::size_t>(a)] != 0) return;
  visited_[static_cast<std::size_t>(a)] = 1;
  for (const Id source : sources(a)) expand(source);
  (node(a).op == Op::leaf ? leaves_ : order_).push_back(a);
}

}  // namespace vram::llamacpp
