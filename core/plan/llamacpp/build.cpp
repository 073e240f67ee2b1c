#include "core/plan/llamacpp/build.h"

#include <algorithm>

namespace vram::llamacpp {
namespace {

constexpr std::size_t kSlots = static_cast<std::size_t>(Slot::count_);
constexpr std::size_t kMany = 1 << 16;
constexpr int kLayersOfRun = 4;  // at least; after how many a buffer is divided as it will be, was tried

}  // namespace

std::int16_t backend_of(const Tensor& tensor, const Pass& pass) {
  switch (tensor.slot) {
    case Slot::token_embd:
    case Slot::per_layer_token_embd: return pass.host();
    case Slot::ffn_gate_exps:
    case Slot::ffn_up_exps:
    case Slot::ffn_down_exps:
    case Slot::ffn_gate_up_exps:
    case Slot::ffn_gate_exps_b:
    case Slot::ffn_up_exps_b:
    case Slot::ffn_down_exps_b:
      if (pass.experts_on_host[static_cast<std::size_t>(tensor.layer)]) return pass.host();
      break;
    default: break;
  }
  if (tensor.layer >= 0) return pass.layer_backend[static_cast<std::size_t>(tensor.layer)];
  const bool first = tensor.slot == Slot::per_layer_model_proj || tensor.slot == Slot::per_layer_proj_norm;
  return first ? pass.layer_backend.front() : pass.output_backend;
}

Builder::Builder(const Model& model, const Pass& pass) : model_(model), rules_(*model.rules), pass_(pass), graph_(pass.build.pads_rows) {
  const std::size_t layers = model.layers.size();
  weights_.assign(model.tensors.size() + 1, kNone);
  tensors_.assign((layers + 1) * kSlots, -1);
  for (std::size_t i = 0; i < model.tensors.size(); ++i) {
    const Tensor& tensor = model.tensors[i];
    const bool here = tensor.loaded && static_cast<std::size_t>(tensor.layer + 1) <= layers;
    if (here) tensors_[place_of(tensor.slot, tensor.layer)] = static_cast<std::int32_t>(i);
  }
  k_caches_.assign(layers, kNone);
  v_caches_ = conv_caches_ = ssm_caches_ = k_caches_;
  for (const Layer& layer : model.layers) {
    widest_value_ = std::max(widest_value_, std::uint64_t{layer.kv_heads} * layer.value_dim);
  }
}

std::size_t Builder::place_of(Slot slot, int il) const {
  return static_cast<std::size_t>(il + 1) * kSlots + static_cast<std::size_t>(slot);
}

const Tensor* Builder::tensor_at(std::size_t place) const {
  const std::int32_t index = tensors_[place];
  return index < 0 ? nullptr : &model_.tensors[static_cast<std::size_t>(index)];
}

Id Builder::weight(Slot slot, int il) {
  const std::size_t place = place_of(slot, il);
  if (const Tensor* tensor = tensor_at(place)) {
    Id& made = weights_[static_cast<std::size_t>(tensors_[place])];
    if (made == kNone) made = graph_.weight(slot_name(slot).data(), tensor->type, tensor->ne, backend_of(*tensor, pass_));
    return made;
  }
  // A head tied to the embedding is loaded a second time, where the output layer is.
  if (slot != Slot::output || il >= 0) return kNone;
  const Tensor* embedding = tensor_at(place_of(Slot::token_embd, -1));
  if (embedding == nullptr) return kNone;
  Id& made = weights_.back();
  if (made == kNone) made = graph_.weight("output", embedding->type, embedding->ne, pass_.output_backend);
  return made;
}

Id Builder::embed() {
  const std::uint64_t t = pass_.tokens;
  const Id tokens = graph_.input("tokens", FormatId::raw32, shape(t));
  Id x = graph_.get_rows(weight(Slot::token_embd), tokens);
  graph_.node(x).name = "embedding rows";
  graph_.expand(x);
  if (pass_.build.embedding_input) graph_.expand(graph_.input("embedding input", FormatId::fp32, shape(model_.n_embd, t)));
  if (rules_.scaled_input) x = unary("scaled embedding", x);
  // Gemma scales outside of the function that expands its result.
  if (rules_.arch.substr(0, 5) != "gemma") graph_.expand(x);
  return x;
}

Builder::Attention Builder::attention_input(std::uint64_t cells, bool sliding) {
  const std::uint64_t t = pass_.tokens;
  Attention made;
  made.cells = cells;
  const bool latent = std::any_of(model_.layers.begin(), model_.layers.end(), [](const Layer& layer) { return layer.latent; });
  if (pass_.build.row_indices) {
    made.k_rows = graph_.input("cache rows", FormatId::raw64, shape(t));
    if (!latent) made.v_rows = graph_.input("cache rows", FormatId::raw64, shape(pass_.flash ? t : t * widest_value_));
  }
  const bool half = pass_.flash && pass_.build.half_mask;
  made.mask = graph_.input("mask", half ? FormatId::fp16 : FormatId::fp32,
                           shape(cells, t / pass_.streams, 1, pass_.streams));
  if (pass_.flash && !half) made.mask = graph_.result("mask", FormatId::fp16, graph_.node(made.mask).ne, {made.mask});
  if (pass_.build.rotates && !latent) {
    const auto layer = std::find_if(model_.layers.begin(), model_.layers.end(), [&](const Layer& one) {
      return one.attention && (one.sliding == sliding || (!sliding && model_.window == 0));
    });
    const std::uint64_t head = layer == model_.layers.end() ? 0 : layer->key_dim;
    const bool divides = head > 0 && head % 64 == 0;
    // Hadamard matrices: the largest power of two that divides the head size for keys, 64 for values (#21038).
    std::uint64_t n = 64;
    while (divides && head % (2 * n) == 0) n *= 2;
    const auto quantised = [](FormatId type) { return storage_format(type).block_values > 1; };
    if (divides && quantised(pass_.type_k)) made.k_rotation = graph_.input("rotation", FormatId::fp32, shape(n, n));
    if (divides && quantised(pass_.type_v)) made.v_rotation = graph_.input("rotation", FormatId::fp32, shape(64, 64));
  }
  return made;
}

void Builder::attention_inputs() {
  if (model_.has_recurrent()) {
    state_rows_ = graph_.input("state rows", FormatId::raw32, shape(pass_.sequences));
    state_main_ = graph_.view(state_rows_, shape(pass_.sequences), 4 * pass_.sequences, 4 * pass_.sequences,
                              4 * pass_.sequences, 0);
    state_extra_ = graph_.view(state_rows_, shape(0), 0, 0, 0, 4 * pass_.sequences);
  }
  if (!model_.has_attention()) return;
  full_ = attention_input(pass_.cells, false);
  // Before windows had caches of their own they had a mask over all cells.
  const bool windows = std::any_of(model_.layers.begin(), model_.layers.end(), [](const Layer& layer) { return layer.sliding; });
  const std::uint64_t cells = pass_.build.windows_apart ? pass_.window_cells : pass_.cells;
  if (windows && cells > 0) sliding_ = attention_input(cells, true);
}

Id Builder::norm_with(Id x, Id scale, Id bias, bool layer_norm, int il) {
  if (pass_.build.ik && !layer_norm && scale != kNone) {  // one operation
    const Id y = graph_.result("norm", FormatId::fp32, graph_.node(x).ne, {x, scale});
    return bias == kNone ? y : add("norm", y, bias);
  }
  Id y = layer_norm ? graph_.result("norm", FormatId::fp32, graph_.node(x).ne, {x}) : unary("norm", x);
  // With everything on GPUs a norm runs where its layer lies, not where the layer before it did (graph_get_cb).
  if (pass_.build.norms_pinned && pass_.all_on_devices && il >= 0 && (scale != kNone || bias != kNone)) graph_.node(y).backend = layer_backend(il);
  if (scale != kNone) y = mul("norm", y, scale);
  if (bias != kNone) y = add("norm", y, bias);
  return y;
}

Id Builder::norm(Id x, Slot scale, Slot bias, int il) {
  return norm_with(x, weight(scale, il), rules_.norm_bias ? weight(bias, il) : kNone, rules_.layer_norm, il);
}

Id Builder::mixer(Id x, int il) {
  const Layer& layer = model_.layers[static_cast<std::size_t>(il)];
  if (layer.recurrent) return recurrent(x, il);
  if (layer.expanded) return expanded_attention(x, il);
  if (layer.latent) return pass_.build.ik ? ik_latent_attention(x, il) : latent_attention(x, il);
  return attention(x, il);
}

/// x += attention(norm(x)); x += feed(norm(x)), with norms before, after, or both.
void Builder::layer_usual(int il) {
  const bool last = il + 1 == model_.layer_count();
  const Layer& layer = model_.layers[static_cast<std::size_t>(il)];
  Id residual = x_;
  Id y = rules_.pre_norm ? norm(x_, Slot::attn_norm, Slot::attn_norm_b, il) : x_;
  if (rules_.expand_norm) graph_.expand(y);
  if (layer.recurrent && layer.attention) {  // side by side (Falcon-H1)
    const Id seen = attention(y, il);
    const Id again = norm(x_, Slot::attn_norm, Slot::attn_norm_b, il);
    y = add("mixers", seen, recurrent(again, il));
    residual = add("residual", y, residual);
    if (last) {
      y = take_rows(y);
      residual = take_rows(residual);
    }
    y = norm(residual, Slot::ffn_norm, Slot::ffn_norm_b, il);
    x_ = add("residual", feed(y, il), residual);
    return;
  }
  y = mixer(y, il);
  const bool takes = rules_.rows == RowsTaken::before_feed || !pass_.build.late_rows;
  if (last && takes) {
    y = take_rows(y);
    residual = take_rows(residual);
  }
  if (rules_.post_norm) y = norm_with(y, weight(Slot::attn_post_norm, il), kNone, false, il);
  if (rules_.residual_scale) y = unary("scaled", y);
  residual = joined(y, residual);
  y = residual;
  if (rules_.plain_norm_router && layer.experts) {
    y = gemma4_feed(residual, il);
  } else {
    if (rules_.feed_norm_is_post_attention) y = norm_with(y, weight(Slot::attn_post_norm, il), kNone, false, il);
    else if (rules_.pre_norm) y = norm(y, Slot::ffn_norm, Slot::ffn_norm_b, il);
    y = feed(y, il);
  }
  if (rules_.post_norm) y = norm_with(y, weight(Slot::ffn_post_norm, il), kNone, false, -1);
  if (rules_.residual_scale) y = unary("scaled", y);
  x_ = joined(y, residual);
  if (per_layer_ != kNone) x_ = per_layer_block(x_, il);
  if (has(Slot::layer_out_scale, il)) x_ = mul("residual", x_, weight(Slot::layer_out_scale, il));
}

/// x += attention(norm(x)) + feed(norm(x)).
void Builder::layer_parallel(int il) {
  Id normed = norm(x_, Slot::attn_norm, Slot::attn_norm_b, il);
  Id seen = attention(normed, il);
  if (il + 1 == model_.layer_count()) {
    seen = take_rows(seen);
    x_ = take_rows(x_);
    normed = take_rows(normed);
  }
  const Id y = add("residual", feed(normed, il), x_);
  x_ = add("residual", y, seen);
}

/// One block a layer.
void Builder::layer_single(int il) {
  const Layer& layer = model_.layers[static_cast<std::size_t>(il)];
  Id residual = x_;
  Id y = norm(x_, Slot::attn_norm, Slot::attn_norm_b, il);
  if (rules_.expand_norm) graph_.expand(y);
  y = layer.recurrent || layer.attention ? mixer(y, il) : feed(y, il);
  if (il + 1 == model_.layer_count()) {
    y = take_rows(y);
    residual = take_rows(residual);
  }
  x_ = add("residual", y, residual);
}

void Builder::output() {
  if (rules_.rows == RowsTaken::before_norm) x_ = take_rows(x_);
  x_ = norm(x_, Slot::output_norm, Slot::output_norm_b, -1);
  if (rules_.rows == RowsTaken::after_norm && pass_.build.late_rows) x_ = take_rows(x_);
  Id logits = graph_.mul_mat("logits", weight(Slot::output), x_);
  if (rules_.capped_logits) {
    for (int i = 0; i < 3; ++i) logits = unary("logits", logits);  // scale, tanh, scale
  }
  if (rules_.scaled_logits) logits = unary("logits", logits);
  graph_.node(logits).output = true;
  graph_.expand(logits);
}

void Builder::layer(int il) {
  switch (rules_.flow) {
    case Flow::parallel: return layer_parallel(il);
    case Flow::single: return layer_single(il);
    default: return layer_usual(il);
  }
}

/// Do two layers compute the same, in the same place and wholly there?
bool Builder::alike(int il, int other) const {
  const auto a = static_cast<std::size_t>(il), b = static_cast<std::size_t>(other);
  const std::int16_t backend = layer_backend(il);
  const bool here = backend == layer_backend(other) && !pass_.experts_on_host[a] && !pass_.experts_on_host[b] &&
                    (pass_.cache_on_device || backend == pass_.host());
  if (!here || model_.layers[a] != model_.layers[b] || !model_.layers[a].keeps_kv) return false;
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    const Tensor* x = tensor_at(place_of(static_cast<Slot>(slot), il));
    const Tensor* y = tensor_at(place_of(static_cast<Slot>(slot), other));
    if ((x == nullptr) != (y == nullptr) || (x != nullptr && (x->type != y->type || x->ne != y->ne))) return false;
  }
  return true;
}

