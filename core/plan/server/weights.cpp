#include "core/plan/server/weights.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "core/plan/server/rotary.h"
#include "core/plan/server/storage.h"
#include "core/plan/shares.h"

namespace vram {
namespace {

/// Matrices that engines keep as one. `none`: each by itself.
enum class Merge : std::uint8_t { none, qkv, gate_up, shared_gate_up, expert_gate_up, latent_down, mixer_in };

Merge merge_of(Role role) {
  switch (role) {
    case Role::attention_q:
    case Role::attention_gate:
    case Role::attention_k:
    case Role::attention_v:
      return Merge::qkv;
    case Role::ffn_gate:
    case Role::ffn_up:
      return Merge::gate_up;
    case Role::shared_expert_gate:
    case Role::shared_expert_up:
      return Merge::shared_gate_up;
    case Role::expert_gate:
    case Role::expert_up:
      return Merge::expert_gate_up;
    case Role::latent_q_down:
    case Role::latent_kv_down:
      return Merge::latent_down;
    case Role::mixer_in:
    case Role::mixer_gate:
      return Merge::mixer_in;
    default:
      return Merge::none;
  }
}

bool is_expert(Role role) { return role == Role::expert_gate || role == Role::expert_up || role == Role::expert_down; }
bool is_embedding(Role role) {
  return role == Role::embedding || role == Role::head || role == Role::position_embedding ||
         role == Role::per_layer_embedding;
}

constexpr std::size_t kNotYet = static_cast<std::size_t>(-1);
constexpr int kBeforeLayers = -1, kAfterLayers = 1 << 20;
constexpr int kDownRowsUnpadded = 1800;
constexpr std::uint64_t kVocabularyStep = 64;  // vLLM vocab_parallel_embedding.py DEFAULT_VOCAB_PADDING_SIZE

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t step) { return (value + step - 1) / step * step; }

/// One matrix, as far as a device keeps it.
struct Share {
  Count outputs, inputs, copies;
};

class Loader {
 public:
  Loader(const Model& model, const ServerSettings& settings, int stage)
      : model_(model), settings_(settings), tp_(std::max(1, settings.tensor_parallel)) {
    const int layers = static_cast<int>(model.dims.num_hidden_layers);
    range_ = server_stage_layers(layers, settings, stage);
    first_ = stage == 0;
    last_ = stage + 1 >= std::max(1, settings.pipeline_parallel);
  }

  LoadedWeights all() {
    std::vector<bool> done(model_.tensors.size(), false);
    matrices_.reserve(model_.tensors.size());
    runs_.reserve(model_.tensors.size());
    runs_of_.assign(2 * model_.layer_sets.size(), {kNotYet, 0});
    for (std::size_t i = 0; i < model_.tensors.size(); ++i) {
      if (!done[i] && layers_here(model_.tensors[i]) != 0) collect(i, done);
    }
    allocate();
    for (const Matrix& one : matrices_) place(*one.lead, one.counted);
    loaded_.rotary = rotary_bytes(model_, settings_);
    if (settings_.adapters) loaded_.adapters = adapter_bytes();
    return loaded_;
  }

 private:
  /// How often this stage holds a tensor: its layers here, or once, or not at all.
  std::uint64_t layers_here(const Tensor& tensor) const {
    if (tensor.part == Part::mtp) {
      const bool shared = tensor.role == Role::embedding || tensor.role == Role::head;  // taken from the model itself
      if (draft_copies(settings_) == 0 || shared || !last_) return 0;
      return model_.layers_of(tensor.layer_set);
    }
    const bool tower = tensor.part == Part::vision || tensor.part == Part::audio;
    if (tower) return skips_towers() || !first_ ? 0 : model_.layers_of(tensor.layer_set);
    if (tensor.role == Role::per_layer_embedding && settings_.tables_on_host) return 0;
    if (tensor.layer_set != kNoLayer) {
      const LayerSet& set = model_.layer_sets[static_cast<std::size_t>(tensor.layer_set)];
      return tensor.stored ? layers_between(set, range_.first, range_.second) : 0;
    }
    const bool at_end = tensor.role == Role::head || tensor.role == Role::final_norm;
    if (tensor.stored) return at_end ? (last_ ? 1 : 0) : (first_ ? 1 : 0);
    return last_ && !first_ ? 1 : 0;  // a tied head needs the embedding on the last stage too
  }

