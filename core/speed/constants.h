// The measured numbers of the speed model, each with its unit, reason and source. There are no others.
//
// Everything that can be counted is counted (work.h); everything that hardware publishes or somebody measured on its own
// is looked up (rates.h: memory, matrix products, links). What is left are how well engines' kernels use what they get
// and what a step costs beside them. These are the numbers below. They were calibrated on public closed-loop runs of
// vLLM, SGLang and TensorRT-LLM on Hopper and Blackwell (facts: hardware.md, section 4; docs/ACCURACY.md says how well
// they hold on runs they were not calibrated on). A number is shared by everything it applies to: no model, card or
// source has one of its own.
#pragma once

namespace vram::speed {

/// Seconds that do not shrink with the amount of work.
struct EngineConstants {
  double layer = 0;        ///< each layer: launches and tails of attention, norms and feed-forward kernels
  double expert_layer = 0; ///< more in a layer of experts: routing, permutation, grouped products, combination
  double step = 0;         ///< each step: scheduling, sampling, sending back
  double sequence = 0;     ///< each sequence of a step: sampling, detokenising, bookkeeping on the host
};

struct Constants {
  // Share of the best matrix product anyone measured on the card (accelerators.json) that an engine's layers reach
  // when they are bound by arithmetic: odd shapes, quantisation of activations, tails.
  double product_16 = 0.73;
  double product_8 = 0.68;
  double product_8_block = 0.38;  ///< scales for tiles of 128 × 128: partial sums leave the tensor core every 128 values
  double product_4 = 0.44;
  double product_weight_only = 0.50;  ///< weights unpacked to 16 bits on the way (Marlin, GGML)
  double product_experts = 0.50;      ///< of the above, in grouped products …
  double expert_tile = 20;            ///< … whose tiles of so many rows an expert's tokens fill in part: m / (m + tile)

  // Share of the bandwidth that a card can reach (rates.h) in reading …
  double matrices = 0.90;                     ///< … large matrices
  double matrices_4 = 0.78;                   ///< … matrices in native four bits: B200 0.64 to 0.69 where eight bits have 0.73 to 0.79
  double experts_bandwidth = 0.71;            ///< … of that, many small matrices instead of one large
  double experts_bandwidth_blackwell = 0.97;   ///< the same on B200 and its like
  double weight_only_blackwell = 0.44;        ///< weight-only kernels are Ampere's instructions; datacentre Blackwell runs them slowly
  double expert_popularity = 1.1;             ///< shape of the gamma distribution of how often an expert is chosen: 1 = very uneven

  // Share of the peak bandwidth that attention reaches over its cache, and recurrent layers over their state.
  double cache_16 = 0.92;
  double cache_8 = 0.78;              ///< eight-bit keys are widened on the way
  double state = 0.85;
  double attention = 0.6;             ///< share of the 16-bit peak in attention over long inputs

  // More seconds for a layer that is …
  double latent_layer = 13e-6;        ///< … latent attention: down- and up-projections are kernels of their own
  double mixer_layer = 12e-6;         ///< … recurrent
  double indexer_layer = 84e-6;       ///< … attention that chooses its tokens: scores, top-k, gather

  EngineConstants vllm{55e-6, 13e-6, 0.1e-3, 22e-6};
  EngineConstants sglang{22e-6, 47e-6, 0.8e-3, 52e-6};
  EngineConstants tensorrt_llm{33e-6, 19e-6, 0.9e-3, 14e-6};
  EngineConstants llama_cpp{45e-6, 20e-6, 0.3e-3, 30e-6};

  // The seconds of layers above are those of captured CUDA graphs. Times more …
  double latency_amd = 2.0;           ///< … on ROCm: llama.cpp on an MI300X shows 3.3, vLLM captures graphs
  double latency_metax = 30;          ///< … on MACA without graphs: 1.3 and 3.1 ms a layer (C500: a 2B and a 72B model)
  double latency_other = 3.0;         ///< … where nobody measured: Ascend, Gaudi

  /// Share of the seconds of a sequence that is left where no answer is sent token by token.
  double not_streamed = 0.30;

  // Time to first token.
  double front = 0.040;               ///< seconds: request over HTTP, tokeniser, first answer on its way
  double burst_mixed = 0.17;          ///< share of requests that wait for the first wave, when inputs are mixed in
  /// When inputs are read first, all requests of a wave start to write together and end together, and the next wave
  /// waits for its reading too. Waves fall apart when answers differ in length: by about a twentieth of their time.
  double answer_spread = 0.05;
};

}  // namespace vram::speed
