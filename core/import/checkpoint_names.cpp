#include "core/import/checkpoint_names.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

namespace vram {
namespace {

constexpr std::string_view kContainers[] = {"layers",         "layer",         "h", "blocks", "block", "blk",
                                            "decoder_layers", "encoder_layers"};

// Last words that belong to a module. What stands for the values themselves comes first; the rest goes with it.
constexpr std::string_view kComponents[] = {
    "weight",
    "bias",
    "qweight",
    "weight_packed",
    "blocks",
    "scales",
    "qzeros",
    "g_idx",
    "weight_scale",
    "weight_scale_inv",
    "weight_scale_2",
    "weight_global_scale",
    "weight_zero_point",
    "weight_shape",
    "weight_g_idx",
    "input_scale",
    "input_global_scale",
    "input_zero_point",
    "scale",
    "SCB",
    "weight_format",
    "k_scale",
    "v_scale",
    "q_scale",
    "prob_output_scale",
    "pre_quant_scale",
    "output_scale",
    "zero_point",
};
// The same behind an underscore, where the module itself has no `.weight` (gpt-oss, transformers 5).
constexpr std::string_view kSuffixes[] = {"_blocks",       "_scales", "_bias",       "_scale_inv",
                                          "_weight_scale", "_scale",  "_input_scale"};

bool one_of(std::string_view word, std::span<const std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_number(std::string_view word) {
  return !word.empty() && word.size() <= 5 && word.find_first_not_of("0123456789") == std::string_view::npos;
}

std::int32_t to_number(std::string_view word) {
  std::int32_t value = 0;
  for (const char c : word) value = value * 10 + (c - '0');
  return value;
}

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// `list`: words separated by spaces.
bool in_list(std::string_view word, std::string_view list) {
  std::size_t at = 0;
  while ((at = list.find(word, at)) != std::string_view::npos) {
    const bool starts = at == 0 || list[at - 1] == ' ';
    const bool ends = at + word.size() == list.size() || list[at + word.size()] == ' ';
    if (starts && ends) return true;
    ++at;
  }
  return false;
}

bool has_any(std::string_view text, std::span<const std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) { return has(text, part); });
}

constexpr std::string_view kVisionWords[] = {"visual", "vision",    "vit.",        "image", "siglip",
                                             "vpm.",   "resampler", "patch_embed", "img_"};
constexpr std::string_view kAudioWords[] = {"audio", "speech", "sound", "conformer"};
constexpr std::string_view kProjectorWords[] = {"projector", "mlp1.", "connector", "aligner",
                                                "merger",    "mm_",   "adapter."};
constexpr std::string_view kDraftWords[] = {"mtp", "nextn", "draft", "eagle"};

struct RoleWords {
  Role role;
  std::string_view words;
  Fused fused = Fused::none;
};

template <std::size_t n>
const RoleWords* find_row(const RoleWords (&table)[n], std::string_view word) {
  for (const RoleWords& row : table) {
    if (in_list(word, row.words)) return &row;
  }
  return nullptr;
}

constexpr RoleWords kOutside[] = {
    {Role::embedding,
     "embed_tokens wte word_embeddings tok_embeddings embeddings embed embed_in word_embedding embedding shared "
     "embed_token"},
    {Role::position_embedding,
     "wpe position_embeddings embed_positions token_type_embeddings position_embedding relative_attention_bias"},
    {Role::per_layer_embedding, "embed_tokens_per_layer"},
    {Role::head, "lm_head output embed_out head output_layer"},
    {Role::final_norm, "norm ln_f final_layernorm norm_f final_layer_norm final_norm model_norm ln_post"},
    {Role::mtp_projection, "eh_proj fc"},
};

constexpr RoleWords kAttention[] = {
    {Role::attention_q, "q_proj wq q query q_lin to_q"},
    {Role::attention_k, "k_proj wk k key k_lin to_k"},
    {Role::attention_v, "v_proj wv v value v_lin to_v"},
    {Role::attention_o, "o_proj out_proj wo o dense c_proj Wo out_lin wo_a wo_b to_out"},
    {Role::attention_q, "qkv_proj c_attn query_key_value Wqkv W_pack qkv wqkv", Fused::qkv},
    {Role::attention_gate, "g_proj attn_gate linear_gate gate_proj gate"},
    {Role::latent_q_down, "q_a_proj wq_a"},
    {Role::latent_q_up, "q_b_proj wq_b"},
    {Role::latent_kv_down, "kv_a_proj_with_mqa wkv_a wkv kv_proj"},
    {Role::latent_kv_up, "kv_b_proj wkv_b"},
    {Role::latent_norm, "q_a_layernorm kv_a_layernorm q_a_norm kv_a_norm kv_norm"},
    {Role::attention_norm,
     "q_norm k_norm q_layernorm k_layernorm query_layernorm key_layernorm q_ln k_ln query_norm key_norm"},
    {Role::attention_sinks, "sinks attention_sink_bias attn_sink"},
};

/// In layers of Kimi's KDA and MiniMax's lightning attention, whose mixers are called attention too.
constexpr RoleWords kMixerInAttention[] = {
    {Role::mixer_conv, "q_conv1d k_conv1d v_conv1d"},
    {Role::mixer_gate, "f_a_proj f_b_proj g_a_proj g_b_proj f_proj output_gate"},
    {Role::mixer_small, "b_proj A_log dt_bias"},
    {Role::mixer_norm, "o_norm"},
};

constexpr RoleWords kMixer[] = {
    {Role::mixer_in, "in_proj in_proj_qkvz in_proj_qkv q_proj k_proj v_proj"},
    {Role::mixer_gate, "in_proj_z g_proj f_a_proj f_b_proj g_a_proj g_b_proj"},
    {Role::mixer_conv, "conv1d conv q_conv1d k_conv1d v_conv1d"},
    {Role::mixer_small, "in_proj_ba in_proj_a in_proj_b x_proj dt_proj A_log D dt_bias A b_proj"},
    {Role::mixer_norm, "norm o_norm dt_layernorm b_layernorm c_layernorm dt_norm B_norm C_norm"},
    {Role::mixer_out, "out_proj o_proj"},
};

constexpr RoleWords kFeed[] = {
    {Role::ffn_gate, "gate_proj w1 wi_0 linear_gate"},
    {Role::ffn_up, "up_proj w3 fc1 c_fc dense_h_to_4h fc_in wi wi_1 linear lin1 linear_1 intermediate v1 fc11"},
    {Role::ffn_down, "down_proj w2 fc2 c_proj dense_4h_to_h fc_out wo lin2 linear_2 output"},
    {Role::ffn_gate, "gate_up_proj gate_up input_linear", Fused::gate_up},
    {Role::ffn_down, "output_linear"},
};

Role as_expert(Role role) {
  return role == Role::ffn_gate ? Role::expert_gate : role == Role::ffn_up ? Role::expert_up : Role::expert_down;
}
Role as_shared(Role role) {
  return role == Role::ffn_gate ? Role::shared_expert_gate
         : role == Role::ffn_up ? Role::shared_expert_up
                                : Role::shared_expert_down;
}

/// Where words of a stem stand decides what they mean; this keeps them apart.
struct Path {
  std::string_view before;  ///< up to the layer's number; everything when there is none
  std::string_view within;  ///< after it; the whole stem when there is none
  std::string_view leaf;    ///< last word
  bool in_layer = false;
};

Path path_of(std::string_view stem) {
  Path path;
  const std::size_t number = stem.find(".#.");
  path.in_layer = number != std::string_view::npos;
  path.before = path.in_layer ? stem.substr(0, number) : stem;
  path.within = path.in_layer ? stem.substr(number + 3) : stem;
  path.leaf = stem.substr(stem.rfind('.') == std::string_view::npos ? 0 : stem.rfind('.') + 1);
  return path;
}

bool is_norm(std::string_view leaf) {
  return has(leaf, "norm") || has(leaf, "Norm") || leaf.substr(0, 3) == "ln_" || leaf.substr(0, 2) == "ln";
}

void read_layer(const Path& path, Meaning& m) {
  const std::string_view within = path.within, leaf = path.leaf;
  const bool shared = has(within, "shared_expert") || has(within, "shared_mlp") || has(within, "share_expert");
  // Granite stacks its experts under a name without the word
  const bool experts =
      !shared && (has(within, "experts") || (has(within, "block_sparse_moe") && has(leaf, "put_linear")));
  const bool indexer = has(within, "indexer") || has(within, "index_q") || has(within, "index_k");
  const bool recurrent = has(within, "linear_attn") || has(within, "mamba") || has(within, "short_conv") ||
                         within.substr(0, 5) == "conv." || has(within, "ssm") || has(within, "temporal_block");
  const bool mixer = within.substr(0, 6) == "mixer.";  // Nemotron-H: one word for mixers of every kind
  const bool attention = !recurrent && (has(within, "attn") || has(within, "attention") || has(within, "Attention"));
  const bool is_bias_of_router = has(leaf, "correction_bias") || leaf == "expert_bias";

  if (leaf == "inv_freq" || leaf == "rotary_emb" || leaf == "masked_bias" || has(within, "rotary_emb")) {
    m.look_up = true;
    m.role = Role::other;
    return;
  }
  if (in_list(leaf, "eh_proj enorm hnorm") || has(within, "shared_head")) {
    m.marks_draft = true;
    m.role = leaf == "eh_proj" ? Role::mtp_projection : leaf == "head" ? Role::head : Role::layer_norm;
    return;
  }
  if (leaf == "embed_tokens" || leaf == "emb") {
    m.role = Role::embedding;
    return;
  }
  if (indexer) {
    m.role = Role::indexer;
    return;
  }
  if (has(within, "compressor")) {
    m.role = Role::layer_other;
    return;
  }
  if (is_bias_of_router) {
    m.role = Role::router_bias;
    return;
  }
  if (leaf == "shared_expert_gate") {
    m.role = Role::shared_expert_router;
    return;
  }
  if (has(leaf, "latent_proj")) {
    m.role = Role::expert_latent;
    return;
  }
  const bool in_feed = has(within, "mlp") || has(within, "feed_forward") || has(within, "ffn") || has(within, "moe");
  if (!attention && !experts && !shared &&
      (leaf == "router" || leaf == "wg" || has(within, "router.") || (leaf == "gate" && (in_feed || mixer)))) {
    m.role = Role::router;
    return;
  }
  if (experts || shared) {
    if (const RoleWords* row = find_row(kFeed, leaf)) {
      m.role = shared ? as_shared(row->role) : as_expert(row->role);
      m.fused = row->fused;
      return;
    }
  }
  if (attention) {
    if (const RoleWords* row = find_row(kMixerInAttention, leaf)) {
      m.role = row->role;
      m.marks_mixer = true;
      return;
    }
    if (const RoleWords* row = find_row(kAttention, leaf)) {
      m.role = row->role;
      m.fused = row->fused;
      return;
    }
  }
  if (recurrent || mixer) {
    if (const RoleWords* row = find_row(kMixer, leaf);
        row != nullptr && (recurrent || !in_list(leaf, "q_proj k_proj v_proj o_proj"))) {
      m.role = row->role;
      return;
    }
    // Nemotron-H calls attention and the plain block "mixer" too.
    if (const RoleWords* row = find_row(kAttention, leaf)) {
      m.role = row->role;
      return;
    }
  }
  if (const RoleWords* row = find_row(kFeed, leaf); row != nullptr && !attention) {
    m.role = row->role;
    m.fused = row->fused;
    // BERT: intermediate.dense and output.dense
    return;
  }
  if (leaf == "dense") {
    m.role = has(within, "intermediate") ? Role::ffn_up : Role::ffn_down;
    return;
  }
  m.role = is_norm(leaf) ? Role::layer_norm : Role::layer_other;
}

constexpr RoleWords kGgufOutside[] = {
    {Role::embedding, "token_embd"},
    {Role::position_embedding, "position_embd token_types"},
    {Role::per_layer_embedding, "per_layer_token_embd"},
    {Role::head, "output"},
    {Role::final_norm, "output_norm"},
    {Role::layer_norm, "token_embd_norm"},
};

constexpr RoleWords kGgufLayer[] = {
    {Role::attention_q, "attn_q cross_attn_q"},
    {Role::attention_k, "attn_k cross_attn_k"},
    {Role::attention_v, "attn_v cross_attn_v"},
    {Role::attention_o, "attn_output attn_o cross_attn_o attn_output_a attn_output_b"},
    {Role::attention_q, "attn_qkv", Fused::qkv},
    {Role::attention_gate, "attn_gate"},
    {Role::attention_norm, "attn_q_norm attn_k_norm"},
    {Role::attention_sinks, "attn_sinks"},
    {Role::latent_q_down, "attn_q_a"},
    {Role::latent_q_up, "attn_q_b"},
    {Role::latent_kv_down, "attn_kv_a_mqa attn_kv"},
    {Role::latent_kv_up, "attn_kv_b attn_k_b attn_v_b"},
    {Role::latent_norm, "attn_q_a_norm attn_kv_a_norm attn_kv_norm"},
    {Role::ffn_gate, "ffn_gate"},
    {Role::ffn_up, "ffn_up"},
    {Role::ffn_down, "ffn_down"},
    {Role::ffn_gate, "ffn_gate_up", Fused::gate_up},
    {Role::router, "ffn_gate_inp"},
    {Role::router_bias, "exp_probs_b"},
    {Role::expert_gate, "ffn_gate_exps ffn_gate_chexps"},
    {Role::expert_up, "ffn_up_exps ffn_up_chexps"},
    {Role::expert_down, "ffn_down_exps ffn_down_chexps"},
    {Role::expert_gate, "ffn_gate_up_exps", Fused::gate_up},
    {Role::shared_expert_gate, "ffn_gate_shexp"},
    {Role::shared_expert_up, "ffn_up_shexp"},
    {Role::shared_expert_down, "ffn_down_shexp"},
    {Role::shared_expert_router, "ffn_gate_inp_shexp"},
    {Role::expert_latent, "ffn_latent_down ffn_latent_up"},
    {Role::mixer_in, "ssm_in shortconv_in"},
    {Role::mixer_conv, "ssm_conv1d ssm_conv1d_q ssm_conv1d_k ssm_conv1d_v"},
    {Role::mixer_small, "ssm_x ssm_dt ssm_a ssm_d ssm_ba ssm_alpha ssm_beta"},
    {Role::mixer_gate, "ssm_f_a ssm_f_b ssm_g_a ssm_g_b"},
    {Role::mixer_norm, "ssm_norm ssm_dt_norm ssm_b_norm ssm_c_norm"},
    {Role::mixer_out, "ssm_out"},
};

}  // namespace

