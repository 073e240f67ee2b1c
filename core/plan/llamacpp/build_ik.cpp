// ik_llama.cpp's latent attention (src/graphs/build_deepseek2.cpp, read at the time of its pull request 2262).
//
// With -mla 2 and 3 a large batch does not read the latent: keys and values of all tokens are unpacked for it, layer by
// layer, in groups of heads whose f32 values stay below -amb. That is the widest moment of the graph.
//
//   DeepSeek-V3, 32,768 tokens, -amb 512: 128 heads × 256 values × 32,768 × 4 B = 4,096 MiB → 8 groups of 16 heads
#include <algorithm>

#include "core/plan/llamacpp/build.h"

namespace vram::llamacpp {

Builder::Latent Builder::project_latent(Id x, int il) {
  const std::uint64_t t = pass_.tokens, heads = model_.layers[static_cast<std::size_t>(il)].heads;
  const std::uint64_t nope = model_.nope_dim, rope = model_.rope_dim, rank = model_.kv_rank, key = nope + rope;
  const bool low_rank = has(Slot::latent_q_a, il);
  Id q = project("queries", low_rank ? Slot::latent_q_a : Slot::attn_q, x, il);
  const Id both = project("latent", Slot::latent_kv_a, x, il);
  const bool in_order = pass_.build.ik && !pass_.build.ik_unpacks_ahead;
  if (in_order) {
    graph_.expand(q);
    graph_.expand(both);
  }
  if (low_rank) {
    q = rms_norm(q, Slot::latent_q_a_norm, il);
    q = project("queries", Slot::latent_q_b, q, il);
  }
  const std::uint64_t row = 4 * key * heads, wide = 4 * (rank + rope);
  Latent parts{};
  parts.q_nope = graph_.view(q, shape(nope, heads, t), 4 * key, row, row * t, 0);
  parts.q_rope = graph_.view(q, shape(rope, heads, t), 4 * key, row, row * t, 4 * nope);
  parts.k_rope = graph_.view(both, shape(rope, 1, t), wide, wide, wide * t, 4 * rank);
  parts.latent = graph_.view(both, shape(rank, t), wide, wide * t, wide * t, 0);
  parts.q_rope = graph_.rope(parts.q_rope, positions_);
  parts.k_rope = graph_.rope(parts.k_rope, positions_);
  if (in_order) {
    graph_.expand(parts.q_rope);
    graph_.expand(parts.k_rope);
  }
  parts.latent = rms_norm(parts.latent, Slot::latent_kv_a_norm, il);
  return parts;
}

Id Builder::latent_up(Slot slot, std::uint64_t outputs, int il) {
  const std::uint64_t heads = model_.layers[static_cast<std::size_t>(il)].heads, rank = model_.kv_rank;
  if (slot != Slot::latent_kv_b && has(slot, il)) return weight(slot, il);
  FormatId type = FormatId::fp16;
  for (const Slot other : {Slot::latent_kv_b, Slot::latent_v_b, Slot::latent_k_b}) {
    const Tensor* tensor = tensor_at(place_of(other, il));
    if (tensor != nullptr) {
      type = tensor->type;
      break;
    }
  }
  if (slot == Slot::latent_k_b) return graph_.weight("attn_k_b", FormatId::q8_0, shape(model_.nope_dim, rank, heads), layer_backend(il));
  if (slot == Slot::latent_v_b) return graph_.weight("attn_v_b", type, shape(rank, model_.v_dim, heads), layer_backend(il));
  return graph_.weight("attn_kv_b", type, shape(rank, outputs), layer_backend(il));
}

Id Builder::ik_latent_attention(Id x, int il) {
  const std::uint64_t t = pass_.tokens, rank = model_.kv_rank, rope = model_.rope_dim;
  const Latent parts = project_latent(x, il);
  const Id joined = graph_.result("new keys", FormatId::fp32, shape(rank + rope, t), {parts.k_rope, parts.latent});
  const Id keys = cache(il, false);
  graph_.expand(graph_.write("keys", keys, {joined}));
  constexpr std::uint64_t large_batch = 128;
  const bool unpacks = pass_.latent_mode > 1 && pass_.flash && t >= large_batch;
  const Id y = unpacks ? ik_expanded_batch(parts, keys, il) : ik_absorbed(parts, keys, il);
  graph_.expand(y);
  return project("attention out", Slot::attn_output, y, il);
}

/// Unpacks keys and values of all cells for one group of heads after the other.
Id Builder::ik_expanded_batch(const Latent& parts, Id keys, int il) {
  const std::uint64_t t = pass_.tokens, cells = full_.cells, heads = model_.layers[static_cast<std::size_t>(il)].heads;
  const std::uint64_t nope = model_.nope_dim, rope = model_.rope_dim, rank = model_.kv_rank, v_dim = model_.v_dim;
  const std::uint64_t each = nope + v_dim;
  std::uint64_t group = heads;
  const std::uint64_t mib = heads * each * cells * 4 >> 20;
  if (pass_.build.ik_bounds_unpacked && pass_.attention_batch > 0 && mib > pass_.attention_batch) {
    group = 1;
    for (std::uint64_t n = 2; n < heads; ++n) {
      if (heads % n == 0 && mib / n <= pass_.attention_batch) {
        group = heads / n;
        break;
      }
    }
  }
  const std::uint64_t row = graph_.node(keys).nb[1];
  const Id latent = graph_.view(keys, shape(rank, cells), row, row * cells, row * cells, 0);
  Id k_rope = graph_.view(keys, shape(rope, cells), row, row * cells, row * cells, 0);
  if (pass_.type_k != FormatId::fp16) k_rope = graph_.result("keys", FormatId::fp16, shape(rope, cells), {k_rope});
  k_rope = graph_.result("keys", FormatId::fp16, shape(rope, cells, group), {k_rope});
  Id q = graph_.result("queries", FormatId::fp32, shape(nope + rope, heads, t), {parts.q_rope, parts.q_nope});
  q = graph_.permute(q, 0, 2, 1, 3);
  graph_.expand(q);
  const Id weight_up = latent_up(Slot::latent_kv_b, each * group, il);
  Id y = kNone;
  for (std::uint64_t first = 0; first < heads; first += group) {
    const Id kv = graph_.mul_mat("unpacked keys and values", weight_up, latent);
    const std::uint64_t head = 4 * each, line = head * group;
    const Id values = graph_.view(kv, shape(v_dim, cells, group), line, head, line * cells, 4 * nope);
    const Id plain = graph_.view(kv, shape(nope, cells, group), line, head, line * cells, 0);
    const Id v = graph_.result("unpacked values", FormatId::fp16, shape(v_dim, cells, group), {values});
    const Id k_nope = graph_.result("unpacked keys", FormatId::fp16, shape(nope, cells, group), {plain});
    graph_.expand(k_nope);
    graph_.expand(v);
    const Id k = graph_.result("unpacked keys", FormatId::fp16, shape(nope + rope, cells, group), {k_rope, k_nope});
    graph_.expand(k);
    const Shape nb = graph_.node(q).nb;
    const Id part = graph_.view(q, shape(nope + rope, t, group), nb[1], nb[2], nb[2] * heads, nb[2] * first);
    const Id seen = graph_.flash_attention(part, k, v, full_.mask, kNone, false);
    const Id flat = graph_.reshape(seen, shape(v_dim * group, t));
    y = y == kNone ? flat : graph_.result("attention", FormatId::fp32, shape(v_dim * (first + group), t), {y, flat});
    if (!pass_.build.ik_unpacks_ahead) graph_.expand(y);
  }
  return y;
}

/// Reads the latent as it is; the up-projections go to queries and results.
Id Builder::ik_absorbed(const Latent& parts, Id keys, int il) {
  const std::uint64_t t = pass_.tokens, cells = full_.cells, heads = model_.layers[static_cast<std::size_t>(il)].heads;
  const std::uint64_t rope = model_.rope_dim, rank = model_.kv_rank, v_dim = model_.v_dim;
  const std::uint64_t row = graph_.node(keys).nb[1];
  const Id all = graph_.view(keys, shape(rank + rope, cells), row, row * cells, row * cells, 0);
  const Id q_nope = graph_.permute(parts.q_nope, 0, 2, 1, 3);
  const Id absorbed = graph_.mul_mat("queries", latent_up(Slot::latent_k_b, 0, il), q_nope);
  const Id q = graph_.result("queries", FormatId::fp32, shape(rank + rope, t, heads), {graph_.permute(parts.q_rope, 0, 2, 1, 3), absorbed});
  const Id latent = graph_.view(keys, shape(rank, cells), row, row * cells, row * cells, 0);
  Id seen = kNone;
  if (pass_.flash && (pass_.latent_mode == 1 || pass_.latent_mode == 3)) {
    seen = graph_.permute(graph_.flash_attention(q, all, latent, full_.mask, kNone, false), 0, 2, 1, 3);
  } else {
    const Id transposed = graph_.result("values", pass_.type_k, shape(cells, rank), {graph_.transpose(latent)});
    const std::uint64_t mib = cells * t * heads * 4 >> 20, most = pass_.attention_batch;
    const std::uint64_t steps = most == 0 || most >= mib ? 1 : std::min(heads, (mib + most - 1) / most);
    const std::uint64_t each = (heads + steps - 1) / steps;
    const Shape nb = graph_.node(q).nb;
    for (std::uint64_t first = 0; first < heads; first += each) {
      const std::uint64_t n = std::min(each, heads - first);
      const Id part = steps == 1 ? q : graph_.view(q, shape(rank + rope, t, n), nb[1], nb[2], nb[3], nb[2] * first);
      Id scores = graph_.mul_mat("scores", all, part);
      scores = graph_.element_wise("scores", scores, full_.mask);
      const Id read = graph_.mul_mat("attention", transposed, scores);
      seen = seen == kNone ? read : graph_.result("attention", FormatId::fp32, shape(rank, t, first + n), {seen, read});
      if (steps > 1) graph_.expand(seen);
    }
  }
  Id y = graph_.mul_mat("attention", latent_up(Slot::latent_v_b, 0, il), seen);
  y = graph_.cont("attention", graph_.permute(y, 0, 2, 1, 3));
  return graph_.reshape(y, shape(v_dim * heads, t));
}

}  // namespace vram::llamacpp
