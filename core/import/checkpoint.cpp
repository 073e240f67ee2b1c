#include "core/import/checkpoint.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/import/checkpoint_names.h"
#include "core/import/checkpoint_pack.h"
#include "core/units/order.h"

namespace vram {
namespace {

constexpr std::int32_t kMaxLayers = 4096;
constexpr std::size_t kMaxEntries = 8192;  // real models: a hundred, with mixed formats a few hundred

/// A stored tensor and what its name says.
struct Row {
  std::uint32_t stem = 0;
  std::int32_t layer = -1, expert = -1;
  ModulePart part;
  auto module() const { return std::tie(stem, layer, expert); }
};

/// A matrix of one module; equal ones are counted afterwards.
struct Piece {
  std::uint32_t stem = 0, slot = 0;  ///< of a fused projection: 0, 1, 2
  Role role = Role::other;
  Part part = Part::text;
  FormatId format = FormatId::bf16;
  std::uint64_t outputs = 0, inputs = 1, copies = 1, exact = 0;
  std::int32_t layer = -1;
  auto key() const { return std::tie(stem, slot, role, part, format, outputs, inputs, copies, exact); }
};

bool is_routed(Role role) { return role == Role::expert_gate || role == Role::expert_up || role == Role::expert_down; }

class Inventory {
 public:
  Inventory(Model& model, std::span<const TensorList* const> files, Naming naming) : model_(model), naming_(naming) {
    std::size_t count = 0;
    for (const TensorList* file : files) count += file->tensors().size();
    rows_.reserve(count);
    for (const TensorList* file : files) {
      for (const StoredTensor& tensor : file->tensors()) read_name(tensor, file->shape(tensor));
    }
  }

  std::optional<Message> run() {
    if (error_) return error_;
    number_layers();
    find_hidden();
    sort_stably(rows_, [](const Row& a, const Row& b) {
      return a.module() != b.module() ? a.module() < b.module() : a.part.component < b.part.component;
    });
    for (std::size_t begin = 0; begin < rows_.size();) {
      std::size_t end = begin + 1;
      while (end < rows_.size() && rows_[end].module() == rows_[begin].module()) ++end;
      read_module(std::span(rows_).subspan(begin, end - begin));
      begin = end;
    }
    return group();
  }

 private:
  void read_name(const StoredTensor& tensor, std::span<const std::uint64_t> shape) {
    Row row;
    const SplitName split = split_name(tensor.name, stem_buffer_);
    row.layer = split.layer;
    row.expert = split.expert;
    row.part = {split.component, &tensor, shape};
    if (row.layer >= kMaxLayers) {
      error_ = Message("checkpoint.layer_number")
                   .with("tensor", std::string(tensor.name))
                   .with("most", std::int64_t{kMaxLayers});
      return;
    }
    const auto found = stems_.find(stem_buffer_);
    if (found == stems_.end()) {
      row.stem = static_cast<std::uint32_t>(meanings_.size());
      stems_.emplace(stem_buffer_, row.stem);
      meanings_.push_back(naming_ == Naming::gguf ? meaning_of_gguf(stem_buffer_) : meaning_of(stem_buffer_));
    } else {
      row.stem = found->second;
    }
    rows_.push_back(row);
  }

  /// Which layers are drafts, which have a recurrent mixer in attention's place, and where each stack begins.
  void number_layers() {
    draft_.assign(kMaxLayers, false);
    mixer_.assign(kMaxLayers, false);
    std::vector<bool> own(kMaxLayers, false);
    for (const Row& row : rows_) {
      const Meaning& m = meanings_[row.stem];
      if (row.layer < 0 || m.stack != Stack::decoder) continue;
      const auto layer = static_cast<std::size_t>(row.layer);
      if (m.marks_draft) draft_[layer] = true;
      if (m.marks_mixer) mixer_[layer] = true;
      if (m.own_mixer) own[layer] = true;
    }
    std::int32_t encoders = 0, decoders = 0;
    for (const Row& row : rows_) {
      if (row.layer < 0) continue;
      const Stack stack = meanings_[row.stem].stack;
      if (stack == Stack::encoder) encoders = std::max(encoders, row.layer + 1);
      if (stack == Stack::decoder && !draft_[static_cast<std::size_t>(row.layer)])
        decoders = std::max(decoders, row.layer + 1);
    }
    for (std::size_t i = 0; i < own.size(); ++i) mixer_[i] = mixer_[i] && !own[i];
    first_decoder_ = decoders != 0 ? encoders : 0;
    first_draft_ = first_decoder_ + std::max(decoders, first_decoder_ == 0 ? encoders : 0);
    if (model_.dims.num_hidden_layers == 0) {
      model_.dims.num_hidden_layers = static_cast<std::uint32_t>(std::max(decoders, decoders == 0 ? encoders : 0));
    }
  }