SplitName split_name(std::string_view name, std::string& stem) {
  SplitName split;
  stem.clear();
  std::string_view before;  // the word before this one
  while (!name.empty()) {
    const std::size_t dot = name.find('.');
    const std::string_view word = name.substr(0, dot);
    const bool last = dot == std::string_view::npos;
    // "weight.absmax", "weight.quant_state.…": all that follows belongs to the values
    if ((last && !stem.empty() && one_of(word, kComponents)) || (!last && word == "weight" && !stem.empty())) {
      split.component = name;
      return split;
    }
    if (!stem.empty()) stem += '.';
    if (is_number(word) && split.layer < 0 && one_of(before, kContainers)) {
      split.layer = to_number(word);
      stem += '#';
    } else if (is_number(word) && split.expert < 0 && split.layer >= 0 &&
               (before == "experts" || before == "expert" || before.substr(0, 4) == "ffn_")) {
      split.expert = to_number(word);
      stem += '#';
    } else if (last) {
      stem += word;
      if (has(word, "_proj_")) {
        for (const std::string_view suffix : kSuffixes) {
          if (word.size() > suffix.size() && word.substr(word.size() - suffix.size()) == suffix) {
            stem.resize(stem.size() - suffix.size());
            split.component = word.substr(word.size() - suffix.size() + 1);
            break;
          }
        }
      }
    } else {
      stem += word;
    }
    before = word;
    name = last ? std::string_view() : name.substr(dot + 1);
  }
  return split;
}

