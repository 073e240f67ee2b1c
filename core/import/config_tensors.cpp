#include "core/import/config_tensors.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace vram {
namespace {

std::uint64_t norm_copies(Norm norm) {
  switch (norm) {
    case Norm::rms:
    case Norm::layer_without_bias:
      return 1;
    case Norm::layer:
      return 2;
    case Norm::without_weights:
      return 0;
  }
  return 1;
}

struct ExpertNames {
  std::string_view gate, up, down;
};
constexpr ExpertNames kExperts = {
    "mlp.experts.gate_proj mlp.experts.gate_up_proj block_sparse_moe.experts.w1 mixer.experts.gate_proj ffn.experts.w1",
    "mlp.experts.up_proj mlp.experts.gate_up_proj block_sparse_moe.experts.w3 mixer.experts.up_proj ffn.experts.w3",
    "mlp.experts.down_proj block_sparse_moe.experts.w2 mixer.experts.down_proj ffn.experts.w2"};
// Gemma 4 keeps its experts beside the MLP, not in it: "mlp*" in a list does not mean them.
constexpr ExpertNames kGemma4Experts = {"experts.gate_up_proj moe.experts.gate_proj",
                                        "experts.gate_up_proj moe.experts.up_proj",
                                        "experts.down_proj moe.experts.down_proj"};

class Emitter {
 public:
  Emitter(const TextModel& model) : model_(model), d_(model.dims.hidden_size) {}

  std::vector<Piece> all() {
    embeddings();
    layers(model_.encoder, model_.encoder_part, 0);
    layers(model_.layers, Part::text, model_.first_layer());
    drafts();
    return std::move(pieces_);
  }

 private:
  void once(Role role, Count outputs, Count inputs, std::string_view names = {}, Part part = Part::text,
            bool stored = true, Count copies = Count(1)) {
    if (outputs.value() == 0 || inputs.value() == 0 || copies.value() == 0) return;
    pieces_.push_back({role, part, {}, outputs, inputs, copies, stored, names});
  }
  void each(Role role, Count outputs, Count inputs, std::string_view names, Count copies = Count(1)) {
    if (outputs.value() == 0 || inputs.value() == 0 || copies.value() == 0) return;
    pieces_.push_back({role, part_, set_, outputs, inputs, copies, true, names});
  }
  void vector(Role role, Count values, std::string_view names = {}, Count copies = Count(1)) {
    each(role, values, Count(1), names, copies);
  }

  void embeddings() {
    const Family& family = *model_.family;
    const Count v(model_.dims.vocab_size), norm(norm_copies(model_.norm));
    once(Role::embedding, v, d_, "embed_tokens embeddings wte embed tok_embeddings");
    if (family.learned_positions) {
      once(Role::position_embedding, Count(model_.dims.max_position_embeddings) + Count(family.position_offset), d_);
    }
    if (family.embedding_norm) once(Role::layer_norm, d_, Count(1), {}, Part::text, true, norm);
    for (const LooseTensor& tensor : model_.loose) {
      once(tensor.role, tensor.outputs, tensor.inputs, {}, tensor.part, true, tensor.copies);
    }
    if (family.final_norm) once(Role::final_norm, d_, Count(1), {}, Part::text, true, norm);
    if (model_.has_head) {
      once(Role::head, v, d_, "lm_head head output", Part::text, !model_.tied);
      if (model_.head_bias) once(Role::head, v, Count(1), "lm_head");
    }
  }