  /// SGLang's data-parallel attention lies inside the tensor-parallel group: attention is cut over TP / DP devices.
  int attention_tp() const {
    const int dp = std::max(1, settings_.data_parallel);
    return settings_.engine == Engine::sglang ? std::max(1, tp_ / dp) : tp_;
  }
  static bool attends(Role role) {
    return is_embedding(role) ? role == Role::embedding : role >= Role::attention_q && role <= Role::indexer;
  }

  int expert_devices() const {
    if (settings_.engine == Engine::sglang) return tp_;
    return tp_ * std::max(1, settings_.data_parallel);
  }

  /// MiniMax-M2 computes its router in fp32.
  FormatId loaded_format(const Tensor& tensor) const {
    const bool wide = tensor.role == Role::router && model_.model_type.starts_with("minimax_m2");
    return wide ? FormatId::fp32 : tensor.format;
  }

  Share share_of(const Tensor& tensor) const {
    Share share{tensor.outputs, tensor.inputs, tensor.copies};
    const int attention_devices = attends(tensor.role) ? attention_tp() : tp_;
    const Count devices(static_cast<std::uint64_t>(attention_devices));
    const bool tower = tensor.part == Part::vision || tensor.part == Part::audio;
    if (tower) {  // linear layers of towers are cut like those of the text model; norms and positions are small
      share.outputs = ceil_div(tensor.outputs, devices);
      return share;
    }
    if (is_expert(tensor.role) && settings_.expert_parallel) {
      share.copies = ceil_div(tensor.copies, Count(static_cast<std::uint64_t>(expert_devices())));
      return share;
    }
    if (tensor.role == Role::embedding || tensor.role == Role::head) {
      share.outputs = Count(rounded_up(tensor.outputs.value(), kVocabularyStep));
    }
    switch (cut_of(tensor.role)) {
      case Cut::outputs:
        share.outputs = ceil_div(share.outputs, devices);
        break;
      case Cut::key_heads:
        share.outputs = kept_key_outputs(model_, tensor, attention_devices);
        break;
      case Cut::inputs:
        if (tensor.inputs > Count(1)) share.inputs = ceil_div(tensor.inputs, devices);
        break;
      case Cut::none:
        break;
    }
    return share;
  }

  /// MXFP4 experts are padded to the tiles of their kernel: rows of gate and up to 128 a device, the model's width to
  /// 256 (Marlin since 0.10.1; later releases leave the rows of `down` alone: a log of 0.19). The first release padded
  /// to 64 and nothing else; other platforms do not pad.
  void pad(Role role, FormatId format, Share& share) const {
    if (format != FormatId::mxfp4 || !is_expert(role) || settings_.engine != Engine::vllm) return;
    if (settings_.platform != Backend::cuda) return;
    const bool down = role == Role::expert_down, first = settings_.version.first_of_its_kind;
    const std::uint64_t width_step = first ? 64 : 128;
    const std::uint64_t hidden_step = first || (down && settings_.version.number >= kDownRowsUnpadded) ? 1 : 256;
    Count& width = down ? share.inputs : share.outputs;
    Count& hidden = down ? share.outputs : share.inputs;
    if (!(width > Count(1))) return;
    width = Count(rounded_up(width.value(), width_step));
    if (hidden > Count(1)) hidden = Count(rounded_up(hidden.value(), hidden_step));
  }

  /// Qwen's classes build their tower even when only text is served (a log of 0.28), Gemma's do not (0.21).
  bool skips_towers() const { return settings_.text_only && !model_.model_type.starts_with("qwen"); }

  /// Layers [first, last) in a row.
  struct Run {
    int first, last;
  };
  /// A merged matrix: what one layer allocates for it, and in which layers.
  struct Matrix {
    const Tensor* lead;
    std::array<Bytes, 5> pieces;  ///< as stored, then an absorbed copy
    int copies;
    std::size_t next, end;        ///< in runs_: the run that has not ended, and behind the last
    Bytes counted;
  };