  void find_hidden() {
    hidden_ = model_.dims.hidden_size;
    if (hidden_ != 0) return;
    for (const Row& row : rows_) {
      const Meaning& m = meanings_[row.stem];
      const bool plain = row.part.component == "weight" || row.part.component.empty();
      if (m.role == Role::embedding && m.part == Part::text && plain && row.part.shape.size() == 2)
        hidden_ = row.part.shape[1];
    }
    if (hidden_ > UINT32_MAX) hidden_ = 0;
    model_.dims.hidden_size = static_cast<std::uint32_t>(hidden_);
  }

  std::int32_t place_of(const Row& row, const Meaning& m, Part& part) const {
    if (row.layer < 0 || m.role == Role::tower || m.role == Role::projector) return -1;
    switch (m.stack) {
      case Stack::encoder:
        return row.layer;
      case Stack::draft:
        part = Part::mtp;
        return first_draft_ + row.layer;
      case Stack::decoder:
      case Stack::none:
        break;
    }
    if (draft_[static_cast<std::size_t>(row.layer)]) part = Part::mtp;
    return first_decoder_ + row.layer;
  }

  void read_module(std::span<const Row> rows) {
    const Row& first = rows.front();
    const Meaning& m = meanings_[first.stem];
    Piece piece;
    piece.stem = first.stem;
    piece.role = m.role;
    piece.part = m.part;
    piece.layer = place_of(first, m, piece.part);
    const bool in_decoder = first.layer >= 0 && m.stack == Stack::decoder;
    Fused fused = m.fused;
    if (in_decoder && mixer_[static_cast<std::size_t>(first.layer)]) {
      piece.role = as_mixer(piece.role);
      if (fused == Fused::qkv) fused = Fused::none;
    }

    std::vector<ModulePart> values;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Row& row = rows[i];
      if (i > 0 && row.part.component == rows[i - 1].part.component) {  // the same tensor in a second file
        note_repeated(row);
        continue;
      }
      if (row.part.component != "bias") {
        values.push_back(row.part);
        continue;
      }
      Piece bias = piece;
      bias.slot = 8;
      if (piece.role == Role::router) bias.role = Role::router_bias;
      const Matrix matrix = matrix_of(std::span(&row.part, 1), Role::other, 0);
      if (matrix.bytes == Bytes(0)) continue;
      // biases of stacked experts are a matrix: experts × outputs
      const bool stacked = is_routed(piece.role) && row.part.shape.size() == 2;
      bias.outputs = stacked ? row.part.shape[1] : (matrix.outputs * matrix.inputs).value();
      bias.copies = stacked ? row.part.shape[0] : 1;
      bias.format = matrix.format;
      set_exact(bias, matrix.bytes.value());
      add(bias, fused);
    }
    if (values.empty()) return;
    const Matrix matrix = matrix_of(values, piece.role, hidden_);
    if (matrix.bytes == Bytes(0)) return;  // placeholders of no elements
    piece.format = matrix.format;
    piece.outputs = matrix.outputs.value();
    piece.inputs = matrix.inputs.value();
    piece.copies = matrix.copies.value();
    if (m.look_up || is_only_scales(values, piece.role)) {  // stored, but no parameters
      piece.outputs = 0;
      piece.exact = matrix.bytes.value();
      piece.role = Role::layer_other;
      if (piece.layer < 0) piece.role = Role::other;
      pieces_.push_back(piece);
      return;
    }
    if (!matrix.shape_known) fused = Fused::none;
    set_exact(piece, matrix.bytes.value());
    add(piece, fused);
  }

  void note_repeated(const Row& row) {
    if (!repeats_noted_)
      model_.notes.push_back(Message("checkpoint.tensor_twice").with("tensor", std::string(row.part.tensor->name)));
    repeats_noted_ = true;
  }

