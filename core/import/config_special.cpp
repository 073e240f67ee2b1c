#include "core/import/config_special.h"

#include <algorithm>
#include <string>

namespace vram {
namespace {

/// Gemma 3n and the small Gemma 4: a second embedding that every layer reads, on the host if need be.
void add_per_layer_embedding(FamilyFields& fields, TextModel& model, std::uint32_t width) {
  if (width == 0) return;
  const Count layers(model.layers.size()), d(model.dims.hidden_size), w(width);
  const Count rows(fields.value(Field::per_layer_vocabulary, 262144));
  model.loose.push_back({Role::per_layer_embedding, Part::text, rows, w * layers});
  model.loose.push_back({Role::other, Part::text, w * layers, d});        // per_layer_model_projection
  model.loose.push_back({Role::other, Part::text, w});                    // its norm
  for (Layer& layer : model.layers) layer.other += Count(2) * d * w + d;  // gate, projection and their norm
}

/// Layers from `first` on borrow the cache of the last layer of their kind before them; their projections are stored.
void share_caches(TextModel& model, std::uint32_t shared) {
  const std::size_t layers = model.layers.size();
  for (std::size_t i = layers - std::min<std::size_t>(shared, layers); i < layers; ++i) {
    model.layers[i].attention.keeps_kv = false;
  }
}

// Gemma 3n (facts/models.md "Gemma specifics"): AltUp keeps four streams of hidden states, LAuReL adds a low-rank
// branch.
void apply_gemma3n(FamilyFields& fields, TextModel& model) {
  const Count d(model.dims.hidden_size);
  const Count streams(fields.value(Field::altup_inputs, 4)), rank(fields.value(Field::laurel_rank, 64));
  add_per_layer_embedding(fields, model, fields.value(Field::per_layer_dim, 256));
  const Count altup = streams * streams * streams + streams * streams  // prediction and correction coefficients
                      + d + d * streams + d;                           // output scale, router, its norm
  for (Layer& layer : model.layers) layer.other += Count(2) * rank * d + d + altup;
  model.loose.push_back(
      {Role::other, Part::text, d, d, Count(2) * (streams - Count(1))});  // into the streams and out of them
  share_caches(model, fields.value(Field::shared_kv_layers, 15));
}

void apply_gemma4(FamilyFields& fields, TextModel& model) {
  const std::uint32_t shared = fields.value(Field::shared_kv_layers, 0);
  const std::uint32_t global_dim = fields.value(Field::global_head_dim, model.dims.head_dim);
  const std::uint32_t global_heads = fields.value(Field::global_kv_heads, model.dims.num_key_value_heads);
  const bool key_is_value = fields.flag(Flag::key_is_value, false);
  const bool wide = fields.flag(Flag::double_wide, false);
  const std::size_t layers = model.layers.size();
  const Count d(model.dims.hidden_size);
  for (std::size_t i = 0; i < layers; ++i) {
    Layer& layer = model.layers[i];
    Attention& attention = layer.attention;
    if (attention.window == 0) {
      attention.key_dim = attention.value_dim = global_dim;
      attention.kv_heads = global_heads;
      attention.value_is_key = key_is_value;
    }
    if (wide && i + shared >= layers) layer.feed.width *= 2;
    layer.other += Count(1);  // a scale of the layer's output
    if (layer.feed.experts != 0) {
      // Three norms around the experts, the router's scale of d values and one for every expert.
      layer.other += Count(4) * d + Count(layer.feed.experts);
    }
  }
  add_per_layer_embedding(fields, model, fields.value(Field::per_layer_dim, 0));
  share_caches(model, shared);
}

// DeepSeek V4 (facts/models.md): one shared key = value head; entries compressed by a ratio of each layer;
// hyper-connections.
void apply_deepseek_v4(FamilyFields& fields, TextModel& model) {
  const std::uint32_t window = fields.value(Field::window, 128);
  const std::uint32_t streams = fields.value(Field::hyper_connections, 4);
  const std::uint32_t hashed = fields.value(Field::hash_layers, 0);
  const Json* ratios = fields.member("compress_ratios");
  const Count d(model.dims.hidden_size), mix((2 + std::uint64_t{streams}) * streams);
  const std::uint32_t q_rank = fields.need(Field::q_rank), o_rank = fields.need(Field::o_rank);
  const std::uint32_t groups = fields.value(Field::o_groups, 1);
  model.dims.q_lora_rank = q_rank;

  const auto apply = [&](Layer& layer, std::size_t index) {
    Attention& a = layer.attention;
    a.kind = Attention::Kind::compressed;
    a.kv_heads = 1;
    a.block_index = false;
    a.q_rank = q_rank;
    a.o_rank = o_rank;
    a.o_groups = groups;
    a.window = window;
    a.ratio = 0;
    if (ratios != nullptr && ratios->is_array() && index < ratios->size() && (*ratios)[index].is_number_unsigned()) {
      a.ratio = static_cast<std::uint32_t>(std::min<std::uint64_t>((*ratios)[index].get<std::uint64_t>(), 1u << 20));
    }
    if (a.ratio != 4) a.index_heads = a.index_dim = 0;  // only the finely compressed layers choose what to read
    if (layer.feed.experts != 0) layer.feed.hash_routed = index < hashed;
    layer.other += Count(2) * (mix * Count(streams) * d + mix + Count(3));
  };
  for (std::size_t i = 0; i < model.layers.size(); ++i) apply(model.layers[i], i);
  for (Layer& draft : model.drafts) apply(draft, model.layers.size());
  if (ratios == nullptr)
    model.notes.push_back(
        Message("config.note.assumed").with("field", std::string("compress_ratios")).with("value", std::int64_t{0}));
}

/// An encoder: every token sees all others, nothing is remembered.
void apply_bert(FamilyFields& fields, TextModel& model, std::string_view architecture) {
  const Count d(model.dims.hidden_size);
  const bool is_nomic = model.family->id.starts_with("nomic");
  model.generates = false;
  model.has_head = false;
  if (const std::uint32_t types = fields.value(Field::token_types, is_nomic ? 2 : 0); types != 0) {
    model.loose.push_back({Role::position_embedding, Part::text, Count(types), d});
  }
  std::uint32_t labels = fields.value(Field::labels, 1);
  if (const Json* names = fields.member("id2label"); names != nullptr && names->is_object() && !names->empty()) {
    labels = static_cast<std::uint32_t>(std::min<std::size_t>(names->size(), 1u << 20));
  }
  if (architecture.ends_with("ForSequenceClassification")) {  // dense and output layer in the pooler's place
    model.loose.push_back({Role::other, Part::text, d, d});
    model.loose.push_back({Role::other, Part::text, d});
    model.loose.push_back({Role::other, Part::text, Count(labels), d});
    model.loose.push_back({Role::other, Part::text, Count(labels)});
  } else if (!is_nomic) {
    model.loose.push_back({Role::other, Part::text, d, d});
    model.loose.push_back({Role::other, Part::text, d});
  }
  for (Layer& layer : model.layers) layer.attention.keeps_kv = false;
}

/// Decoder layers of an encoder-decoder: attention over the encoder's output, with a norm of its own.
void add_cross_attention(TextModel& model) {
  for (Layer& layer : model.layers) {
    layer.cross = layer.attention;
    layer.norms = static_cast<std::uint8_t>(layer.norms + 1);
  }
}

void apply_t5(FamilyFields& fields, TextModel& model) {
  const std::uint32_t layers = static_cast<std::uint32_t>(model.layers.size());
  const Json* projection = fields.member("feed_forward_proj");
  const bool gated = projection != nullptr && projection->is_string() &&
                     projection->get_ref<const std::string&>().starts_with("gated");
  for (Layer& layer : model.layers) layer.feed.gated = gated;
  model.encoder = model.layers;
  for (Layer& layer : model.encoder) layer.attention.keeps_kv = false;
  const std::uint32_t decoder = fields.plain("num_decoder_layers", kMaxLayers, layers);
  model.layers.resize(decoder, Layer(model.layers.front()));
  add_cross_attention(model);
  const std::uint32_t buckets = fields.plain("relative_attention_num_buckets", 1 << 16, 32);
  const Count heads(model.dims.num_attention_heads);
  model.loose.push_back({Role::other, Part::text, Count(buckets), heads, Count(2)});
  model.loose.push_back({Role::final_norm, Part::text, Count(model.dims.hidden_size)});  // of the encoder
  model.dims.num_hidden_layers = layers;
}

void apply_whisper(FamilyFields& fields, TextModel& model) {
  const Layer layer = [&] {
    Layer first = model.layers.front();
    first.attention.k_bias = false;  // keys alone have no bias
    return first;
  }();
  const auto layers = static_cast<std::uint32_t>(model.layers.size());
  const std::uint32_t encoder = fields.plain("encoder_layers", kMaxLayers, layers);
  const std::uint32_t decoder = fields.plain("decoder_layers", kMaxLayers, layers);
  const std::uint32_t source = fields.plain("max_source_positions", 1 << 20, 1500);
  const std::uint32_t mel = fields.plain("num_mel_bins", 1 << 12, 80);
  const Count d(model.dims.hidden_size);
  model.layers.assign(decoder, layer);
  model.encoder.assign(encoder, layer);
  for (Layer& each : model.encoder) each.attention.keeps_kv = false;
  model.encoder_part = Part::audio;
  add_cross_attention(model);
  model.cross_tokens = source;
  model.dims.num_hidden_layers = decoder;
  model.loose.push_back({Role::other, Part::audio, d, Count(mel) * Count(3)});  // two convolutions of width 3
  model.loose.push_back({Role::other, Part::audio, d, d * Count(3)});
  model.loose.push_back({Role::other, Part::audio, d, Count(1), Count(2)});
  model.loose.push_back({Role::position_embedding, Part::audio, Count(source), d});
  model.loose.push_back({Role::final_norm, Part::audio, d, Count(1), Count(2)});
}

}  // namespace

void apply_special_layout(FieldReader& reader, TextModel& model) {
  if (model.layers.empty()) return;
  FamilyFields fields(reader, *model.family);
  std::string architecture;
  if (const Json* names = fields.member("architectures");
      names != nullptr && names->is_array() && !names->empty() && names->front().is_string()) {
    architecture = names->front().get<std::string>();
  }
  switch (model.family->layout) {
    case Layout::decoder:
    case Layout::exclusive:
    case Layout::parallel_mixer:
      break;
    case Layout::gemma3n:
      apply_gemma3n(fields, model);
      break;
    case Layout::gemma4:
      apply_gemma4(fields, model);
      break;
    case Layout::deepseek_v4:
      apply_deepseek_v4(fields, model);
      break;
    case Layout::bert:
      apply_bert(fields, model, architecture);
      break;
    case Layout::t5:
      apply_t5(fields, model);
      break;
    case Layout::whisper:
      apply_whisper(fields, model);
      break;
  }
}

}  // namespace vram
