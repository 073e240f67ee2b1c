// Attention: projections, norms and positions of queries and keys, the cache, and the scores.
#include "core/plan/llamacpp/build.h"

namespace vram::llamacpp {

Id Builder::cache(int il, bool values) {
  const Layer& layer = model_.layers[static_cast<std::size_t>(il)];
  const bool sliding = layer.sliding && pass_.window_cells > 0;
  int owner = il;
  if (!layer.keeps_kv) {  // the last layer of the same kind that has a cache
    for (int other = il - 1; other >= 0; --other) {
      const Layer& earlier = model_.layers[static_cast<std::size_t>(other)];
      if (earlier.keeps_kv && earlier.sliding == layer.sliding) {
        owner = other;
        break;
      }
    }
  }
  Id& made = (values ? v_caches_ : k_caches_)[static_cast<std::size_t>(owner)];
  if (made != kNone) return made;
  std::uint64_t width = std::uint64_t{layer.kv_heads} * (values ? layer.value_dim : layer.key_dim);
  if (layer.latent) width = std::uint64_t{model_.kv_rank} + model_.rope_dim;
  if (values && !pass_.flash) width = widest_value_;  // a transposed cache has one width
  const std::int16_t backend = pass_.cache_on_device ? layer_backend(owner) : pass_.host();
  const std::uint64_t cells = sliding ? pass_.window_cells : pass_.cells;
  return made = graph_.cache(values ? "values" : "keys", values ? pass_.type_v : pass_.type_k,
                             shape(width, cells, pass_.streams), backend);
}

/// The table of frequencies, one on every backend that has layers reading it.
Id Builder::rope_table(int il) {
  const Tensor* table = tensor_at(place_of(Slot::rope_freqs, -1));
  if (table == nullptr) return kNone;
  rope_tables_.resize(static_cast<std::size_t>(pass_.devices) + 1, kNone);
  Id& made = rope_tables_[static_cast<std::size_t>(layer_backend(il))];
  if (made == kNone) made = graph_.weight("rope_freqs", table->type, table->ne, layer_backend(il));
  return made;
}

/// Multiplies every `rotation` values by a Hadamard matrix, so that a quantised cache loses less.
Id Builder::rotate(Id x, Id rotation) {
  const Shape ne = graph_.node(x).ne;
  const std::uint64_t n = graph_.node(rotation).ne[0];
  const std::uint64_t rows = graph_.node(x).values() / n;
  const bool packed = graph_.node(x).nb[1] == row_bytes(graph_.node(x).type, ne[0]) &&
                      graph_.node(x).nb[2] == graph_.node(x).nb[1] * ne[1];
  const Id flat = packed ? graph_.reshape(x, shape(n, rows)) : graph_.cont("rotated", x, shape(n, rows));
  return graph_.reshape(graph_.mul_mat("rotated", rotation, flat), ne);
}

Id Builder::scores(Id q, Id k, Id v, const Attention& input, int il, Id value_up) {
  const Node& of = graph_.node(q);
  const std::uint64_t streams = graph_.node(k).ne[3];
  const Shape nb = of.nb;
  q = graph_.view(q, shape(of.ne[0], of.ne[1], of.ne[2] / streams, streams), nb[1], nb[2], nb[3] / streams, 0);
  q = graph_.permute(q, 0, 2, 1, 3);
  const bool transposed = graph_.node(v).nb[1] > graph_.node(v).nb[2];
  k = graph_.permute(k, 0, 2, 1, 3);
  v = graph_.permute(v, 0, 2, 1, 3);
  Id y = kNone;
  const Id sinks = rules_.sinks ? weight(Slot::attn_sinks, il) : kNone;
  if (pass_.flash) {
    y = graph_.flash_attention(q, k, v, input.mask, sinks, pass_.build.unpack_in_graph);
    if (value_up != kNone) {
      y = graph_.permute(y, 0, 2, 1, 3);
      y = graph_.mul_mat("attention", value_up, y);
      y = graph_.permute(y, 0, 2, 1, 3);
      y = graph_.cont("attention", y);
    }
    const Shape ne = graph_.node(y).ne;
    y = graph_.reshape(y, shape(ne[0] * ne[1], ne[2] * ne[3]));
  } else {
    Id kq = graph_.mul_mat("scores", k, q);
    if (rules_.capped_scores) {
      for (int i = 0; i < 3; ++i) kq = unary("scores", kq);  // scale, tanh, scale
    }
    kq = graph_.element_wise("scores", kq, input.mask, sinks);  // softmax
    if (!transposed) v = graph_.cont("values", graph_.transpose(v));
    Id kqv = graph_.mul_mat("attention", v, kq);
    if (value_up != kNone) kqv = graph_.mul_mat("attention", value_up, kqv);
    y = graph_.permute(kqv, 0, 2, 1, 3);
    const Shape ne = graph_.node(y).ne;
    y = graph_.cont("attention", y, shape(ne[0] * ne[1], ne[2] * ne[3]));
    if (!pass_.cache_on_device) graph_.node(y).backend = pass_.host();
  }
  graph_.expand(y);
  return y;
}

Id Builder::attend(Id q, Id k, Id v, int il, Id value_up) {
  const Layer& layer = model_.layers[static_cast<std::size_t>(il)];
  const Attention& input = layer.sliding && sliding_.mask != kNone ? sliding_ : full_;
  const bool two_caches = pass_.window_cells > 0;
  if (input.k_rotation != kNone) {
    q = rotate(q, input.k_rotation);
    if (k != kNone) k = rotate(k, input.k_rotation);
  }
  if (input.v_rotation != kNone && v != kNone) v = rotate(v, input.v_rotation);
  graph_.expand(q);
  if (two_caches && k != kNone) graph_.expand(k);
  if (v != kNone) graph_.expand(v);
  if (!two_caches && k != kNone) graph_.expand(k);

  const std::uint64_t key_dim = layer.latent ? std::uint64_t{model_.kv_rank} + model_.rope_dim : layer.key_dim;
  const std::uint64_t kv_heads = layer.latent ? 1 : layer.kv_heads;
  const Id keys = cache(il, false);
  const std::uint64_t streams = pass_.streams, cells = input.cells;
  const auto flat = [&](Id all) {
    const Shape ne = graph_.node(all).ne;
    return streams > 1 ? graph_.reshape(all, shape(ne[0], ne[1] * ne[2])) : all;
  };
  const auto rows = [&](Id x) {  // heads side by side
    const Shape ne = graph_.node(x).ne;
    return graph_.view(x, shape(ne[0] * ne[1], ne[2]), graph_.node(x).nb[2], graph_.node(x).nb[2] * ne[2],
                       graph_.node(x).nb[2] * ne[2], 0);
  };
  if (k != kNone) graph_.expand(graph_.write("keys", flat(keys), {rows(k), input.k_rows}));
  const std::uint64_t value_width = std::uint64_t{layer.kv_heads} * layer.value_dim;
  if (v != kNone && !layer.latent) {
    const Id values = cache(il, true);
    if (pass_.flash) {
      graph_.expand(graph_.write("values", flat(values), {rows(v), input.v_rows}));
    } else {
      Id from = rows(v);
      if (value_width < widest_value_) {
        from = graph_.result("values", FormatId::fp32, shape(widest_value_, pass_.tokens), {from});  // padded
      }
      const Id single = graph_.reshape(values, shape(1, graph_.node(values).values()));
      from = graph_.reshape(from, shape(1, graph_.node(from).values()));
      graph_.expand(graph_.write("values", single, {from, input.v_rows}));
    }
  }
  const FormatId tk = pass_.type_k, tv = pass_.type_v;
  const std::uint64_t k_row = graph_.node(keys).nb[1];
  k = graph_.view(keys, shape(key_dim, kv_heads, cells, streams), row_bytes(tk, key_dim), k_row, k_row * cells, 0);
  if (layer.latent) {
    v = graph_.view(k, shape(model_.kv_rank, kv_heads, cells, streams), graph_.node(k).nb[1], graph_.node(k).nb[2],
                    graph_.node(k).nb[3], 0);
  } else if (pass_.flash) {
    const Id values = cache(il, true);
    const std::uint64_t v_row = graph_.node(values).nb[1];
    v = graph_.view(values, shape(layer.value_dim, kv_heads, cells, streams), row_bytes(tv, layer.value_dim), v_row,
                    v_row * cells, 0);
  } else {
    const Id values = cache(il, true);
    v = graph_.view(values, shape(cells, kv_heads, layer.value_dim, streams), row_bytes(tv, cells * layer.value_dim),
                    row_bytes(tv, cells), row_bytes(tv, cells * widest_value_), 0);
  }
  Id y = scores(q, k, v, input, il, value_up);
  if (input.v_rotation != kNone) y = rotate(y, input.v_rotation);
  return y;
}

Id Builder::attention(Id x, int il) {
  const Layer& layer = model_.layers[static_cast<std::size_t>(il)];
  const std::uint64_t t = pass_.tokens, head = layer.key_dim, heads = layer.heads, kv_heads = layer.kv_heads;
  Id q = kNone, k = kNone, v = kNone, gate = kNone;
  const bool own_kv = layer.keeps_kv;
  if (rules_.fused_qkv) {
    Id qkv = project("qkv", Slot::attn_qkv, x, il);
    if (rules_.qkv_bias) qkv = add("qkv", qkv, weight(Slot::attn_qkv_b, il));
    const std::uint64_t row = graph_.node(qkv).nb[1];
    const auto part = [&](std::uint64_t n, std::uint64_t from) {
      const Id view = graph_.view(qkv, shape(head, n, t), 4 * head, row, row * t, 4 * head * from);
      return pass_.build.copies_qkv ? graph_.cont("queries", view) : view;
    };
    q = part(heads, 0);
    k = part(kv_heads, heads);
    v = part(kv_heads, heads + kv_heads);
  } else {
    q = project("queries", Slot::attn_q, x, il);
    if (rules_.qkv_bias) q = add("queries", q, weight(Slot::attn_q_b, il));
    if (own_kv) {
      k = project("new keys", Slot::attn_k, x, il);
      if (rules_.qkv_bias) k = add("new keys", k, weight(Slot::attn_k_b, il));
      v = k;
      if (layer.own_value) {
        v = project("new values", Slot::attn_v, x, il);
        if (rules_.qkv_bias) v = add("new values", v, weight(Slot::attn_v_b, il));
      }
    }
    if (rules_.attention_gate) {
      const std::uint64_t row = graph_.node(q).nb[1];
      const Id both = q;
      q = graph_.view(both, shape(head, heads, t), 4 * head * 2, row, row * t, 0);
      gate = graph_.view(both, shape(head, heads, t), 4 * head * 2, row, row * t, 4 * head);
    } else if (rules_.head_norm != HeadNorm::full) {
      q = graph_.reshape(q, shape(head, heads, t));
    }
    if (own_kv && rules_.head_norm != HeadNorm::full) {
      k = graph_.reshape(k, shape(head, kv_heads, t));
      v = graph_.reshape(v, shape(layer.value_dim, kv_heads, t));
    }
  }
  const auto head_norms = [&] {
    q = norm_with(q, weight(Slot::attn_q_norm, il), kNone, rules_.head_norm_is_layer_norm, il);
    if (k != kNone) k = norm_with(k, weight(Slot::attn_k_norm, il), kNone, rules_.head_norm_is_layer_norm, il);
  };
  const bool normed = has(Slot::attn_q_norm, il);
  if (normed && rules_.head_norm != HeadNorm::per_head_after_rope) head_norms();
  if (rules_.head_norm == HeadNorm::full) {
    q = graph_.reshape(q, shape(head, heads, t));
    k = graph_.reshape(k, shape(head, kv_heads, t));
    v = graph_.reshape(v, shape(layer.value_dim, kv_heads, t));
  }
  if (rules_.value_norm && v != kNone) v = unary("new values", v);
  if (gate != kNone) gate = graph_.cont("gate", gate, shape(head * heads, t));
  const bool skips = rules_.no_rope_period > 0 && (il + 1) % rules_.no_rope_period == 0;
  const bool rope = rules_.rope && !skips && (!rules_.rope_on_windows_only || layer.sliding || model_.window == 0);
  if (rope) {
    const Id factors = rules_.rope_factors && !layer.sliding ? rope_table(il) : kNone;
    q = graph_.rope(q, positions_, factors);
    if (k != kNone) k = graph_.rope(k, positions_, factors);
  }
  if (normed && rules_.head_norm == HeadNorm::per_head_after_rope) head_norms();
  if (rules_.scaled_query) q = unary("queries", q);
  Id y = attend(q, k, v, il);
  if (gate != kNone) y = mul("attention", y, unary("gate", gate));
  y = project("attention out", Slot::attn_output, y, il);
  if (rules_.o_bias) y = add("attention out", y, weight(Slot::attn_output_b, il));
  return y;
}

/// Latent attention as it was before the up-projections were absorbed: keys and values of every head.
Id Builder::expanded_attention(Id x, int il) {
  const std::uint64_t t = pass_.tokens, heads = model_.layers[static_cast<std::size_t>(il)].heads;
  const std::uint64_t nope = model_.nope_dim, rope = model_.rope_dim, v_dim = model_.v_dim;
  const Latent parts = project_latent(x, il);
  const Id weight_up = latent_up(Slot::latent_kv_b, heads * (nope + v_dim), il);
  const Id kv = graph_.mul_mat("keys and values", weight_up, parts.latent);
  const std::uint64_t head = 4 * (nope + v_dim), row = head * heads;
  const Id k_nope = graph_.view(kv, shape(nope, heads, t), head, row, row * t, 0);
  const Id v = graph_.cont("new values", graph_.view(kv, shape(v_dim, heads, t), head, row, row * t, 4 * nope));
  const Id q = graph_.result("queries", FormatId::fp32, shape(nope + rope, heads, t), {parts.q_nope, parts.q_rope});
  const Id repeated = graph_.result("new keys", FormatId::fp32, shape(rope, heads, t), {parts.k_rope});
  const Id k = graph_.result("new keys", FormatId::fp32, shape(nope + rope, heads, t), {k_nope, repeated});
  return project("attention out", Slot::attn_output, attend(q, k, v, il), il);
}

/// Multi-head latent attention with the up-projections absorbed: one key of kv_rank + rope_dim values a token.
Id Builder::latent_attention(Id x, int il) {
  const std::uint64_t t = pass_.tokens, heads = model_.layers[static_cast<std::size_t>(il)].heads;
  const std::uint64_t nope = model_.nope_dim, rope = model_.rope_dim, rank = model_.kv_rank, key = nope + rope;
  Id q = kNone;
  if (has(Slot::latent_q_a, il)) {
    q = rms_norm(project("queries", Slot::latent_q_a, x, il), Slot::latent_q_a_norm, il);
    q = project("queries", Slot::latent_q_b, q, il);
  } else {
    q = project("queries", Slot::attn_q, x, il);
  }
  const std::uint64_t row = 4 * key * heads;
  Id q_nope = graph_.view(q, shape(nope, heads, t), 4 * key, row, row * t, 0);
  Id q_rope = graph_.view(q, shape(rope, heads, t), 4 * key, row, row * t, 4 * nope);
  const Id both = project("latent", Slot::latent_kv_a, x, il);
  const std::uint64_t wide = 4 * (rank + rope);
  Id latent = graph_.view(both, shape(rank, t), wide, wide * t, wide * t, 0);
  Id k_rope = graph_.view(both, shape(rope, 1, t), wide, wide, wide * t, 4 * rank);
  q_rope = graph_.rope(q_rope, positions_);
  k_rope = graph_.rope(k_rope, positions_);
  latent = rms_norm(latent, Slot::latent_kv_a_norm, il);
  q_nope = graph_.permute(q_nope, 0, 2, 1, 3);
  Id absorbed = graph_.mul_mat("queries", latent_up(Slot::latent_k_b, 0, il), q_nope);
  absorbed = graph_.permute(absorbed, 0, 2, 1, 3);
  const Id queries = graph_.result("queries", FormatId::fp32, shape(rank + rope, heads, t), {absorbed, q_rope});
  latent = graph_.reshape(latent, shape(rank, 1, t));
  const Id keys = graph_.result("new keys", FormatId::fp32, shape(rank + rope, 1, t), {latent, k_rope});
  const Id y = attend(queries, keys, latent, il, latent_up(Slot::latent_v_b, 0, il));
  return project("attention out", Slot::attn_output, y, il);
}

}  // namespace vram::llamacpp
