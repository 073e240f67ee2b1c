#include "core/plan/training/states.h"

#include <algorithm>
#include <cmath>

namespace vram {
namespace {

/// Block sizes of quantised optimizers: bitsandbytes 2048, torchao's 4-bit 128; one fp32 scale a block.
constexpr double kBlock8 = 2048, kBlock4 = 128;
/// DeepSpeed's defaults: allgather and reduce buckets of 5e8 values, up to 1e9 live parameters in stage 3.
constexpr double kBucketValues = 5e8, kLiveValues = 1e9;
/// Muon keeps one buffer for matrices; about a tenth of the values stay with AdamW (DeepSpeed blog).
constexpr double kMuonMatrices = 0.9;
/// GaLore's usual rank over hidden size, and its projections.
constexpr double kGaloreRank = 0.25;
/// LISA trains two layers at a time besides embedding and head; LLaMA-Pro adds one block for every eight.
constexpr double kLisaLayers = 2, kProBlocks = 0.125;

bool is_paged(TrainingOptimizer optimizer) {
  return optimizer == TrainingOptimizer::paged_adamw || optimizer == TrainingOptimizer::paged_adamw_8bit;
}
bool is_eight_bit(TrainingOptimizer optimizer) {
  return optimizer == TrainingOptimizer::adamw_8bit || optimizer == TrainingOptimizer::adamw_4bit ||
         optimizer == TrainingOptimizer::paged_adamw_8bit || optimizer == TrainingOptimizer::galore_adamw_8bit ||
         optimizer == TrainingOptimizer::q_galore || optimizer == TrainingOptimizer::q_apollo_mini;
}

double plain_bytes_of(FormatId format) { return storage_format(format).bits / 8; }
bool is_plain(FormatId format) {
  return format == FormatId::bf16 || format == FormatId::fp16 || format == FormatId::fp32;
}

struct Codes {
  double codes = 2, scales = 0;
};
/// Codes are cut by FSDP like any weights; scales are a quantiser's own state and stay whole on every rank.
Codes codes_of(FormatId format) {
  switch (format) {
    case FormatId::nf4:
      return {0.5, 4.0 / 64};  // QLoRA paper: one fp32 for 64 values
    case FormatId::nf4_dq:
      return {0.5, 1.0 / 64 + 4.0 / (64 * 256)};  // and that in 8 bits, one fp32 for 256
    case FormatId::gptq_int4:
      return {0.5 + 0.5 / 128, 2.0 / 128};  // zeros are packed like codes
    case FormatId::awq_int4:
      return {0.5 + 0.5 / 128, 2.0 / 128};
    case FormatId::int8:
      return {1, 4.0 / 4096};
    default:
      return {plain_bytes_of(format), 0};
  }
}

struct Shards {
  double weights = 1, gradients = 1, states = 1;
};
Shards shards_of(const TrainingSettings& s, bool experts) {
  const TrainingParallelism& split = s.split;
  double group = static_cast<double>(split.data) * split.context;
  if (experts) {
    group = group * split.tensor / (static_cast<double>(split.expert) * split.expert_tensor);
    group = std::max(1.0, group);
  }
  Shards shards;
  if (split.zero != ZeroStage::none) shards.states = group;
  if (split.zero == ZeroStage::two || split.zero == ZeroStage::three) shards.gradients = group;
  if (split.zero == ZeroStage::three) shards.weights = group;
  if (split.fsdp == Fsdp::full_shard) shards = {group, group, group};
  if (split.fsdp == Fsdp::shard_grad_op) shards = {1, group, group};
  return shards;
}

void set_bytes_of_full(TrainedGroup& group, const TrainingSettings& s, const TrainingProfile& profile,
                       const TrainingShape& shape) {
  const double stored = is_plain(*s.weights) ? plain_bytes_of(*s.weights) : 2;
  // accelerate brings weights to fp32 when FSDP shards a bf16 model; a run in pure fp16 has no mixed precision to do
  // it.
  const bool up = profile.upcasts_under_fsdp && s.split.fsdp == Fsdp::full_shard && *s.weights == FormatId::bf16 &&
                  *s.era == Era::current && s.split.fsdp_version == 1;
  group.weight = up ? 4 : stored;
  const bool master = *s.master_weights && group.weight < 4;
  const bool mcore = is_megatron(s.framework);
  const bool deepspeed = !mcore && s.split.zero != ZeroStage::none;
  group.master = master || deepspeed || mcore ? (group.weight < 4 ? 4 : 0) : 0;
  if (mcore)
    group.gradient = profile.gradients_in_16_bits ? 2 : 4;  // one buffer of main gradients
  else if (deepspeed)
    group.gradient = 2;
  else
    group.gradient = up ? 4 : s.gradients ? plain_bytes_of(*s.gradients) : group.weight;
  const double in_fp32 = group.master > 0 || group.weight == 4 ? 4 : group.weight;
  double one = s.optimizer_states && is_plain(*s.optimizer_states) ? plain_bytes_of(*s.optimizer_states) : in_fp32;
  if (up) one = 4;
  group.state = optimizer_state_bytes(s.optimizer, one, shape.hidden);
  const bool fused = profile.fused_optimizer || (deepspeed && profile.fused_under_deepspeed) ||
                     s.kernels.fused_optimizer || is_eight_bit(s.optimizer) || is_paged(s.optimizer) ||
                     s.optimizer_in_backward;
  // foreach: one temporary as large as a state (fms 10.002 and 20.005 bytes a value). DeepSpeed: gradients in fp32.
  group.step = (deepspeed ? 4 : 0) + (fused || group.state == 0 ? 0 : one);
}

void set_bytes_of_adapters(TrainedGroup& group, const TrainingSettings& s, const TrainingProfile& profile, double one,
                           double hidden) {
  const bool deepspeed = s.split.zero != ZeroStage::none;
  group.weight = deepspeed ? 2 : one;
  group.master = deepspeed ? 4 : 0;
  group.gradient = deepspeed ? 2 : one;
  const double state = deepspeed ? 4 : one;
  group.state =
      s.optimizer == TrainingOptimizer::lora_fa ? 2 * state : optimizer_state_bytes(s.optimizer, state, hidden);
  group.step =
      (deepspeed ? 4 : 0) + (profile.fused_optimizer || (deepspeed && profile.fused_under_deepspeed) ? 0 : one);
}

}  // namespace

double TrainedGroup::host_bytes() const {
  double bytes = 0;
  if (states_on_host) bytes += values * (master + state) * state_share / state_shards;
  if (states_on_host) bytes += values * gradient / gradient_shards;  // gradients are handed over for the step
  if (states_paged) bytes += values * state * state_share / state_shards;
  if (weights_on_host) bytes += values * weight / weight_shards;
  return bytes;
}

double optimizer_state_bytes(TrainingOptimizer optimizer, double full, double hidden) {
  switch (optimizer) {
    case TrainingOptimizer::adamw:
    case TrainingOptimizer::paged_adamw:
    case TrainingOptimizer::lora_fa:
      return 2 * full;
    case TrainingOptimizer::adamw_8bit:
    case TrainingOptimizer::paged_adamw_8bit:
      return 2 * (1 + 4 / kBlock8);
    case TrainingOptimizer::adamw_4bit:
      return 2 * (0.5 + 4 / kBlock4);
    case TrainingOptimizer::sgd:
      return 0;
    case TrainingOptimizer::sgd_momentum:
    case TrainingOptimizer::lion:
      return full;
    case TrainingOptimizer::adafactor:
      return hidden > 0 ? 2 * 4 / hidden : 0;  // a row and a column instead of a matrix
    case TrainingOptimizer::muon:
      return kMuonMatrices * full + (1 - kMuonMatrices) * 2 * full;
    case TrainingOptimizer::galore_adamw:
    case TrainingOptimizer::badam:
      return 2 * full * kGaloreRank + full * kGaloreRank;
    case TrainingOptimizer::galore_adamw_8bit:
    case TrainingOptimizer::q_galore:
      return 2 * (1 + 4 / kBlock8) * kGaloreRank + full * kGaloreRank;
    case TrainingOptimizer::q_apollo_mini:
    case TrainingOptimizer::none:
    case TrainingOptimizer::count_:
      return 0;
  }
  return 2 * full;
}

TrainingStates training_states(const TrainingShape& shape, const TrainingSettings& s, const TrainingProfile& profile,
                               const AdapterCounts& adapters) {
  TrainingStates states;
  const bool adapted = trains_adapters(s.method);
  const bool trains = s.method != TrainingMethod::mezo;
  const Shards dense = shards_of(s, false), expert = shards_of(s, true);
  const TrainingCounts& counts = shape.counts;
  const double dense_values = counts.linear + counts.embedding + counts.head + counts.small;
  states.weights_sharded = dense.weights > 1;

  if (!adapted) {
    for (const bool of_experts : {false, true}) {
      TrainedGroup group;
      group.kind = of_experts ? TrainedGroup::Kind::experts : TrainedGroup::Kind::dense;
      group.values = of_experts ? counts.experts : dense_values;
      if (group.values <= 0) continue;
      const Shards& shards = of_experts ? expert : dense;
      group.weight_shards = shards.weights;
      group.gradient_shards = shards.gradients;
      group.state_shards = shards.states;
      set_bytes_of_full(group, s, profile, shape);
      if (!trains) group.master = group.gradient = group.state = group.step = 0;
      if (s.objective == TrainingObjective::ppo) group.values *= 2;  // a value model of the same size learns too
      group.states_on_host = s.split.offload_optimizer;
      group.weights_on_host = s.split.offload_parameters;
      group.states_paged = is_paged(s.optimizer);
      const double layers = std::max(1, shape.layer_count());
      if (s.optimizer_in_backward && group.values > 0) {
        // One tensor at a time; the largest is the embedding, or a layer's worth while it runs backwards. Its step is
        // not fused with others: two temporaries beside the gradient (torchtune, 24.9 → 23.1 GiB).
        const double largest =
            std::max(group.values / layers, of_experts ? 0 : std::max(counts.embedding, counts.head));
        group.gradient_share = std::min(1.0, 3 * largest / group.values);
      }
      if (s.method == TrainingMethod::lisa) {
        const double outside = (counts.embedding + counts.head) / std::max(1.0, dense_values);
        group.gradient_share = group.state_share = outside + (1 - outside) * kLisaLayers / layers;
      } else if (s.method == TrainingMethod::full_blockwise) {
        group.gradient_share = group.state_share = 1 / layers;
        group.step = 0;
      } else if (s.method == TrainingMethod::llamapro) {
        group.values *= 1 + kProBlocks;
        group.gradient_share = group.state_share = kProBlocks / (1 + kProBlocks);
      }
      states.trained.push_back(group);
      states.trained_values +=
          (of_experts ? shape.whole.experts : shape.whole.all() - shape.whole.experts) * group.state_share;
    }
  } else {
    const Codes codes = codes_of(*s.weights);
    const bool quantised = codes.scales > 0;
    FrozenWeights& frozen = states.frozen;
    // Experts stored as one three-dimensional tensor are not linear modules: bitsandbytes leaves them in 16 bits when
    // they are (facts §1.8); here a row that says 4-bit is taken at its word.
    frozen.quantised = quantised ? counts.linear + counts.experts : 0;
    frozen.plain = quantised ? dense_values - counts.linear : dense_values + counts.experts;
    frozen.code_bytes = codes.codes;
    frozen.scale_bytes = codes.scales;
    frozen.plain_bytes = quantised ? 2 : codes.codes;
    frozen.shards = dense.weights;
    frozen.on_host = s.split.offload_parameters;

    // fms leaves the adapters of a quantised model out of FSDP: whole on every rank, in 16 bits (its rows: 8 bytes).
    const bool left_out = quantised && states.weights_sharded && profile.framework == TrainingFramework::fms;
    TrainedGroup group;
    group.kind = TrainedGroup::Kind::adapters;
    group.values = adapters.trained / std::max(1, shape.stages);
    const double one = left_out ? 2 : plain_bytes_of(profile.adapter_format);
    set_bytes_of_adapters(group, s, profile, one, shape.hidden);
    if (!left_out) {
      group.weight_shards = dense.weights;
      group.gradient_shards = dense.gradients;
      group.state_shards = dense.states;
    }
    group.states_on_host = s.split.offload_optimizer;
    group.states_paged = is_paged(s.optimizer);
    states.trained.push_back(group);
    frozen.plain += adapters.frozen * 2 / std::max(1, shape.stages);  // fp32, counted in 16-bit values
    states.trained_values += adapters.trained;
    if (adapters.saved_whole > 0) {
      TrainedGroup saved = group;
      saved.kind = TrainedGroup::Kind::saved_modules;
      saved.values = adapters.saved_whole / std::max(1, s.split.tensor);
      if (s.split.zero == ZeroStage::none) {  // copies in the model's own format, states with them
        saved.weight = saved.gradient = saved.step = 2;
        saved.state = optimizer_state_bytes(s.optimizer, 2, shape.hidden);
      }
      states.trained.push_back(saved);
      states.trained_values += adapters.saved_whole;
    }
  }

  const bool fsdp = s.split.fsdp == Fsdp::full_shard || s.split.fsdp == Fsdp::shard_grad_op;
  const bool one_buffer = !states.trained.empty() && is_megatron(s.framework);
  states.gradients_stay = profile.gradients_stay || fsdp;  // zero_grad frees them, a flat parameter keeps its own
  states.gradients_accumulate = one_buffer || *s.accumulation > 1;
  if (s.optimizer_in_backward) states.gradients_stay = states.gradients_accumulate = false;
  if (states.weights_sharded) {
    const double layer_bytes = adapted && states.frozen.quantised > 0 ? states.frozen.code_bytes : 2;
    double layer = 0;
    for (const LayerWidths& one : shape.layers) {
      // The matrices are gathered in the stored format; norms and the like are small.
      const double whole = one.parameters + one.expert_parameters;
      const double matrices = states.frozen.quantised > 0 ? one.linear_parameters : whole;
      layer = std::max(layer, matrices * layer_bytes + (whole - matrices) * 2);
    }
    states.gathered_layer = layer;
    const bool second = s.split.fsdp == Fsdp::full_shard && s.split.fsdp_version >= 2;
    states.gathered_root = (second ? std::max(counts.embedding, counts.head) : counts.embedding + counts.head) * 2;
    states.gathered_root_backward = second ? 0 : states.gathered_root;
    if (!adapted) states.gathered_gradient = layer;
    if (fsdp && shape.stages > 1) {
      // Between micro-batches of a pipeline nothing is cut again: a stage's weights and fp32 gradients stay whole
      // (torchtitan 405B: 0.3 GiB a layer and rank more than shards alone).
      states.gathered_root = states.gathered_root_backward = counts.all() * 2;
      states.gathered_layer = 0;
      if (!adapted) states.gathered_gradient = counts.all() * 4;
      states.gathered_gradient_in_loss = states.gathered_gradient;
    }
    if (s.split.zero == ZeroStage::three) {
      const double live = std::min(kLiveValues, counts.all()) * 2;
      states.gathered_layer = std::max(states.gathered_layer, live - states.gathered_root);
    }
  }
  if (s.split.zero == ZeroStage::two || s.split.zero == ZeroStage::three) {
    const double trained = adapted ? adapters.trained + adapters.saved_whole : counts.all();
    states.buckets = std::min(kBucketValues, trained) * 2 * (s.split.zero == ZeroStage::two ? 2 : 1);
  }
  // DDP sends gradients from buckets of its own, as large as all of them (facts §6).
  const bool replicas =
      s.split.data > 1 && !states.weights_sharded && s.split.zero == ZeroStage::none && !is_megatron(s.framework);
  if (replicas && !fsdp) {
    for (const TrainedGroup& group : states.trained) states.buckets += group.gradient_bytes();
  }
  return states;
}

}  // namespace vram