  void layers(const std::vector<Layer>& all, Part part, std::size_t first) {
    part_ = part;
    for (auto& [attention, set] :
         grouped<Attention>(all, first, [](const Layer& l) -> const Attention& { return l.attention; })) {
      set_ = std::move(set);
      emit(attention);
    }
    for (auto& [cross, set] :
         grouped<Attention>(all, first, [](const Layer& l) -> const Attention& { return l.cross; })) {
      set_ = std::move(set);
      emit(cross);
    }
    for (auto& [recurrent, set] :
         grouped<Recurrent>(all, first, [](const Layer& l) -> const Recurrent& { return l.recurrent; })) {
      set_ = std::move(set);
      emit(recurrent);
    }
    for (auto& [feed, set] :
         grouped<FeedForward>(all, first, [](const Layer& l) -> const FeedForward& { return l.feed; })) {
      set_ = std::move(set);
      emit(feed);
    }
    for (auto& [norms, set] :
         grouped<std::uint8_t>(all, first, [](const Layer& l) -> const std::uint8_t& { return l.norms; })) {
      set_ = std::move(set);
      vector(Role::layer_norm, d_, {}, Count(norms) * Count(norm_copies(model_.norm)));
    }
    for (auto& [other, set] : grouped<Count>(all, first, [](const Layer& l) -> const Count& { return l.other; })) {
      set_ = std::move(set);
      vector(Role::layer_other, other);
    }
  }

  void emit(const Attention& a) {
    switch (a.kind) {
      case Attention::Kind::none:
        return;
      case Attention::Kind::grouped:
        emit_grouped(a);
        break;
      case Attention::Kind::latent:
        emit_latent(a);
        break;
      case Attention::Kind::compressed:
        emit_compressed(a);
        break;
    }
    if (a.sinks) vector(Role::attention_sinks, Count(a.heads));
  }

  void emit_grouped(const Attention& a) {
    const Count q = Count(a.heads) * Count(a.key_dim), k = Count(a.kv_heads) * Count(a.key_dim);
    const Count v = Count(a.kv_heads) * Count(a.value_dim), o = Count(a.heads) * Count(a.value_dim);
    constexpr std::string_view q_names = "self_attn.q_proj attn.q_proj mixer.q_proj self_attn.qkv_proj attn.qkv";
    constexpr std::string_view k_names = "self_attn.k_proj attn.k_proj mixer.k_proj self_attn.qkv_proj attn.qkv";
    constexpr std::string_view v_names = "self_attn.v_proj attn.v_proj mixer.v_proj self_attn.qkv_proj attn.qkv";
    constexpr std::string_view o_names = "self_attn.o_proj attn.o_proj mixer.o_proj self_attn.out_proj";
    each(Role::attention_q, q, d_, q_names);
    if (a.gate) each(Role::attention_gate, q, d_, q_names);
    if (a.projects_kv) {
      each(Role::attention_k, k, d_, k_names);
      if (!a.value_is_key) each(Role::attention_v, v, d_, v_names);
    }
    each(Role::attention_o, d_, o, o_names);
    if (a.q_bias) vector(Role::attention_q, q);
    if (a.k_bias && a.projects_kv) vector(Role::attention_k, k);
    if (a.v_bias && a.projects_kv) vector(Role::attention_v, v);
    if (a.o_bias) vector(Role::attention_o, d_);
    if (a.qk_norm == QkNorm::per_head) vector(Role::attention_norm, Count(a.key_dim), {}, Count(a.projects_kv ? 2 : 1));
    if (a.qk_norm == QkNorm::full) vector(Role::attention_norm, a.projects_kv ? q + k : q);
    if (a.index_heads != 0) {  // MiniMax-M3: queries of every index head, one key, norms of both
      const Count dim(a.index_dim);
      each(Role::indexer, Count(a.index_heads) * dim, d_, "self_attn.indexer.q_proj self_attn.index_q_proj");
      each(Role::indexer, dim, d_, "self_attn.indexer.k_proj self_attn.index_k_proj");
      vector(Role::indexer, dim, {}, Count(2));
    }
  }

