#include "core/plan/llamacpp/tensors.h"

#include <algorithm>

namespace vram::llamacpp {
namespace {

class List {
 public:
  List(Model& model, FormatId matrices) : model_(model), rules_(*model.rules), matrices_(matrices) {}

  void run() {
    model_.tensors.clear();
    outside();
    if (rules_.rope_factors) {
      for (const Layer& layer : model_.layers) {
        if (layer.sliding) continue;
        vector(Slot::rope_freqs, layer.key_dim / 2);  // one for all full layers
        break;
      }
    }
    for (int il = 0; il < model_.layer_count(); ++il) {
      layer_ = static_cast<std::int16_t>(il);
      one_layer(model_.layers[static_cast<std::size_t>(il)]);
    }
    const bool drafts = rules_.stores_draft || model_.loads_draft;
    for (std::uint32_t i = 0; drafts && i < model_.draft_layers; ++i) draft();
  }

 private:
  void matrix(Slot slot, std::uint64_t inputs, std::uint64_t outputs, std::uint64_t copies = 1) {
    if (inputs == 0 || outputs == 0 || copies == 0) return;
    model_.tensors.push_back({slot, layer_, matrices_, {inputs, outputs, copies, 1}, loaded_});
  }
  void vector(Slot slot, std::uint64_t values, std::uint64_t rows = 1) {
    if (values == 0 || rows == 0) return;
    model_.tensors.push_back({slot, layer_, FormatId::fp32, {values, rows, 1, 1}, loaded_});
  }
  void norm(Slot slot, Slot bias, std::uint64_t values) {
    vector(slot, values);
    if (rules_.norm_bias) vector(bias, values);
  }

  void outside() {
    const std::uint64_t e = model_.n_embd;
    const std::uint64_t per_layer = std::uint64_t{model_.per_layer_dim} * model_.layers.size();
    matrix(Slot::token_embd, e, model_.n_vocab);
    if (!model_.tied) matrix(Slot::output, e, model_.n_vocab);
    norm(Slot::output_norm, Slot::output_norm_b, e);
    if (model_.per_layer_dim > 0) {
      matrix(Slot::per_layer_token_embd, per_layer, model_.per_layer_vocab);
      matrix(Slot::per_layer_model_proj, e, per_layer);
      vector(Slot::per_layer_proj_norm, model_.per_layer_dim);
    }
    if (model_.altup > 1) {
      matrix(Slot::altup_proj, e, e, model_.altup - 1);
      matrix(Slot::altup_unembd_proj, e, e, model_.altup - 1);
    }
  }

  void attention(const Layer& layer) {
    const std::uint64_t e = model_.n_embd;
    const std::uint64_t q = std::uint64_t{layer.heads} * layer.key_dim * (rules_.attention_gate ? 2 : 1);
    const std::uint64_t k = std::uint64_t{layer.kv_heads} * layer.key_dim;
    const std::uint64_t v = std::uint64_t{layer.kv_heads} * layer.value_dim;
    const bool stores_kv = layer.keeps_kv || rules_.flow == Flow::gemma3n;
    if (rules_.fused_qkv) {
      matrix(Slot::attn_qkv, e, q + k + v);
      if (rules_.qkv_bias) vector(Slot::attn_qkv_b, q + k + v);
    } else {
      matrix(Slot::attn_q, e, q);
      if (stores_kv) matrix(Slot::attn_k, e, k);
      if (stores_kv && layer.own_value) matrix(Slot::attn_v, e, v);
      if (rules_.qkv_bias) {
        vector(Slot::attn_q_b, q);
        vector(Slot::attn_k_b, k);
        vector(Slot::attn_v_b, v);
      }
    }
    matrix(Slot::attn_output, std::uint64_t{layer.heads} * layer.value_dim, e);
    if (rules_.o_bias) vector(Slot::attn_output_b, e);
    if (rules_.sinks) vector(Slot::attn_sinks, layer.heads);
    if (rules_.head_norm == HeadNorm::full) {
      vector(Slot::attn_q_norm, q);
      vector(Slot::attn_k_norm, k);
    } else if (rules_.head_norm != HeadNorm::none) {
      vector(Slot::attn_q_norm, layer.key_dim);
      if (stores_kv) vector(Slot::attn_k_norm, layer.key_dim);
    }
  }