  /// Modules are made in the order of the layers; what stands outside them comes first, the head last. Within a stretch
  /// of layers with the same matrices each allocates what the one before it did.
  void allocate() {
    std::vector<int> bounds;
    bounds.reserve(2 * runs_.size());
    for (const Run& run : runs_) bounds.insert(bounds.end(), {run.first, run.last});
    std::sort(bounds.begin(), bounds.end());
    bounds.erase(std::unique(bounds.begin(), bounds.end()), bounds.end());
    Allocator allocator;
    std::vector<Bytes> sizes, counted;
    std::vector<Matrix*> owners;
    for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
      const int first = bounds[i], last = bounds[i + 1];
      sizes.clear();
      owners.clear();
      for (Matrix& one : matrices_) {
        while (one.next < one.end && runs_[one.next].last <= first) ++one.next;
        if (one.next == one.end || runs_[one.next].first > first) continue;
        for (int copy = 0; copy < one.copies; ++copy) {
          const std::size_t stored = one.pieces.size() - (copy + 1 < one.copies ? 1 : 0);
          for (std::size_t k = 0; k < stored; ++k) {
            if (one.pieces[k] == Bytes(0)) continue;
            sizes.push_back(one.pieces[k]);
            owners.push_back(&one);
          }
        }
      }
      counted.assign(sizes.size(), Bytes(0));
      allocator.take_alike(sizes, static_cast<std::uint64_t>(last - first), counted);
      for (std::size_t k = 0; k < sizes.size(); ++k) owners[k]->counted += counted[k];
    }
  }

  void collect(std::size_t index, std::vector<bool>& done) {
    const Tensor& lead = model_.tensors[index];
    const Merge merge = merge_of(lead.role);
    Share sum = share_of(lead);
    pad(lead.role, lead.format, sum);
    done[index] = true;
    for (std::size_t i = index + 1; merge != Merge::none && i < model_.tensors.size(); ++i) {
      const Tensor& other = model_.tensors[i];
      if (done[i] || merge_of(other.role) != merge || other.layer_set != lead.layer_set || other.part != lead.part ||
          other.format != lead.format || (other.inputs > Count(1)) != (lead.inputs > Count(1)) ||
          other.copies != lead.copies) {
        continue;
      }
      Share share = share_of(other);
      pad(other.role, other.format, share);
      sum.outputs += share.outputs;
      done[i] = true;
    }
    const StoredPieces stored = stored_pieces(loaded_format(lead), sum.outputs, sum.inputs, sum.copies);
    const auto [next, end] = runs_of(lead);
    Matrix made{.lead = &lead, .pieces = {}, .copies = lead.part == Part::mtp ? draft_copies(settings_) : 1,
                .next = next, .end = end, .counted = {}};
    std::copy(stored.pieces.begin(), stored.pieces.end(), made.pieces.begin());
    if (lead.role == Role::latent_kv_up && copies_absorbed(lead)) {
      made.pieces.back() = sum.outputs * sum.inputs * Bytes(2);  // MLA: unpacked beside the packed one
    }
    matrices_.push_back(made);
  }

  /// Where a matrix stands: [first, last) in runs_. Matrices of the same layers share theirs.
  using Runs = std::pair<std::size_t, std::size_t>;
  Runs runs_of(const Tensor& lead) {
    const std::size_t before = runs_.size();
    if (lead.layer_set == kNoLayer) {
      const bool at_end = lead.role == Role::head || lead.role == Role::final_norm || lead.part == Part::mtp;
      const int layer = at_end ? kAfterLayers : kBeforeLayers;
      runs_.push_back({layer, layer + 1});
      return {before, runs_.size()};
    }
    const auto set = static_cast<std::size_t>(lead.layer_set);
    const bool within = lead.part == Part::text;  // of a stage's layers; towers and drafts are whole
    Runs& known = runs_of_[2 * set + (within ? 1 : 0)];
    if (known.first != kNotYet) return known;
    for (const std::uint16_t layer : model_.layer_sets[set]) {
      if (within && (layer < range_.first || layer >= range_.second)) continue;
      if (runs_.size() > before && runs_.back().last == layer) ++runs_.back().last;
      else runs_.push_back({layer, layer + 1});
    }
    return known = {before, runs_.size()};
  }

