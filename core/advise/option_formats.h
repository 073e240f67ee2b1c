// Weight formats worth offering: what the checkpoint has, and what a card computes in with fewer bits.
#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

#include "core/hardware/accelerator.h"
#include "core/model/model.h"
#include "core/scenario/scenario.h"

namespace vram {

/// A choice of the field "weights".
struct WeightChoice {
  std::string_view weights;
  double bits = 16;             ///< nominal, of most weights
};

/// Nominal bits of the format that most of the model's weights are stored in.
double stored_bits(const Model& model);

/// What the scenario's first deployment could be served in, the most bits first: as stored, in sixteen bits (for cards
/// that cannot run what is stored), in eight and in four bits; of llama.cpp its own formats; and what the scenario has
/// now. Nothing below the scenario's floor of quality, and nothing that only takes more memory than what is stored.
std::vector<WeightChoice> weight_choices(const Scenario& scenario, const Model& stored);

/// Puts the choice into the first deployment, and into others that write answers by the same engine when their format
/// was left open and their checkpoint has more bits: embeddings, rerankers and what somebody chose stay as they are. So
/// does everything when the choice is what the scenario has already. True when another deployment changed.
bool set_weights(Scenario& scenario, const WeightChoice& choice, const std::vector<Model>& stored);

/// Does the card run these weights? Whole numbers of four bits and llama.cpp's types are turned into sixteen bits on
/// the way, which every card can do; so are stored fp8 and fp4 on NVIDIA from Ampere on (vLLM's Marlin kernels).
/// Everything else needs the format in hardware.
bool runs_weights(const Accelerator& card, const WeightChoice& choice, const Model& stored);

/// Indices of the choices that are worth trying on the card: of eight bits fp8 where the hardware has it, else int8; of
/// four bits nvfp4 before mxfp4; sixteen bits of a model stored in fewer only where nothing smaller runs. What the
/// scenario has now and what is stored are always worth it.
std::vector<std::size_t> worth_trying(const Accelerator& card, const std::vector<WeightChoice>& choices,
                                      const Scenario& scenario, const Model& stored);

}  // namespace vram