  void latent(const Layer& layer) {
    const std::uint64_t e = model_.n_embd, heads = layer.heads;
    const std::uint64_t key = std::uint64_t{model_.nope_dim} + model_.rope_dim;
    if (model_.q_rank > 0) {
      matrix(Slot::latent_q_a, e, model_.q_rank);
      vector(Slot::latent_q_a_norm, model_.q_rank);
      matrix(Slot::latent_q_b, model_.q_rank, heads * key);
    } else {
      matrix(Slot::attn_q, e, heads * key);
    }
    matrix(Slot::latent_kv_a, e, std::uint64_t{model_.kv_rank} + model_.rope_dim);
    vector(Slot::latent_kv_a_norm, model_.kv_rank);
    if (model_.latent_up != LatentUp::together) {
      matrix(Slot::latent_k_b, model_.nope_dim, model_.kv_rank, heads);
      matrix(Slot::latent_v_b, model_.kv_rank, model_.v_dim, heads);
    }
    if (model_.latent_up != LatentUp::apart) {
      matrix(Slot::latent_kv_b, model_.kv_rank, heads * (std::uint64_t{model_.nope_dim} + model_.v_dim));
    }
    matrix(Slot::attn_output, heads * model_.v_dim, e);
  }

  void recurrent() {
    const std::uint64_t e = model_.n_embd, inner = model_.inner, state = model_.state;
    const std::uint64_t channels = inner + 2 * std::uint64_t{model_.groups} * state;
    switch (rules_.recurrence) {
      case Recurrence::mamba1:
        matrix(Slot::ssm_in, e, 2 * inner);
        vector(Slot::ssm_conv1d, model_.conv, inner);
        vector(Slot::ssm_conv1d_b, inner);
        matrix(Slot::ssm_x, inner, model_.step_rank + 2 * state);
        matrix(Slot::ssm_dt, model_.step_rank, inner);
        vector(Slot::ssm_dt_b, inner);
        vector(Slot::ssm_a, state, inner);
        vector(Slot::ssm_d, inner);
        matrix(Slot::ssm_out, inner, e);
        if (rules_.step_norms) {
          vector(Slot::ssm_dt_norm, model_.step_rank);
          vector(Slot::ssm_b_norm, state);
          vector(Slot::ssm_c_norm, state);
        }
        return;
      case Recurrence::mamba2:
        matrix(Slot::ssm_in, e, inner + channels + model_.step_rank);
        vector(Slot::ssm_conv1d, model_.conv, channels);
        vector(Slot::ssm_conv1d_b, channels);
        vector(Slot::ssm_dt_b, model_.step_rank);
        vector(Slot::ssm_a, 1, model_.step_rank);
        vector(Slot::ssm_d, 1, model_.step_rank);
        if (rules_.mixer_norm) vector(Slot::ssm_norm, inner / std::max(1U, model_.groups), model_.groups);
        matrix(Slot::ssm_out, inner, e);
        return;
      case Recurrence::delta_net:
        matrix(Slot::attn_qkv, e, channels);
        matrix(Slot::attn_gate, e, inner);
        vector(Slot::ssm_conv1d, model_.conv, channels);
        vector(Slot::ssm_dt_b, model_.step_rank);
        vector(Slot::ssm_a, model_.step_rank);
        if (model_.arch == "qwen3next") {
          matrix(Slot::ssm_ba, e, 2 * std::uint64_t{model_.step_rank});
        } else {
          matrix(Slot::ssm_beta, e, model_.step_rank);
          matrix(Slot::ssm_alpha, e, model_.step_rank);
        }
        vector(Slot::ssm_norm, inner / std::max(1U, model_.step_rank));
        matrix(Slot::ssm_out, inner, e);
        return;
      case Recurrence::short_conv:
        matrix(Slot::shortconv_in, e, 3 * e);
        vector(Slot::shortconv_conv, model_.conv, e);
        matrix(Slot::shortconv_out, e, e);
        return;
      case Recurrence::none: return;
    }
  }

  void dense(std::uint64_t width) {
    const std::uint64_t e = model_.n_embd;
    if (rules_.feed == Activation::gated) matrix(Slot::ffn_gate, e, width);
    matrix(Slot::ffn_up, e, rules_.feed == Activation::fused ? 2 * width : width);
    matrix(Slot::ffn_down, width, e);
    if (rules_.feed_bias) {
      vector(Slot::ffn_up_b, width);
      vector(Slot::ffn_down_b, e);
    }
  }

