#include "core/plan/llamacpp/graph.h"

#include <algorithm>
#include <utility>

namespace vram::llamacpp {
namespace {

std::uint64_t block_values(FormatId type) { return std::max<std::uint64_t>(1, storage_format(type).block_values); }

/// True where values share a scale: quantised types, and those with a scale a group (mxfp4).
bool is_blocked(FormatId type) {
  const StorageFormat& format = storage_format(type);
  return format.block_values > 1 || format.group > 0;
}

/// Strides of a tensor without gaps.
Shape packed(FormatId type, const Shape& ne) {
  Shape nb{};
  nb[0] = row_bytes(type, block_values(type));
  nb[1] = row_bytes(type, ne[0]);
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
  const std::uint64_t block = block_values(node.type);
  std::uint64_t bytes = block == 1 ? node.nb[0] + (node.ne[0] - 1) * node.nb[0] : node.ne[0] * node.nb[0] / block;
  for (std::size_t i = 1; i < 4; ++i) bytes += (node.ne[i] - 1) * node.nb[i];
  return bytes;
}

Id Graph::add(Node node) {
  nodes_.push_back(node);
  return static_cast<Id>(nodes_.size() - 1);
}

Id Graph::input(std::string_view name, FormatId type, Shape ne) {
  Node node;
  node.name = name;
  node.type = type;
  node.ne = ne;
  node.nb = packed(type, ne);
  node.input = true;
  return add(node);
}

Id Graph::weight(std::string_view name, FormatId type, Shape ne, std::int16_t backend) {
  Node node;
  node.name = name;
  node.home = Home::weight;
  node.type = type;
  node.ne = ne;
  node.nb = packed(type, ne);
  node.backend = backend;
  node.host_bytes = stored_bytes(storage_format(type), Count(node.rows()), Count(ne[0])).value();
  node.device_bytes = node.host_bytes;
  const std::uint64_t rest = ne[0] % kMatrixRowPadding;
  if (pads_rows_ && is_blocked(type) && rest != 0) node.device_bytes += row_bytes(type, kMatrixRowPadding - rest);
  return add(node);
}

Id Graph::cache(std::string_view name, FormatId type, Shape ne, std::int16_t backend) {
  const Id id = weight(name, type, ne, backend);
  node(id).home = Home::cache;
  return id;
}

Id Graph::view_of(Id a, Node made, std::uint64_t offset) {
  const Node& of = node(a);
  made.name = of.name;
  made.type = of.type;
  made.view_of = of.is_view() ? of.view_of : a;
  made.view_offset = of.view_offset + offset;
  made.sources[0] = a;
  return add(made);
}

Id Graph::view(Id a, Shape ne, std::uint64_t nb1, std::uint64_t nb2, std::uint64_t nb3, std::uint64_t offset) {
  Node made;
  made.op = Op::view;
  made.ne = ne;
  made.nb = {node(a).nb[0], nb1, nb2, nb3};
  return view_of(a, made, offset);
}

Id Graph::reshape(Id a, Shape ne) {
  Node made;
  made.op = Op::view;
  made.ne = ne;
  made.nb = packed(node(a).type, ne);
  return view_of(a, made, 0);
}

Id Graph::permute(Id a, int p0, int p1, int p2, int p3) {
  Node made;
  made.op = Op::view;
  const std::array<int, 4> to{p0, p1, p2, p3};
  for (std::size_t i = 0; i < 4; ++i) {
    made.ne[static_cast<std::size_t>(to[i])] = node(a).ne[i];
    made.nb[static_cast<std::size_t>(to[i])] = node(a).nb[i];
  }
  return view_of(a, made, 0);
}

Id Graph::result(std::string_view name, FormatId type, Shape ne, std::initializer_list<Id> sources) {
  Node made;
  made.name = name;
  made.op = Op::other;
  made.type = type;
  made.ne = ne;
  made.nb = packed(type, ne);
  std::size_t i = 0;
  for (const Id source : sources) made.sources[i++] = source;
  return add(made);
}

Id Graph::get_rows(Id a, Id rows) {
  const Shape& of = node(rows).ne;
  const Id id = result("rows", FormatId::fp32, {node(a).ne[0], of[0], of[1], of[2]}, {a, rows});
  node(id).op = Op::get_rows;
  return id;
}

Id Graph::mul_mat(std::string_view name, Id weight, Id x) {
  const Shape of = node(x).ne;
  const Id id = result(name, FormatId::fp32, {node(weight).ne[1], of[1], of[2], of[3]}, {weight, x});
  node(id).op = Op::mul_mat;
  return id;
}

Id Graph::mul_mat_id(std::string_view name, Id experts, Id x, Id chosen) {
  const Shape ne = {node(experts).ne[1], node(chosen).ne[0], node(x).ne[2], 1};
  const Id id = result(name, FormatId::fp32, ne, {experts, x, chosen});
  node(id).op = Op::mul_mat_id;
  return id;
}

Id Graph::element_wise(std::string_view name, Id a, Id b, Id c) {
  const Id id = result(name, node(a).type, node(a).ne, {a, b, c});
  node(id).op = Op::in_place;
  return id;
}

Id Graph::rope(Id a, Id positions, Id factors) {
  const Id id = result("rope", node(a).type, node(a).ne, {a, positions, factors});
  node(id).op = Op::rope;
  return id;
}

Id Graph::write(std::string_view name, Id to, std::initializer_list<Id> from) {
  Node made = node(to);
  made.op = Op::other;
  made.home = Home::graph;
  made.input = made.output = false;
  made.backend = -1;
  made.sources.fill(kNone);
  std::size_t i = 0;
  for (const Id source : from) made.sources[i++] = source;
  made.sources[i] = to;
  const Id id = view_of(to, made, 0);
  Node& added = node(id);
  added.name = name;
  added.sources = made.sources;
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
    std::uint64_t end = node_bytes(made);
    for (const Id side : {k, v}) {
      if (node(side).type == FormatId::fp16 || (side == v && shared && side != k)) continue;
      end = (end + 127) / 128 * 128 + node(side).values() * 2;
    }
    made.device_workspace = end - node_bytes(made);
  }
  return id;
}

void Graph::expand(Id a) {
  if (!known(a)) return;
  visited_.resize(nodes_.size(), false);
  if (visited_[static_cast<std::size_t>(a)]) return;
  visited_[static_cast<std::size_t>(a)] = true;
  for (const Id source : node(a).sources) {
    if (source != kNone) expand(source);
  }
  (node(a).op == Op::leaf ? leaves_ : order_).push_back(a);
}

}  // namespace vram::llamacpp
