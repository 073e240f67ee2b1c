// What only Gemma 3n and Gemma 4 have: an embedding for every layer, and (3n) four parallel streams of the hidden state
// that are predicted and corrected around each layer.
#include "core/plan/llamacpp/build.h"

namespace vram::llamacpp {

Id Builder::slice(Id x, std::uint64_t index) {
  const Shape ne = graph_.node(x).ne;
  const std::uint64_t row = 4 * ne[0];
  return graph_.view(x, shape(ne[0], ne[1]), row, row * ne[1], row * ne[1], index * row * ne[1]);
}

/// {per-layer width, tokens, layers}: the table's rows plus a projection of the embedding.
Id Builder::per_layer_inputs(Id x) {
  const std::uint64_t t = pass_.tokens, width = model_.per_layer_dim, layers = model_.layers.size();
  const Id tokens = graph_.input("tokens", FormatId::raw32, shape(t));
  Id rows = graph_.get_rows(weight(Slot::per_layer_token_embd), tokens);
  graph_.node(rows).name = "per-layer rows";
  rows = unary("per-layer rows", graph_.reshape(rows, shape(width, layers, t)));
  graph_.expand(rows);
  Id y = unary("per-layer inputs", project("per-layer inputs", Slot::per_layer_model_proj, x, -1));
  y = graph_.reshape(y, shape(width, layers, t));
  y = norm_with(y, weight(Slot::per_layer_proj_norm), kNone, false, -1);
  y = unary("per-layer inputs", add("per-layer inputs", y, rows));
  return graph_.cont("per-layer inputs", graph_.permute(y, 0, 2, 1, 3));
}

/// Gemma 4: the layer's own embedding gates one more projection.
Id Builder::per_layer_block(Id x, int il) {
  Id y = unary("per-layer gate", project("per-layer gate", Slot::per_layer_inp_gate, x, il));
  const bool last = il + 1 == model_.layer_count();
  Id own = slice(per_layer_, static_cast<std::uint64_t>(il));
  if (last && !pass_.build.late_rows) own = take_rows(own);
  y = mul("per-layer gate", y, own);
  y = project("per-layer out", Slot::per_layer_proj, y, il);
  y = rms_norm(y, Slot::per_layer_post_norm, il);
  return add("residual", x, y);
}

Id Builder::magnitude(Id x) {
  const Shape ne = graph_.node(x).ne;
  const Id squares = unary("magnitude", x);
  return unary("magnitude", graph_.result("magnitude", FormatId::fp32, shape(1, ne[1], ne[2], ne[3]), {squares}));
}

Id Builder::altup_modalities(Id x, int il) {
  Id y = rms_norm(x, Slot::altup_router_norm, il);
  y = unary("altup", y);
  return unary("altup", project("altup", Slot::altup_router, y, il));
}

Id Builder::altup_predict(Id x, int il) {
  const std::uint64_t n = model_.altup, t = pass_.tokens;
  const Id modalities = altup_modalities(slice(x, 0), il);
  Id coefficients = project("altup", Slot::altup_predict_coef, modalities, il);
  coefficients = graph_.reshape(coefficients, shape(n, n, t));
  const Id permuted = graph_.cont("altup", graph_.permute(x, 1, 2, 0, 3));
  Id y = graph_.mul_mat("altup", permuted, coefficients);
  y = graph_.cont("altup", graph_.permute(y, 0, 2, 1, 3));
  return add("altup", y, x);
}

Id Builder::altup_correct(Id predictions, Id activated, int il) {
  const std::uint64_t n = model_.altup, t = pass_.tokens, e = model_.n_embd;
  const Id modalities = altup_modalities(activated, il);
  Id innovation = add("altup", activated, slice(predictions, 0));
  Id coefficients = unary("altup", project("altup", Slot::altup_correct_coef, modalities, il));
  coefficients = graph_.cont("altup", graph_.transpose(coefficients), shape(1, t, n));
  innovation = graph_.result("altup", FormatId::fp32, shape(e, t, n), {innovation});
  return add("altup", mul("altup", innovation, coefficients), predictions);
}

void Builder::gemma3n() {
  constexpr int kSparseLayers = 10;  // layers whose gate keeps only its largest values
  const std::uint64_t e = model_.n_embd, t = pass_.tokens, n = model_.altup;
  const auto rest = [&](Id x) { return graph_.view(x, shape(e, t, n - 1), 4 * e, 4 * e * t, 4 * e * t * (n - 1), 4 * e * t); };
  per_layer_ = per_layer_inputs(x_);
  {
    const Id target = magnitude(x_);
    const Id repeated = graph_.result("altup", FormatId::fp32, shape(e, t, n - 1), {x_});
    Id added = project("altup", Slot::altup_proj, repeated, -1);
    const Id now = magnitude(added);
    added = graph_.element_wise("altup", mul("altup", added, target), now);
    x_ = graph_.result("altup", FormatId::fp32, shape(e, t, n), {x_, added});
  }
  for (int il = 0; il < model_.layer_count(); ++il) {
    const Id predictions = altup_predict(x_, il);
    const Id active = slice(predictions, 0);
    const Id normed = rms_norm(active, Slot::attn_norm, il);
    Id laurel = project("laurel", Slot::laurel_r, project("laurel", Slot::laurel_l, normed, il), il);
    laurel = add("laurel", rms_norm(laurel, Slot::laurel_post_norm, il), normed);
    Id y = attention(normed, il);
    y = rms_norm(y, Slot::attn_post_norm, il);
    y = add("residual", y, active);
    const Id joined = unary("residual", add("residual", y, laurel));
    y = rms_norm(joined, Slot::ffn_norm, il);
    const Id up = project("up", Slot::ffn_up, y, il);
    Id gate = project("gate", Slot::ffn_gate, y, il);
    if (il < kSparseLayers) {
      const Shape one = shape(1, t);
      const Id mean = graph_.result("gate", FormatId::fp32, one, {gate});
      Id deviation = graph_.result("gate", FormatId::fp32, one, {unary("gate", add("gate", gate, mean))});
      deviation = unary("gate", unary("gate", deviation));
      const Id cut = add("gate", mean, unary("gate", deviation));
      gate = unary("gate", add("gate", gate, cut));
    }
    gate = unary("gate", gate);
    y = project("down", Slot::ffn_down, mul("joined", up, gate), il);
    y = norm_with(y, weight(Slot::ffn_post_norm, il), kNone, false, -1);
    const Id gated = add("residual", y, joined);
    const Id corrected = altup_correct(predictions, gated, il);
    Id first = mul("per-layer gate", slice(corrected, 0), weight(Slot::altup_correct_scale, il));
    first = unary("per-layer gate", project("per-layer gate", Slot::per_layer_inp_gate, first, il));
    first = mul("per-layer gate", first, slice(per_layer_, static_cast<std::uint64_t>(il)));
    first = rms_norm(project("per-layer out", Slot::per_layer_proj, first, il), Slot::per_layer_post_norm, il);
    const Id other = add("altup", rest(corrected), first);
    x_ = graph_.result("altup", FormatId::fp32, shape(e, t, n), {slice(corrected, 0), other});
  }
  const Id target = magnitude(slice(x_, 0));
  Id merged = project("altup", Slot::altup_unembd_proj, rest(x_), -1);
  const Id now = magnitude(merged);
  merged = graph_.element_wise("altup", mul("altup", merged, target), now);
  Id y = slice(x_, 0);
  for (std::uint64_t i = 0; i + 1 < n; ++i) y = add("altup", y, slice(merged, i));
  x_ = unary("altup", y);
}

}  // namespace vram::llamacpp