  void experts() {
    const std::uint64_t e = model_.n_embd, n = model_.experts, width = model_.expert_width;
    const std::uint64_t inner = model_.expert_latent > 0 ? model_.expert_latent : e;
    const bool gated = rules_.feed == Activation::gated || rules_.feed == Activation::fused;
    vector(Slot::ffn_gate_inp, e, n);
    if (rules_.plain_norm_router) vector(Slot::ffn_gate_inp_s, e);
    if (rules_.probability_bias) vector(Slot::exp_probs_b, n);
    if (model_.expert_latent > 0) {
      matrix(Slot::ffn_latent_down, e, inner);
      matrix(Slot::ffn_latent_up, inner, e);
    }
    if (rules_.fused_gate_up) {
      matrix(Slot::ffn_gate_up_exps, inner, 2 * width, n);
    } else {
      if (gated) matrix(Slot::ffn_gate_exps, inner, width, n);
      matrix(Slot::ffn_up_exps, inner, width, n);
    }
    matrix(Slot::ffn_down_exps, width, inner, n);
    if (rules_.expert_bias) {
      vector(Slot::ffn_gate_inp_b, n);
      vector(Slot::ffn_gate_exps_b, width, n);
      vector(Slot::ffn_up_exps_b, width, n);
      vector(Slot::ffn_down_exps_b, e, n);
    }
    if (model_.shared_width > 0) {
      if (gated) matrix(Slot::ffn_gate_shexp, e, model_.shared_width);
      matrix(Slot::ffn_up_shexp, e, model_.shared_width);
      matrix(Slot::ffn_down_shexp, model_.shared_width, e);
      if (rules_.shared_gate) vector(Slot::ffn_gate_inp_shexp, e);
    }
  }

  void norms(const Layer& layer) {
    const std::uint64_t e = model_.n_embd;
    if (rules_.pre_norm) norm(Slot::attn_norm, Slot::attn_norm_b, e);
    if (rules_.flow == Flow::single) return;
    if (rules_.post_norm || rules_.feed_norm_is_post_attention) vector(Slot::attn_post_norm, e);
    if (rules_.pre_norm && rules_.flow != Flow::parallel && !rules_.feed_norm_is_post_attention) {
      norm(Slot::ffn_norm, Slot::ffn_norm_b, e);
    }
    if (rules_.post_norm) vector(Slot::ffn_post_norm, e);
    if (rules_.plain_norm_router && layer.experts) {
      vector(Slot::ffn_pre_norm_2, e);
      vector(Slot::ffn_post_norm_1, e);
      vector(Slot::ffn_post_norm_2, e);
    }
  }

  void one_layer(const Layer& layer) {
    norms(layer);
    if (layer.attention) attention(layer);
    if (layer.latent) latent(layer);
    if (layer.recurrent) recurrent();
    if (layer.width > 0) dense(layer.width);
    if (layer.experts) experts();
    extras();
  }

  /// Per-layer embeddings, and what only Gemma 3n and 4 have.
  void extras() {
    const std::uint64_t e = model_.n_embd, altup = model_.altup;
    if (model_.per_layer_dim > 0) {
      matrix(Slot::per_layer_inp_gate, e, model_.per_layer_dim);
      matrix(Slot::per_layer_proj, model_.per_layer_dim, e);
      vector(Slot::per_layer_post_norm, e);
    }
    if (model_.arch == "gemma4") vector(Slot::layer_out_scale, 1);
    if (altup > 1) {
      matrix(Slot::laurel_l, e, model_.laurel_rank);
      matrix(Slot::laurel_r, model_.laurel_rank, e);
      vector(Slot::laurel_post_norm, e);
      vector(Slot::altup_correct_coef, altup, altup);
      vector(Slot::altup_correct_scale, e);
      vector(Slot::altup_predict_coef, altup, altup * altup);
      matrix(Slot::altup_router, e, altup);
      vector(Slot::altup_router_norm, e);
    }
  }

  /// A draft layer: an ordinary last layer with what joins it to the model. Some architectures keep it in the file
  /// without loading it.
  void draft() {
    const std::uint64_t e = model_.n_embd;
    ++layer_;
    loaded_ = model_.loads_draft;
    Layer like = model_.layers.back();
    norms(like);
    if (like.attention) attention(like);
    if (like.latent) latent(like);
    if (like.width > 0) dense(like.width);
    if (like.experts) experts();
    matrix(Slot::nextn_eh_proj, 2 * e, e);
    vector(Slot::nextn_enorm, e);
    vector(Slot::nextn_hnorm, e);
    if (model_.draft_embeddings) {
      matrix(Slot::nextn_embed, e, model_.n_vocab);
      matrix(Slot::nextn_head, e, model_.n_vocab);
    }
    vector(Slot::nextn_norm, e);
    loaded_ = true;
  }

  Model& model_;
  const Rules& rules_;
  FormatId matrices_;
  std::int16_t layer_ = -1;
  bool loaded_ = true;
};

}  // namespace

void list_tensors(Model& model, FormatId matrices) { List(model, matrices).run(); }

std::uint64_t tensor_bytes(const Tensor& tensor) {
  return stored_bytes(storage_format(tensor.type), Count(tensor.values() / std::max<std::uint64_t>(1, tensor.ne[0])),
                      Count(tensor.ne[0])).value();
}

}  // namespace vram::llamacpp