  void emit_latent(const Attention& a) {
    const Count heads(a.heads), q = heads * (Count(a.nope_dim) + Count(a.rope_dim)), c(a.kv_rank), rank(a.q_rank);
    if (a.q_rank != 0) {
      each(Role::latent_q_down, rank, d_, "self_attn.q_a_proj attn.wq_a");
      vector(Role::latent_norm, rank);
      each(Role::latent_q_up, q, rank, "self_attn.q_b_proj attn.wq_b");
    } else {
      each(Role::attention_q, q, d_, "self_attn.q_proj attn.wq");
    }
    each(Role::latent_kv_down, c + Count(a.rope_dim), d_, "self_attn.kv_a_proj_with_mqa attn.wkv_a");
    vector(Role::latent_norm, c);
    each(Role::latent_kv_up, heads * (Count(a.nope_dim) + Count(a.value_dim)), c, "self_attn.kv_b_proj attn.wkv_b");
    each(Role::attention_o, d_, heads * Count(a.value_dim), "self_attn.o_proj attn.wo");
    if (a.gate) each(Role::attention_gate, heads * Count(a.value_dim), d_, "self_attn.g_proj");
    if (a.index_heads != 0) emit_indexer(a, rank);
  }
  void emit_indexer(const Attention& a, Count rank) {
    const Count heads(a.index_heads), dim(a.index_dim);
    each(Role::indexer, heads * dim, rank.value() == 0 ? d_ : rank, "self_attn.indexer.wq_b attn.indexer.wq_b");
    if (a.kind == Attention::Kind::latent) {
      each(Role::indexer, dim, d_, "self_attn.indexer.wk");
      vector(Role::indexer, dim, {}, Count(2));
    }
    each(Role::indexer, heads, d_, "self_attn.indexer.weights_proj attn.indexer.weights_proj");
  }

  void emit_compressed(const Attention& a) {
    const Count heads(a.heads), dim(a.key_dim), rank(a.q_rank), groups(a.o_groups), out(a.o_rank), ratio(a.ratio);
    each(Role::latent_q_down, rank, d_, "attn.wq_a self_attn.q_a_proj");
    vector(Role::latent_norm, rank);
    each(Role::latent_q_up, heads * dim, rank, "attn.wq_b self_attn.q_b_proj");
    each(Role::latent_kv_down, dim, d_, "attn.wkv self_attn.kv_proj");
    vector(Role::latent_norm, dim);
    // The output goes through groups of heads: each has its own projection to `out` values.
    each(Role::attention_o, groups * out,
         Count(heads.value() * dim.value() / std::max<std::uint64_t>(groups.value(), 1)), "attn.wo_a");
    each(Role::attention_o, d_, groups * out, "attn.wo_b");
    if (a.ratio == 0) return;
    // A compressor: keys and their gates, twice as wide where entries overlap (ratio 4), a position bias and a norm.
    const Count overlap(a.ratio == 4 ? 2 : 1);
    const auto compressor = [&](Role role, Count width, Count entry) {
      each(role, width, d_, "attn.compressor.wkv", Count(2));
      vector(role, width, {}, ratio);
      vector(role, entry);
    };
    compressor(Role::layer_other, overlap * dim, dim);
    if (a.index_heads != 0) {
      emit_indexer(a, rank);
      compressor(Role::indexer, overlap * Count(a.index_dim), Count(a.index_dim));
    }
  }