void Builder::layers(bool short_runs) {
  const int count = model_.layer_count(), last = count - 1;
  for (int il = 0; il < count;) {
    int end = il + 1;
    while (short_runs && rules_.no_rope_period == 0 && end < last && alike(il, end)) ++end;
    // A buffer may be divided alike after every layer or after every second one, and otherwise at first.
    const int left_out = std::max(0, end - il - kLayersOfRun) / 2 * 2;
    Id before = kNone;
    for (; il < end - left_out; ++il) {
      layer(il);
      if (end - left_out - il == 3) before = x_;
    }
    if (left_out > 0) graph_.leave_out_after(before, x_);
    il = end;
  }
}

Graph Builder::build(bool short_runs) {
  // Per layer some 35 tensors and weights, more for experts and four for each that is used; per backend copies of inputs.
  const std::size_t of_layer = model_.experts > 0 ? 64 + 4 * std::size_t{model_.experts_used} : 56;
  const std::size_t backends = static_cast<std::size_t>(pass_.devices) + 1;
  const std::size_t built = std::min(model_.layers.size(), short_runs ? (kLayersOfRun + 2) * backends : kMany);
  graph_.reserve(64 * backends + of_layer * (built + 1));
  x_ = embed();
  if (rules_.positions && model_.has_attention()) {
    positions_ = graph_.input("positions", FormatId::raw32, shape(pass_.tokens * rules_.position_width));
  }
  attention_inputs();
  rows_wanted_ = graph_.input("rows wanted", FormatId::raw32, shape(pass_.outputs));
  if (rules_.flow == Flow::gemma3n) {
    gemma3n();
  } else {
    if (model_.per_layer_dim > 0) per_layer_ = per_layer_inputs(x_);
    layers(short_runs);
  }
  output();
  return std::move(graph_);
}

}  // namespace vram::llamacpp