Meaning meaning_of(std::string_view stem) {
  Meaning m;
  const Path path = path_of(stem);
  const bool vision = has_any(path.before, kVisionWords), audio = has_any(path.before, kAudioWords);
  // "merger" inside a tower is part of it as far as counting goes, but joins it to the text model
  if ((vision || audio || !path.in_layer) && has_any(path.in_layer ? path.before : stem, kProjectorWords)) {
    m.part = audio ? Part::audio : Part::vision;
    m.role = Role::projector;
    return m;
  }
  if (vision || audio) {
    m.part = audio ? Part::audio : Part::vision;
    m.role = Role::tower;
    return m;
  }
  if (has_any(path.before, kDraftWords)) m.part = Part::mtp;
  if (path.in_layer) {
    m.stack = m.part == Part::mtp ? Stack::draft : has(path.before, "encoder") ? Stack::encoder : Stack::decoder;
    read_layer(path, m);
    return m;
  }
  if (path.leaf == "inv_freq" || path.leaf == "position_ids") {
    m.look_up = true;
    return m;
  }
  if (const RoleWords* row = find_row(kOutside, path.leaf)) {
    m.role = row->role == Role::mtp_projection && m.part != Part::mtp ? Role::other : row->role;
    if (m.part == Part::mtp && m.role == Role::final_norm) m.role = Role::layer_norm;
    return m;
  }
  m.role = is_norm(path.leaf) ? Role::layer_norm : Role::other;
  return m;
}