  void emit(const Recurrent& r) {
    const Count inner(r.inner), heads(r.heads), conv(r.conv);
    switch (r.kind) {
      case Recurrence::none:
        return;
      case Recurrence::gated_delta: {
        const Count k = Count(r.key_heads) * Count(r.key_dim), v = heads * Count(r.head_dim);
        each(Role::mixer_in, Count(2) * k + v, d_, "linear_attn.in_proj_qkv linear_attn.in_proj_qkvz");
        each(Role::mixer_gate, v, d_, "linear_attn.in_proj_z linear_attn.in_proj_qkvz");
        each(Role::mixer_small, heads, d_, "linear_attn.in_proj_a linear_attn.in_proj_ba", Count(2));
        each(Role::mixer_conv, Count(2) * k + v, conv, "linear_attn.conv1d");
        vector(Role::mixer_small, heads, {}, Count(2));  // decay and its bias
        vector(Role::mixer_norm, Count(r.head_dim));
        each(Role::mixer_out, d_, v, "linear_attn.out_proj");
        break;
      }
      case Recurrence::kda: {
        const Count p = heads * Count(r.head_dim), rank(r.rank);
        each(Role::mixer_in, p, d_, "self_attn.q_proj linear_attn.q_proj", Count(3));
        each(Role::mixer_conv, p, conv, "self_attn.q_conv1d", Count(3));
        if (r.full_rank_gate) {
          each(Role::mixer_gate, p, d_, "self_attn.f_proj self_attn.g_proj", Count(2));
        } else {
          each(Role::mixer_gate, rank, d_, "self_attn.f_a_proj self_attn.g_a_proj", Count(2));
          each(Role::mixer_gate, p, rank, "self_attn.f_b_proj self_attn.g_b_proj", Count(2));
        }
        each(Role::mixer_small, heads, d_, "self_attn.b_proj");
        vector(Role::mixer_small, heads + p);
        vector(Role::mixer_norm, Count(r.head_dim));
        each(Role::mixer_out, d_, p, "self_attn.o_proj");
        break;
      }
      case Recurrence::lightning: {
        const Count p = heads * Count(r.head_dim);
        each(Role::mixer_in, Count(3) * p, d_, "self_attn.qkv_proj");
        each(Role::mixer_gate, p, d_, "self_attn.output_gate");
        vector(Role::mixer_norm, p);
        each(Role::mixer_out, d_, p, "self_attn.out_proj");
        break;
      }
      case Recurrence::short_conv:
        each(Role::mixer_in, Count(3) * inner, d_, "conv.in_proj");
        each(Role::mixer_conv, inner, conv, "conv.conv");
        if (r.conv_bias) vector(Role::mixer_conv, inner);
        each(Role::mixer_out, d_, inner, "conv.out_proj");
        break;
      case Recurrence::mamba1: {
        const Count rank(r.rank), state(r.state);
        each(Role::mixer_in, Count(2) * inner, d_, "mamba.in_proj mixer.in_proj");
        each(Role::mixer_conv, inner, conv, "mamba.conv1d mixer.conv1d");
        if (r.conv_bias) vector(Role::mixer_conv, inner);
        each(Role::mixer_small, rank + Count(2) * state, inner, "mamba.x_proj mixer.x_proj");
        each(Role::mixer_small, inner, rank, "mamba.dt_proj mixer.dt_proj");
        each(Role::mixer_small, inner, state, "mamba.A_log mixer.A_log");
        vector(Role::mixer_small, inner, {}, Count(2));  // dt's bias and D
        if (r.norm) vector(Role::mixer_norm, rank + Count(2) * state);
        each(Role::mixer_out, d_, inner, "mamba.out_proj mixer.out_proj");
        break;
      }
      case Recurrence::mamba2: {
        const Count bc = Count(2) * Count(r.groups) * Count(r.state);
        each(Role::mixer_in, Count(2) * inner + bc + heads, d_, "mamba.in_proj mixer.in_proj");
        each(Role::mixer_conv, inner + bc, conv, "mamba.conv1d mixer.conv1d");
        if (r.conv_bias) vector(Role::mixer_conv, inner + bc);
        vector(Role::mixer_small, heads, {}, Count(3));  // decay, D and the bias of dt
        if (r.norm) vector(Role::mixer_norm, inner);
        each(Role::mixer_out, d_, inner, "mamba.out_proj mixer.out_proj");
        break;
      }
    }
  }