  static bool is_only_scales(const std::vector<ModulePart>& values, Role role) {
    if (role == Role::layer_norm || role == Role::final_norm || role == Role::tower) return false;
    return std::none_of(values.begin(), values.end(), [](const ModulePart& part) {
      return part.component.empty() || part.component.substr(0, 6) == "weight" || part.component == "qweight" ||
             part.component == "blocks";
    });
  }

  /// `bytes`, unless the format's own rule comes to the same.
  static void set_exact(Piece& piece, std::uint64_t bytes) {
    const Bytes rule =
        Count(piece.copies) * stored_bytes(storage_format(piece.format), Count(piece.outputs), Count(piece.inputs));
    piece.exact = rule == Bytes(bytes) ? 0 : bytes;
  }

  /// Adds a piece, in its parts where it holds several projections.
  void add(const Piece& whole, Fused fused) {
    std::array<std::uint64_t, 3> outputs{};
    std::array<Role, 3> roles{};
    const Dimensions& d = model_.dims;
    if (fused == Fused::qkv && d.head_dim != 0) {
      const std::uint64_t kv = std::uint64_t{d.num_key_value_heads} * d.head_dim;
      outputs = {std::uint64_t{d.num_attention_heads} * d.head_dim, kv, kv};
      roles = {Role::attention_q, Role::attention_k, Role::attention_v};
    } else if (fused == Fused::gate_up && whole.outputs % 2 == 0) {
      outputs = {whole.outputs / 2, whole.outputs / 2, 0};
      roles = {whole.role,
               whole.role == Role::expert_gate          ? Role::expert_up
               : whole.role == Role::shared_expert_gate ? Role::shared_expert_up
                                                        : Role::ffn_up,
               Role::other};
    }
    if (outputs[0] + outputs[1] + outputs[2] != whole.outputs || outputs[1] == 0) {
      pieces_.push_back(whole);
      return;
    }
    std::uint64_t left = whole.exact;
    bool fits = true;
    std::array<std::uint64_t, 3> exact{};
    if (whole.exact != 0) {  // the first part takes what the rule does not explain
      for (std::size_t i = 3; i-- > 1;) {
        if (outputs[i] == 0) continue;
        const Bytes rule =
            Count(whole.copies) * stored_bytes(storage_format(whole.format), Count(outputs[i]), Count(whole.inputs));
        fits = fits && rule.value() < left;
        left -= std::min(left, rule.value());
      }
      exact[0] = left;
    } else {
      Bytes rules;
      for (const std::uint64_t part : outputs) {
        if (part != 0)
          rules += Count(whole.copies) * stored_bytes(storage_format(whole.format), Count(part), Count(whole.inputs));
      }
      const Bytes rule =
          Count(whole.copies) * stored_bytes(storage_format(whole.format), Count(whole.outputs), Count(whole.inputs));
      fits = rules == rule;
    }
    if (!fits) {
      pieces_.push_back(whole);
      return;
    }
    for (std::size_t i = 0; i < 3; ++i) {
      if (outputs[i] == 0) continue;
      Piece part = whole;
      part.slot = whole.slot + static_cast<std::uint32_t>(i);
      part.role = roles[i];
      part.outputs = outputs[i];
      part.exact = exact[i];
      pieces_.push_back(part);
    }
  }

  /// Equal pieces become one entry: those of one layer as copies, layers with as many of them as a layer set.
  std::optional<Message> group() {
    sort_stably(pieces_, [](const Piece& a, const Piece& b) {
      return a.key() != b.key() ? a.key() < b.key() : a.layer < b.layer;
    });
    for (std::size_t begin = 0; begin < pieces_.size();) {
      std::map<std::uint64_t, LayerSet> by_number;  // equal pieces a layer → its layers
      std::uint64_t loose = 0;
      std::size_t at = begin;
      while (at < pieces_.size() && pieces_[at].key() == pieces_[begin].key()) {
        std::size_t end = at;
        while (end < pieces_.size() && pieces_[end].layer == pieces_[at].layer &&
               pieces_[end].key() == pieces_[at].key())
          ++end;
        if (pieces_[at].layer < 0)
          loose = end - at;
        else
          by_number[end - at].push_back(static_cast<std::uint16_t>(pieces_[at].layer));
        at = end;
      }
      if (loose != 0 && !emit(pieces_[begin], loose, {})) return too_varied();
      for (auto& [number, layers] : by_number) {
        if (!emit(pieces_[begin], number, std::move(layers))) return too_varied();
      }
      begin = at;
    }
    return std::nullopt;
  }