Meaning meaning_of_gguf(std::string_view stem) {
  Meaning m;
  const Path path = path_of(stem);
  if (path.before == "v" || stem.substr(0, 2) == "v." || path.before == "a" || stem.substr(0, 2) == "a.") {
    m.part = stem[0] == 'a' ? Part::audio : Part::vision;
    m.role = Role::tower;
    return m;
  }
  if (stem.substr(0, 3) == "mm." || stem.substr(0, 9) == "resampler") {
    m.part = stem.substr(0, 5) == "mm.a." ? Part::audio : Part::vision;
    m.role = Role::projector;
    return m;
  }
  if (!path.in_layer) {
    if (const RoleWords* row = find_row(kGgufOutside, stem))
      m.role = row->role;
    else
      m.role = is_norm(stem) ? Role::layer_norm : Role::other;
    m.look_up = stem.substr(0, 10) == "rope_freqs" || stem.substr(0, 12) == "rope_factors";
    return m;
  }
  m.stack = path.before.substr(0, 3) == "enc" ? Stack::encoder : Stack::decoder;
  const std::string_view within = path.within;
  if (within.substr(0, 6) == "nextn.") {
    m.marks_draft = true;
    m.role = has(within, "eh_proj")               ? Role::mtp_projection
             : has(within, "embed_tokens")        ? Role::embedding
             : within == "nextn.shared_head_head" ? Role::head
                                                  : Role::layer_norm;
    return m;
  }
  if (within.substr(0, 7) == "indexer" || within.substr(0, 7) == "attn_in") {
    m.role = Role::indexer;
    return m;
  }
  if (within.substr(0, 9) == "shortconv") {
    m.role = has(within, "in_proj") ? Role::mixer_in : has(within, "out_proj") ? Role::mixer_out : Role::mixer_conv;
    return m;
  }
  if (within.substr(0, 9) == "time_mix_") {
    m.role = has(within, "output")                      ? Role::mixer_out
             : has(within, "gate") || has(within, "_g") ? Role::mixer_gate
             : is_norm(within)                          ? Role::mixer_norm
                                                        : Role::mixer_in;
    return m;
  }
  if (within.substr(0, 12) == "channel_mix_") {
    m.role = has(within, "value") ? Role::ffn_down : has(within, "key") ? Role::ffn_up : Role::ffn_gate;
    return m;
  }
  // The experts of old files stand one by one: ffn_gate.3
  const bool one_by_one = within.size() > 2 && within.substr(within.size() - 2) == ".#";
  const std::string_view word = one_by_one ? within.substr(0, within.size() - 2) : within;
  if (const RoleWords* row = find_row(kGgufLayer, word)) {
    m.role = one_by_one ? as_expert(row->role) : row->role;
    m.fused = row->fused;
    m.own_mixer = word == "ssm_in";
    m.marks_mixer = !m.own_mixer && word.substr(0, 4) == "ssm_";
    return m;
  }
  m.role = is_norm(within) ? Role::layer_norm : Role::layer_other;
  m.look_up = within.substr(0, 5) == "rope_";
  return m;
}

Role as_mixer(Role role) {
  switch (role) {
    case Role::attention_q:
    case Role::attention_k:
    case Role::attention_v:
      return Role::mixer_in;
    case Role::attention_gate:
      return Role::mixer_gate;
    case Role::attention_o:
      return Role::mixer_out;
    default:
      return role;
  }
}

}  // namespace vram