  /// vLLM keeps views of sixteen-bit projections and copies of packed ones; SGLang copies the former and computes with
  /// packed ones as they are.
  bool copies_absorbed(const Tensor& up) const {
    const bool packed = up.format != model_.compute_format;
    if (settings_.engine == Engine::sglang) return !packed;
    return settings_.engine == Engine::vllm && packed && has(settings_.version, VllmChange::latent_kernels);
  }

  void place(const Tensor& tensor, Bytes bytes) {
    if (tensor.part == Part::mtp) {
      loaded_.drafts += bytes;
    } else if (tensor.part != Part::text) {
      loaded_.towers += bytes;
    } else if (is_expert(tensor.role)) {
      loaded_.experts += bytes;
    } else if (is_embedding(tensor.role)) {
      loaded_.embeddings += bytes;
    } else {
      loaded_.dense += bytes;
    }
  }

  /// LoRA slots: for every merged matrix and slice of it, a pair of thin matrices a slot; the head and the embedding
  /// have one pair each, and 256 more rows for added tokens (vLLM lora/layers.py, until 0.11).
  Bytes adapter_bytes() const {
    const Count slots(static_cast<std::uint64_t>(settings_.adapter_slots));
    const Count rank(static_cast<std::uint64_t>(settings_.adapter_rank));
    Bytes sum;
    for (const Tensor& tensor : model_.tensors) {
      if (tensor.part != Part::text || !(tensor.inputs > Count(1)) || is_expert(tensor.role)) continue;
      const std::uint64_t times = layers_here(tensor);
      const bool linear = is_quantised_role(tensor.role) || tensor.role == Role::head;
      if (times == 0 || !linear) continue;
      const Share share = share_of(tensor);
      sum += slots * rank * (Count(share.outputs.value()) + share.inputs) * Bytes(2) * Count(times);
    }
    return sum;
  }

  const Model& model_;
  const ServerSettings& settings_;
  const int tp_;
  std::pair<int, int> range_{0, 0};
  bool first_ = true, last_ = true;
  std::vector<Matrix> matrices_;
  std::vector<Run> runs_;
  std::vector<Runs> runs_of_;  ///< of each set of layers: of all of them, of this stage's
  LoadedWeights loaded_;
};

}  // namespace

LoadedWeights loaded_weights(const Model& model, const ServerSettings& settings, int stage) {
  return Loader(model, settings, stage).all();
}

std::pair<int, int> server_stage_layers(int layers, const ServerSettings& settings, int stage) {
  const int stages = std::max(1, settings.pipeline_parallel);
  const int each = layers / stages, rest = layers % stages;
  if (settings.engine != Engine::vllm || settings.version.number < 702) {
    return {each * stage, stage + 1 == stages ? layers : each * (stage + 1)};
  }
  int begin = 0;
  for (int i = 0; i <= stage; ++i) {
    const int from_end = stages - i;  // 1 = the last stage, which has the head instead
    const int size = each + (from_end >= 2 && from_end < rest + 2 ? 1 : 0);
    if (i == stage) return {begin, begin + size};
    begin += size;
  }
  return {0, layers};
}

Count kept_key_outputs(const Model& model, const Tensor& tensor, int tensor_parallel) {
  const std::uint64_t outputs = tensor.outputs.value();
  const bool in_layers = tensor.layer_set != kNoLayer;
  for (const Cache& cache : model.caches) {
    if (cache.kv_heads == 0 || !in_layers) continue;
    const std::uint32_t width = tensor.role == Role::attention_v ? cache.value_dim : cache.key_dim;
    if (std::uint64_t{cache.kv_heads} * width != outputs) continue;
    const LayerSet& own = model.layer_sets[static_cast<std::size_t>(tensor.layer_set)];
    const LayerSet& set = model.layer_sets[static_cast<std::size_t>(cache.layer_set)];
    const bool common = std::any_of(
        own.begin(), own.end(), [&](std::uint16_t layer) { return std::binary_search(set.begin(), set.end(), layer); });
    if (!common) continue;
    return Count(share_of_heads(cache.kv_heads, tensor_parallel)) * Count(width);
  }
  const std::uint32_t heads = std::max<std::uint32_t>(1, model.dims.num_key_value_heads);
  return ceil_div(tensor.outputs * Count(share_of_heads(heads, tensor_parallel)), Count(heads));
}

}  // namespace vram