  bool emit(const Piece& piece, std::uint64_t number, LayerSet layers) {
    Tensor tensor;
    tensor.role = piece.role;
    tensor.part = piece.part;
    tensor.format = piece.format;
    tensor.outputs = Count(piece.outputs);
    tensor.inputs = Count(piece.inputs);
    tensor.copies = Count(piece.copies) * Count(number);
    tensor.exact = Bytes(piece.exact) * Count(number);
    if (!layers.empty()) tensor.layer_set = add_layer_set(model_, std::move(layers));
    for (Tensor& other : model_.tensors) {  // q, k and v convolutions, the norms of a layer: one entry, more copies
      const bool alike = other.role == tensor.role && other.part == tensor.part && other.format == tensor.format &&
                         other.layer_set == tensor.layer_set && other.outputs == tensor.outputs &&
                         other.inputs == tensor.inputs && !is_routed(tensor.role) && other.exact == Bytes(0) &&
                         tensor.exact == Bytes(0);
      if (!alike) continue;
      other.copies += tensor.copies;
      return true;
    }
    model_.tensors.push_back(tensor);
    return model_.tensors.size() <= kMaxEntries;
  }

  static Message too_varied() {
    return Message("checkpoint.too_varied").with("most", static_cast<std::int64_t>(kMaxEntries));
  }

  Model& model_;
  Naming naming_;
  std::vector<Row> rows_;
  std::vector<Piece> pieces_;
  std::map<std::string, std::uint32_t, std::less<>> stems_;
  std::vector<Meaning> meanings_;
  std::vector<bool> draft_, mixer_;
  std::int32_t first_decoder_ = 0, first_draft_ = 0;
  std::uint64_t hidden_ = 0;
  std::string stem_buffer_;
  std::optional<Message> error_;
  bool repeats_noted_ = false;
};

/// A head that is the embedding: stored once and used twice, or stored twice and kept once.
void tie_head(Model& model, std::optional<bool> tied) {
  const Tensor* embedding = nullptr;
  Tensor* head = nullptr;
  for (Tensor& tensor : model.tensors) {
    if (tensor.part != Part::text || tensor.inputs <= Count(1)) continue;
    if (tensor.role == Role::embedding) embedding = &tensor;
    if (tensor.role == Role::head) head = &tensor;
  }
  if (embedding == nullptr || !model.generates) return;
  if (head == nullptr) {
    Tensor shared = *embedding;
    shared.role = Role::head;
    shared.stored = false;
    model.tensors.push_back(shared);
  } else if (tied.value_or(false) && head->outputs == embedding->outputs && head->inputs == embedding->inputs) {
    head->stored = false;
    model.notes.push_back(Message("checkpoint.tied_twice").with("bytes", head->bytes()));
  }
}

void note_unknown(Model& model) {
  Count number;
  Bytes bytes;
  for (const Tensor& tensor : model.tensors) {
    if (tensor.role != Role::other || tensor.outputs == Count(0) || tensor.part != Part::text) continue;
    number += tensor.copies;
    bytes += tensor.bytes();
  }
  // Poolers, biases and the like are small; something big without a known purpose is worth a word.
  if (bytes * Count(100) > weight_bytes(model)) {
    model.notes.push_back(Message("checkpoint.unknown_tensors")
                              .with("count", static_cast<std::int64_t>(number.value()))
                              .with("bytes", bytes));
  }
}

}  // namespace

std::optional<Message> add_inventory(Model& model, std::span<const TensorList* const> files, Naming naming,
                                     std::optional<bool> tied) {
  model.tensors.clear();
  if (std::optional<Message> error = Inventory(model, files, naming).run()) return error;
  const bool has_matrix = std::any_of(model.tensors.begin(), model.tensors.end(), [](const Tensor& tensor) {
    return tensor.inputs > Count(1) && tensor.role != Role::other && tensor.role != Role::layer_other;
  });
  if (!has_matrix) return Message("checkpoint.not_a_model");
  model.origin = Origin::checkpoint;
  tie_head(model, tied);
  note_unknown(model);
  return std::nullopt;
}

}  // namespace vram
