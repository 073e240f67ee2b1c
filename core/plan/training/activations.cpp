#include "core/plan/training/activations.h"

#include <algorithm>
#include <cmath>

#include "core/plan/training/loss.h"

namespace vram {
namespace {

/// Gradients that exist together while one layer runs backwards (fms, decomposed in frameworks.cpp).
constexpr double kPassingHidden = 2, kPassingFfn = 3, kPassingFfnUngated = 2;
/// Tokens an expert gets beyond its even share, as far as its gradients go.
constexpr double kExpertImbalance = 1.3;
/// Instruct data: lengths spread as a Gumbel distribution whose scale is 0.39 of the mean, a run of about 2,000 samples
/// (fms padding-free sweep: mean of padded batches of 2, 4, 8 = 738, 887, 1049; their longest 2,300 tokens).
constexpr double kLengthScale = 0.39, kRunSamples = 2000;
/// In a padding-free batch the longest sample has shorter company: 0.42 of the mean each (the same sweep).
constexpr double kCompany = 0.42;

double bytes_of_layer(const LayerCopies& copies, const LayerWidths& widths, double hidden, double hidden_shards,
                      double top_k) {
  const double split = copies.query * widths.query + copies.key_value * widths.key_value + copies.ffn * widths.ffn +
                       copies.expert_ffn * widths.expert_ffn * top_k + 2 * widths.mixer;
  return copies.hidden * hidden / hidden_shards + split + copies.adapters + copies.quantised;
}

LayerCopies layer_copies(const KeptCopies& kept, const TrainingShape& shape, const LayerWidths& widths, bool fused) {
  LayerCopies copies;
  const double norm = shape.layer_norm ? std::min(kept.norm, 0.5) : kept.norm;
  copies.hidden = kept.hidden + (fused ? 0 : norm * 2);
  copies.query = copies.key_value = kept.attention;
  if (widths.query_key_norm) copies.query = copies.key_value = kept.attention + (fused ? 1 : 3);
  copies.ffn = shape.gated ? kept.ffn : kept.ffn_ungated;
  if (shape.experts > 0 && widths.expert_ffn > 0) {
    copies.expert_ffn = kept.ffn;
    copies.hidden += 2.0 * shape.top_k;  // tokens gathered for their experts, and what these return
  }
  return copies;
}

void add(LayerCopies& to, const LayerCopies& more) {
  to.hidden += more.hidden;
  to.query += more.query;
  to.key_value += more.key_value;
  to.ffn += more.ffn;
  to.expert_ffn += more.expert_ffn;
  to.adapters += more.adapters;
  to.quantised += more.quantised;
}

LayerWidths mean_widths(const TrainingShape& shape) {
  LayerWidths mean;
  const double n = std::max(1, shape.layer_count());
  for (const LayerWidths& one : shape.layers) {
    mean.query += one.query / n;
    mean.key_value += one.key_value / n;
    mean.ffn += one.ffn / n;
    mean.expert_ffn += one.expert_ffn / n;
    mean.mixer += one.mixer / n;
    mean.query_key_norm = mean.query_key_norm || one.query_key_norm;
  }
  return mean;
}

/// Values a token that adapters of one layer keep.
double adapter_values(const TrainingSettings& s, const TrainingProfile& profile, const AdapterCounts& adapters,
                      bool fused, bool quantised) {
  const double tensor = std::max(1, s.split.tensor);
  if (s.method == TrainingMethod::ia3) return (adapters.inputs > 0 ? adapters.outputs + adapters.inputs : 0) / tensor;
  if (s.method == TrainingMethod::llama_adapter_v2) return 0;
  double copies = profile.adapter_input;
  if (quantised)
    copies = std::min(copies, profile.framework == TrainingFramework::litgpt ? copies : 0.75);
  else if (fused)
    copies = std::min(copies, 1.0);
  double values = copies * adapters.inputs;
  if (s.method == TrainingMethod::dora) values += 3 * adapters.outputs;  // base result, low-rank result, their sum
  if (s.method == TrainingMethod::lokr || s.method == TrainingMethod::loha) values += adapters.inputs;
  if (s.method == TrainingMethod::vera) values *= 0.5;
  return values / tensor;
}

double in_flight(const TrainingSettings& s, const TrainingShape& shape) {
  const int stages = shape.stages;
  if (stages <= 1) return 1;
  const double most = s.split.schedule == PipelineSchedule::gpipe ? 1e9 : stages - shape.stage;
  const double batches = *s.accumulation > 1 ? *s.accumulation : stages;
  if (s.split.virtual_stages > 1 || s.split.schedule == PipelineSchedule::interleaved) {
    const double chunks = std::max(2, s.split.virtual_stages);
    const double most_interleaved = stages - shape.stage + (stages - 1) / chunks;
    return std::min(batches, most_interleaved) > 0 ? most_interleaved : 1;
  }
  return std::min(batches, most);
}

void set_logits(TrainingActivations& a, const TrainingShape& shape, const TrainingSettings& s,
                const TrainingProfile& profile) {
  if (!shape.has_head) return;
  const bool adapted = trains_adapters(s.method);
  const bool in_place = s.kernels.loss_in_place;
  a.logit_tokens = a.longest_tokens;
  a.loss_hidden = in_place ? 2 : 3;  // fms: Llama-3 and Mistral fused 2, written out 3
  a.logit_bytes = in_place ? profile.logit_bytes_in_place : profile.logit_bytes;
  const bool hugging_face = profile.gradients_of_inputs_stay;
  // Mid-2024 the 16-bit logits stayed beside their fp32 copy (fms: 14 and 10 bytes, then 12 and 8).
  if (hugging_face && *s.era == Era::mid_2024) a.logit_bytes += 2;
  // Older classes do not bring logits to fp32: pure 16-bit 8 and 6 bytes; under autocast accelerate adds fp32 copies.
  if (hugging_face && (shape.layer_norm || !profile.upcasts_logits)) {
    const bool autocast = adapted && s.split.zero == ZeroStage::none;
    a.logit_bytes = autocast ? (in_place ? 14 : 18) : (in_place ? 6 : 8);
  }
  if (s.kernels.loss_from_hidden || s.kernels.liger) {
    const LossKernel& kernel = *find_loss_kernel("linear_cross_entropy_liger");
    const bool own_chunks = profile.loss_chunk > 0 && !s.kernels.liger;
    a.logit_tokens = a.longest_tokens * (own_chunks ? profile.loss_chunk : loss_chunk(shape.hidden, shape.whole_vocab));
    if (!own_chunks) a.logit_bytes = kernel.logit_bytes;
    a.loss_hidden = 2;
    if (s.kernels.liger && !adapted) a.loss_weight_bytes = shape.vocab * shape.hidden * 2;
  }
  const double values = a.logit_tokens * shape.vocab * a.logit_bytes;
  a.logits_bytes = values + a.longest_tokens * a.loss_hidden * shape.hidden * a.value_bytes + a.loss_weight_bytes;
}

}  // namespace

double longest_batch_tokens(double micro_batch, double mean_length, bool padding_free) {
  if (padding_free) {
    const double longest = mean_length * (1 + kLengthScale * std::log(kRunSamples));
    return longest + (micro_batch - 1) * kCompany * mean_length;
  }
  const double sample = mean_length / (1 + kLengthScale * std::log(std::max(1.0, micro_batch)));
  return micro_batch * sample * (1 + kLengthScale * std::log(kRunSamples));
}

TrainingActivations training_activations(const TrainingShape& shape, const TrainingSettings& s,
                                         const TrainingProfile& profile, const AdapterCounts& adapters,
                                         bool weights_sharded) {
  TrainingActivations a;
  const bool adapted = trains_adapters(s.method);
  const bool quantised =
      adapted && *s.weights != FormatId::bf16 && *s.weights != FormatId::fp16 && *s.weights != FormatId::fp32;
  const bool pairs = s.objective == TrainingObjective::dpo || s.objective == TrainingObjective::simpo;
  double micro_batch = *s.micro_batch;
  if (profile.splits_batch_by_stages && shape.stages > 1) micro_batch = std::max(1.0, micro_batch / shape.stages);
  double sequence = *s.sequence;
  const bool padded = s.length_is == LengthIs::limit && !s.kernels.packing;
  if (padded && profile.longest_sample > 0) sequence = std::min(sequence, profile.longest_sample);
  a.tokens = micro_batch * sequence * (pairs ? 2 : 1) / std::max(1, s.split.context);
  a.longest_tokens =
      s.length_is == LengthIs::mean
          ? longest_batch_tokens(micro_batch, *s.sequence, s.kernels.padding_free) / std::max(1, s.split.context)
          : a.tokens;
  const FormatId compute =
      s.compute.value_or(*s.weights == FormatId::fp32 && !profile.master_weights ? FormatId::fp32 : FormatId::bf16);
  a.value_bytes = storage_format(compute).bits / 8;
  a.hidden_shards = s.split.sequence ? std::max(1, s.split.tensor) : 1;
  a.layers = shape.layer_count();
  a.in_flight = in_flight(s, shape);
  a.widths = mean_widths(shape);

  const bool fused = s.kernels.fused_norm || s.kernels.liger;
  const KeptCopies& whole = adapted ? profile.frozen : profile.trained;
  LayerCopies once = layer_copies(whole, shape, a.widths, fused || s.kernels.compile);
  if (fused) {  // rotation in place, activation computed again from its input
    once.query = once.key_value = std::min(once.query, 2.0);
    if (shape.gated) once.ffn = std::min(once.ffn, 3.0);
  }
  if (adapted) {
    once.adapters = adapter_values(s, profile, adapters, fused, quantised);
    if (quantised) {
      once.quantised = profile.quantised_input * (2 * shape.hidden + a.widths.query + a.widths.ffn);
    }
    if (s.method ==
        TrainingMethod::llama_adapter_v2) {  // a scale and a shift behind every linear layer keep its output
      once.query += 3;
      once.key_value += 3;
      once.hidden += 3;
      once.ffn += 3;
    }
  }
  // What one layer holds while it is computed again: no product kept, fp32 copies of norms when written out.
  KeptCopies again = whole;
  again.ffn = std::min(again.ffn, 3.0);
  again.norm = std::min(again.norm, 2.0);
  again.attention = std::min(again.attention, 2.0);
  LayerCopies recomputed = layer_copies(again, shape, a.widths, fused || s.kernels.compile);
  recomputed.adapters = once.adapters;
  recomputed.quantised = once.quantised;

  LayerCopies passing;
  passing.hidden = kPassingHidden;
  passing.ffn = shape.gated ? kPassingFfn : kPassingFfnUngated;
  if (a.widths.expert_ffn > 0) {
    passing.expert_ffn = kPassingFfn * kExpertImbalance / std::max(1, shape.experts);
    if (a.widths.ffn <= 0) passing.ffn = 0;
  }

  const auto layer_bytes = [&](const LayerCopies& copies) {
    return a.value_bytes * bytes_of_layer(copies, a.widths, shape.hidden, a.hidden_shards, std::max(1, shape.top_k));
  };
  const double longest = a.longest_tokens;
  const Recompute recompute = *s.recompute;
  a.working = passing;
  const double scores_bytes = a.value_bytes == 4 ? 9 : 6;  // softmax in fp32 and its 16-bit copy; fp32: dropout too
  const double context_shards = std::max(1, s.split.context);
  const auto set_scores = [&](double copies) {
    if (*s.attention != AttentionKernel::eager) return;
    a.attention_scores = copies * scores_bytes * shape.heads * micro_batch * sequence * sequence / context_shards;
    a.scores_derivation = {"training_scores",
                           {{"layers", copies, ValueUnit::layers},
                            {"in_flight", 1},
                            {"score_bytes", scores_bytes, ValueUnit::bytes_per_value},
                            {"heads", shape.heads},
                            {"sequences", micro_batch},
                            {"tokens", sequence, ValueUnit::tokens},
                            {"context_shards", context_shards}}};
  };
  const bool checkpoints = recompute == Recompute::full || recompute == Recompute::full_offload;
  if (checkpoints) {
    LayerCopies input;
    input.hidden = s.kernels.kbit_upcast && !weights_sharded ? 2 : 1;
    a.kept = input;
    a.checkpoints = true;
    const double kept = longest * layer_bytes(input) * a.layers * a.in_flight;
    if (recompute == Recompute::full_offload)
      a.host_bytes = kept;
    else
      a.kept_bytes = kept;
    add(a.working, recomputed);
    set_scores(1);
    if (adapted && weights_sharded && profile.gradients_of_inputs_stay && s.split.fsdp == Fsdp::full_shard) {
      a.input_gradients = longest * a.value_bytes * shape.hidden * std::max(0.0, a.layers - 2);
    }
  } else if (recompute == Recompute::selective && !is_megatron(s.framework)) {
    // torchtitan's "op": outputs of attention and of every second matrix product are kept, the rest computed again.
    LayerCopies half;
    half.hidden = 2;
    half.query = half.key_value = 1;
    half.ffn = shape.gated ? 1 : 0.5;
    if (a.widths.expert_ffn > 0) half.expert_ffn = 1, half.hidden += shape.top_k;
    a.kept = half;
    a.kept_bytes = longest * layer_bytes(half) * a.layers * a.in_flight;
    add(a.working, recomputed);
  } else {
    a.kept = once;
    double layer = layer_bytes(once);
    // Matrix products in fp8 keep their inputs in eight bits.
    if (is_megatron(s.framework) && s.kernels.low_precision_compute) layer *= 0.6;
    a.kept_bytes = longest * layer * a.layers * a.in_flight;
    set_scores(recompute == Recompute::selective ? 1 : a.layers * a.in_flight);
  }
  a.working_bytes = longest * layer_bytes(a.working);
  set_logits(a, shape, s, profile);
  return a;
}

}  // namespace vram