  void emit(const FeedForward& f) {
    if (f.width != 0) {
      const Count w(f.width);
      if (f.gated) each(Role::ffn_gate, w, d_, "mlp.gate_proj feed_forward.w1 mlp.gate_up_proj ffn.w1");
      each(Role::ffn_up, w, d_, "mlp.up_proj feed_forward.w3 mixer.up_proj mlp.gate_up_proj ffn.w3");
      each(Role::ffn_down, d_, w, "mlp.down_proj feed_forward.w2 mixer.down_proj ffn.w2");
      if (f.bias) {
        if (f.gated) vector(Role::ffn_gate, w);
        vector(Role::ffn_up, w);
        vector(Role::ffn_down, d_);
      }
    }
    if (f.experts == 0) return;
    const Count e(f.experts), m(f.expert_width), s(f.shared_width);
    const Count in = f.latent_width != 0 ? Count(f.latent_width) : d_;
    each(Role::router, e, d_,
         "mlp.gate mlp.router block_sparse_moe.gate feed_forward.router mixer.gate ffn.gate router");
    if (f.router_bias) vector(Role::router_bias, e);
    const ExpertNames& names = model_.family->layout == Layout::gemma4 ? kGemma4Experts : kExperts;
    if (f.gated) each(Role::expert_gate, m, in, names.gate, e);
    each(Role::expert_up, m, in, names.up, e);
    each(Role::expert_down, in, m, names.down, e);
    if (f.expert_bias) {
      if (f.gated) vector(Role::expert_gate, m, {}, e);
      vector(Role::expert_up, m, {}, e);
      vector(Role::expert_down, in, {}, e);
    }
    if (f.latent_width != 0) {
      each(Role::expert_latent, in, d_, "mixer.fc1_latent_proj mlp.fc1_latent_proj block_sparse_moe.fc1_latent_proj");
      each(Role::expert_latent, d_, in, "mixer.fc2_latent_proj mlp.fc2_latent_proj block_sparse_moe.fc2_latent_proj");
      if (f.latent_norm) vector(Role::layer_norm, in);
    }
    constexpr std::string_view shared_gate_names =
        "mlp.shared_experts.gate_proj mlp.shared_expert.gate_proj block_sparse_moe.shared_experts.gate_proj "
        "ffn.shared_experts.w1 shared_mlp.input_linear feed_forward.shared_expert.gate_proj";
    constexpr std::string_view shared_up_names =
        "mlp.shared_experts.up_proj mlp.shared_expert.up_proj block_sparse_moe.shared_experts.up_proj "
        "mixer.shared_experts.up_proj ffn.shared_experts.w3 shared_mlp.input_linear feed_forward.shared_expert.up_proj";
    constexpr std::string_view shared_down_names =
        "mlp.shared_experts.down_proj mlp.shared_expert.down_proj block_sparse_moe.shared_experts.down_proj "
        "mixer.shared_experts.down_proj ffn.shared_experts.w2 shared_mlp.output_linear "
        "feed_forward.shared_expert.down_proj";
    if (f.gated) each(Role::shared_expert_gate, s, d_, shared_gate_names);
    each(Role::shared_expert_up, s, d_, shared_up_names);
    each(Role::shared_expert_down, d_, s, shared_down_names);
    if (f.shared_gate) each(Role::shared_expert_router, Count(1), d_, "mlp.shared_expert_gate");
  }

  /// Draft layers follow the text layers; each pair of hidden state and next embedding is joined by a projection.
  void drafts() {
    if (model_.drafts.empty()) return;
    layers(model_.drafts, Part::mtp, model_.first_layer() + model_.layers.size());
    const Count count(std::max<std::uint64_t>(model_.dims.num_nextn_predict_layers, 1)), v(model_.dims.vocab_size);
    once(Role::mtp_projection, d_, Count(2) * d_, "eh_proj fc", Part::mtp, true, count);
    once(Role::layer_norm, d_, Count(1), {}, Part::mtp, true, Count(3) * count);
    if (model_.draft_embeddings) {
      once(Role::embedding, v, d_, {}, Part::mtp, true, count);
      once(Role::head, v, d_, "shared_head.head", Part::mtp, true, count);
    }
  }

  const TextModel& model_;
  const Count d_;
  Part part_ = Part::text;
  LayerSet set_;
  std::vector<Piece> pieces_;
};

}  // namespace

std::vector<Piece> text_pieces(const TextModel& model) { return Emitter(model).all(); }

}  // namespace vram
