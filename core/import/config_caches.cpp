// What the layers remember while a sequence is read and written.
#include <algorithm>
#include <utility>

#include "core/import/config_tensors.h"

namespace vram {
namespace {

/// Keys of an indexer are kept in fp8 with an fp32 scale for each 128 values (vLLM, SGLang).
std::uint32_t index_scale_bytes(std::uint32_t dim) { return (dim + 127) / 128 * 4; }

class CacheBuilder {
 public:
  explicit CacheBuilder(Model& model) : model_(model) {}

  void add(const Attention& a, LayerSet set, Part part) {
    if (a.kind == Attention::Kind::none || !a.keeps_kv) return;
    Cache cache;
    cache.layer_set = add_layer_set(model_, std::move(set));
    cache.part = part;
    switch (a.kind) {
      case Attention::Kind::none:
        return;
      case Attention::Kind::grouped:
        cache.kind = a.window == 0 ? CacheKind::full : a.chunked ? CacheKind::chunked : CacheKind::sliding;
        cache.kv_heads = a.kv_heads;
        cache.key_dim = a.key_dim;
        cache.value_dim = a.value_dim;
        cache.window = a.window;
        break;
      case Attention::Kind::latent:
        cache.kind = CacheKind::latent;
        cache.entry_values = a.kv_rank + a.rope_dim;
        break;
      case Attention::Kind::compressed:  // the last tokens as they are: keys are values, so one copy
        cache.kind = CacheKind::sliding;
        cache.kv_heads = 1;
        cache.key_dim = a.key_dim;
        cache.window = a.window;
        break;
    }
    model_.caches.push_back(cache);
    if (a.ratio != 0) {
      Cache compressed{.kind = CacheKind::compressed, .layer_set = cache.layer_set, .part = part};
      compressed.entry_values = a.key_dim;
      compressed.tokens_per_entry = a.ratio;
      model_.caches.push_back(compressed);
    }
    if (a.index_heads != 0) {
      Cache index{.kind = CacheKind::indexer, .layer_set = cache.layer_set, .part = part};
      index.entry_values = a.index_dim;
      index.tokens_per_entry = std::max(a.ratio, 1u);
      index.scale_bytes = a.block_index ? 0 : index_scale_bytes(a.index_dim);
      model_.caches.push_back(index);
    }
  }

  /// Keys and values of the encoder's output: as many for every sequence (Whisper) or growing with the input (T5).
  void add_cross(const Attention& a, LayerSet set, std::uint32_t tokens) {
    if (a.kind == Attention::Kind::none) return;
    Cache cache;
    cache.layer_set = add_layer_set(model_, std::move(set));
    cache.kv_heads = a.kv_heads;
    cache.key_dim = a.key_dim;
    cache.value_dim = a.value_dim;
    if (tokens != 0) {
      cache = {.kind = CacheKind::recurrent, .layer_set = cache.layer_set};
      cache.state_values = std::uint64_t{a.kv_heads} * (a.key_dim + a.value_dim) * tokens;
      cache.state_format = model_.compute_format;
      cache.heads = a.kv_heads;
    }
    model_.caches.push_back(cache);
  }

  void add(const Recurrent& r, LayerSet set, Part part) {
    if (r.kind == Recurrence::none) return;
    Cache cache{.kind = CacheKind::recurrent, .layer_set = add_layer_set(model_, std::move(set)), .part = part};
    const std::uint64_t conv = r.conv == 0 ? 0 : r.conv - 1, inner = r.inner;
    cache.heads = r.heads;
    cache.state_format = r.state_format;
    cache.conv_format = model_.compute_format;
    switch (r.kind) {
      case Recurrence::none:
        return;
      case Recurrence::gated_delta:
        cache.state_values = std::uint64_t{r.heads} * r.head_dim * r.key_dim;
        cache.conv_values = (2 * std::uint64_t{r.key_heads} * r.key_dim + std::uint64_t{r.heads} * r.head_dim) * conv;
        break;
      case Recurrence::kda:
        cache.state_values = std::uint64_t{r.heads} * r.head_dim * r.head_dim;
        cache.conv_values = 3 * std::uint64_t{r.heads} * r.head_dim * conv;
        break;
      case Recurrence::lightning:
        cache.state_values = std::uint64_t{r.heads} * r.head_dim * r.head_dim;
        break;
      case Recurrence::short_conv:
        cache.conv_values = inner * conv;
        break;
      case Recurrence::mamba1:
        cache.state_values = inner * r.state;
        cache.conv_values = inner * conv;
        break;
      case Recurrence::mamba2:
        cache.state_values = inner * r.state;
        cache.conv_values = (inner + 2 * std::uint64_t{r.groups} * r.state) * conv;
        break;
    }
    model_.caches.push_back(cache);
  }

 private:
  Model& model_;
};

}  // namespace

void add_caches(const TextModel& text, Model& model) {
  CacheBuilder caches(model);
  const auto add = [&](const std::vector<Layer>& layers, std::size_t first, Part part) {
    for (auto& [attention, set] :
         grouped<Attention>(layers, first, [](const Layer& l) -> const Attention& { return l.attention; })) {
      caches.add(attention, std::move(set), part);
    }
    for (auto& [recurrent, set] :
         grouped<Recurrent>(layers, first, [](const Layer& l) -> const Recurrent& { return l.recurrent; })) {
      caches.add(recurrent, std::move(set), part);
    }
    for (auto& [cross, set] :
         grouped<Attention>(layers, first, [](const Layer& l) -> const Attention& { return l.cross; })) {
      caches.add_cross(cross, std::move(set), text.cross_tokens);
    }
  };
  if (text.family->layout == Layout::bert) return;
  add(text.layers, text.first_layer(), Part::text);
  add(text.drafts, text.first_layer() + text.layers.size(), Part::mtp);
}

}  // namespace vram
