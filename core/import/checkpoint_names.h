// What the name of a stored tensor says: which layer, which expert, what it is for.
//
// Checkpoints are read by their names, and every project has its own:
//   model.layers.3.mlp.experts.17.gate_proj.weight_scale_inv     Hugging Face
//   transformer.h.3.attn.c_attn.weight                           GPT-2
//   blk.3.ffn_gate_exps.weight                                   GGUF
// A name is cut into numbers (layer 3, expert 17), the last word (weight_scale_inv) and the *stem* that is left
// (model.layers.#.mlp.experts.#.gate_proj). A model of 140,000 tensors has about a hundred stems; what a stem means is
// looked up once, in tables of words.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "core/model/model.h"

namespace vram {

struct SplitName {
  std::int32_t layer = -1, expert = -1;  ///< −1 = none
  std::string_view component;  ///< "weight", "bias", "qweight", "weight.absmax", …; "" = the stem is the tensor
};

/// Cuts `name`; the stem is written to `stem`, with # for the numbers.
SplitName split_name(std::string_view name, std::string& stem);

/// Tensors that hold several others, one after the other along their outputs.
enum class Fused : std::uint8_t { none, qkv, gate_up, kv };

/// Layers of one stack are numbered from 0; a model with an encoder and a decoder, or with draft layers, has several.
enum class Stack : std::uint8_t { none, decoder, encoder, draft };

struct Meaning {
  Role role = Role::other;
  Part part = Part::text;
  Fused fused = Fused::none;
  Stack stack = Stack::none;
  bool marks_draft = false;  ///< a layer that has such a tensor is a draft (MTP) layer
  bool marks_mixer = false;  ///< … has a recurrent mixer that goes by attention's names (KDA, DeltaNet)
  bool own_mixer = false;    ///< … has a recurrent mixer with names of its own, whatever else is marked
  bool look_up = false;      ///< a table that holds no parameters (rotary frequencies, positions)
};

Meaning meaning_of(std::string_view stem);
Meaning meaning_of_gguf(std::string_view stem);
/// What a role of attention is in a layer whose recurrent mixer goes by attention's names.
Role as_mixer(Role role);

}  // namespace vram
