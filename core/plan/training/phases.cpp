#include "core/plan/training/phases.h"

#include <algorithm>
#include <utility>

namespace vram {
namespace {

/// cuBLAS keeps a workspace for each of the threads that call it, forward and backward (torch 2.x: 8.125 MiB).
constexpr double kWorkspaces = 2, kWorkspace = 8519680;
constexpr double kBatchBytes = 24;  // token, attention mask, label: 8 bytes each
/// Megatron's default pool for a rollout engine; vLLM-style engines are set by the user.
constexpr double kRolloutPool = 20e9;
/// The last batch whose logits the PEFT loop still holds is on average 0.43 of the longest allowed.
constexpr double kMeanOfLimit = 0.43;

class Builder {
 public:
  explicit Builder(const TrainingParts& parts)
      : parts_(parts), s_(parts.settings), states_(parts.states), a_(parts.activations), shape_(parts.shape) {}

  std::vector<TrainingEntry> run() {
    load();
    phase_ = TrainingPhase::loss;
    resident();
    if (states_.gradients_accumulate) gradients();
    gathered(false, false);
    kept();
    logits();
    backward();
    phase_ = TrainingPhase::step;
    resident();
    gradients();
    for (const TrainedGroup& group : states_.trained) {
      values_entry(Term::step, "training_step", group, group.step, group.state_shards, group.state_share,
                   group.step_bytes());
    }
    save();
    return std::move(entries_);
  }

  std::vector<TrainingEntry> steady() {
    phase_ = TrainingPhase::step;
    resident();
    if (states_.gradients_stay) gradients();
    if (parts_.profile->outputs_stay && shape_.has_head) {
      const double share = s_.length_is == LengthIs::limit ? kMeanOfLimit : 1;
      add(Term::held_outputs, Certainty::assumed, a_.tokens * share * shape_.vocab * 2,
          {"training_held_logits",
           {tokens("mean_tokens", a_.tokens * share), {"vocab", shape_.vocab}, bytes_each("value_bytes", 2)}},
          0.95, 1.05);
    }
    return std::move(entries_);
  }

  std::vector<TrainingEntry> host() {
    const double devices = std::min(s_.gpus_per_node, s_.split.devices());
    for (const TrainedGroup& group : states_.trained) {
      if (group.states_on_host || group.states_paged) {
        const double each = group.states_paged ? group.state : group.master + group.state + group.gradient;
        host_entry(Term::optimizer, "training_host_states", group, each, group.state_shards, group.state_share,
                   devices);
      }
      if (group.weights_on_host)
        host_entry(Term::weights, "training_host_weights", group, group.weight, group.weight_shards, 1,
                   devices);
    }
    const FrozenWeights& frozen = states_.frozen;
    if (frozen.on_host) {
      const double all = frozen.quantised * frozen.code_bytes + frozen.plain * frozen.plain_bytes;
      add(Term::weights, Certainty::exact, all / frozen.shards * devices,
          {"training_host_weights",
           {{"values", all}, bytes_each("value_bytes", 1), {"shards", frozen.shards}, {"devices", devices}}});
    }
    if (a_.host_bytes > 0) {
      add(Term::kept, Certainty::modelled, a_.host_bytes * devices,
          {"training_host_checkpoints", {{"kept", a_.host_bytes, ValueUnit::bytes}, {"devices", devices}}});
    }
    return std::move(entries_);
  }

 private:
  static NamedValue bytes_each(std::string_view name, double value) {
    return {name, value, ValueUnit::bytes_per_value};
  }
  static NamedValue tokens(std::string_view name, double value) { return {name, value, ValueUnit::tokens}; }
  static NamedValue bytes(std::string_view name, double value) { return {name, value, ValueUnit::bytes}; }

  void add(Term term, Certainty certainty, double likely, Derivation derivation, double low = 0,
           double high = 0) {
    if (!(likely > 0)) return;
    TrainingEntry entry;
    entry.phase = phase_;
    entry.term = term;
    if (low == 0) {
      const bool exact = certainty == Certainty::exact;
      low = exact ? parts_.state_low : parts_.activation_low;
      high = exact ? parts_.state_high : parts_.activation_high;
    }
    entry.certainty = certainty == Certainty::exact && (low != 1 || high != 1) ? Certainty::assumed : certainty;
    entry.likely = bytes_from(likely);
    entry.low = bytes_from(likely * low);
    entry.high = bytes_from(likely * high);
    entry.derivation = std::move(derivation);
    entries_.push_back(std::move(entry));
  }

  void values_entry(Term term, std::string_view formula, const TrainedGroup& group, double each, double shards,
                    double share, double likely) {
    Derivation derivation{formula, {{"values", group.values}, bytes_each("value_bytes", each), {"shards", shards}}};
    if (formula != "training_weights" && formula != "training_master") derivation.values.push_back({"share", share});
    add(term, Certainty::exact, likely, std::move(derivation));
  }
  void host_entry(Term term, std::string_view formula, const TrainedGroup& group, double each, double shards,
                  double share, double devices) {
    Derivation derivation{
        formula, {{"values", group.values}, bytes_each("value_bytes", each), {"shards", shards}, {"devices", devices}}};
    if (formula == "training_host_states") derivation.values.push_back({"share", share});
    // DeepSpeed asks for half as much again: pinned buffers and what is in transit (its estimators' factor 1.5).
    add(term, Certainty::assumed, group.values * share * each / shards * devices, std::move(derivation), 1, 1.5);
  }

  void weights() {
    const FrozenWeights& f = states_.frozen;
    if (f.quantised + f.plain > 0) {
      add(Term::weights, Certainty::exact, f.bytes(),
          {"training_frozen",
           {{"quantised", f.quantised},
            bytes_each("code_bytes", f.code_bytes),
            {"plain", f.plain},
            bytes_each("plain_bytes", f.plain_bytes),
            {"shards", f.shards},
            bytes_each("scale_value_bytes", f.scale_bytes),
            {"scale_shards", f.scale_shards}}});
    }
    for (const TrainedGroup& group : states_.trained) {
      const bool whole = group.kind == TrainedGroup::Kind::dense || group.kind == TrainedGroup::Kind::experts;
      values_entry(whole ? Term::weights : Term::adapters, "training_weights", group, group.weight,
                   group.weight_shards, 1, group.weight_bytes());
    }
  }

  /// What is there all the time.
  void resident() {
    weights();
    for (const TrainedGroup& group : states_.trained) {
      Derivation derivation{"training_master",
                            {{"values", group.values * group.state_share},
                             bytes_each("value_bytes", group.master),
                             {"shards", group.state_shards}}};
      add(Term::master_weights, Certainty::exact, group.master_bytes(), std::move(derivation));
      values_entry(Term::optimizer, "training_optimizer", group, group.state, group.state_shards,
                   group.state_share, group.state_bytes());
    }
    if (states_.buckets > 0) {
      add(Term::communication, Certainty::modelled, states_.buckets,
          {"training_buckets", {bytes("buckets", states_.buckets)}}, 0.5, 1.5);
    }
    add(Term::workspace, Certainty::exact, kWorkspaces * kWorkspace + a_.tokens * kBatchBytes,
        {"training_workspace",
         {{"handles", kWorkspaces},
          bytes("workspace", kWorkspace),
          tokens("batch_tokens", a_.tokens),
          bytes_each("batch_bytes", kBatchBytes)}},
        1, 1);
    others();
  }

  /// Frozen copies of the model and a rollout engine, where the objective needs them.
  void others() {
    const bool adapted = trains_adapters(s_.method);
    const double values = shape_.counts.all();
    const double shards = states_.weights_sharded
                              ? std::max(1.0, states_.trained.empty() ? 1.0 : states_.trained.front().weight_shards)
                              : 1;
    const auto frozen_copies = [&](double count) {
      add(Term::reference, Certainty::exact, values * 2 * count / shards,
          {"training_reference", {{"values", values * count}, bytes_each("value_bytes", 2), {"shards", shards}}});
    };
    switch (s_.objective) {
      case TrainingObjective::dpo:
        if (!adapted) frozen_copies(1);  // adapters are switched off to get the reference
        break;
      case TrainingObjective::ppo: {
        frozen_copies(adapted ? 1 : 2);  // reference and reward; the value model is trained beside the policy
        break;
      }
      case TrainingObjective::grpo: {
        const double pool = s_.rollout_gib ? *s_.rollout_gib * 1073741824.0 : kRolloutPool;
        const double all = shape_.whole.all();
        add(Term::rollout, Certainty::assumed, all * 2 + pool,
            {"training_rollout", {{"values", all}, bytes_each("value_bytes", 2), bytes("rollout_pool", pool)}}, 0.6,
            1.4);
        break;
      }
      default:
        break;
    }
  }

  void gradients() {
    for (const TrainedGroup& group : states_.trained) {
      values_entry(Term::gradients, "training_gradients", group, group.gradient, group.gradient_shards,
                   group.gradient_share, group.gradient_bytes());
    }
  }

  void gathered(bool with_layer, bool with_gradient) {
    if (!states_.weights_sharded) return;
    const double layer = with_layer ? states_.gathered_layer : 0,
                 gradient = with_gradient ? states_.gathered_gradient : states_.gathered_gradient_in_loss;
    const double root = with_layer ? states_.gathered_root_backward : states_.gathered_root;
    add(Term::gathered, Certainty::modelled, root + layer + gradient,
        {"training_gathered", {bytes("root", root), bytes("layer", layer), bytes("layer_gradients", gradient)}}, 0.9,
        1.15);
  }

  std::vector<NamedValue> layer_values(const LayerCopies& copies) const {
    return {tokens("batch_tokens", a_.longest_tokens),
            bytes_each("value_bytes", a_.value_bytes),
            {"hidden_copies", copies.hidden},
            {"hidden", shape_.hidden},
            {"hidden_shards", a_.hidden_shards},
            {"query_copies", copies.query},
            {"query", a_.widths.query},
            {"kv_copies", copies.key_value},
            {"key_value", a_.widths.key_value},
            {"ffn_copies", copies.ffn},
            {"ffn", a_.widths.ffn},
            {"expert_copies", copies.expert_ffn},
            {"expert_width", a_.widths.expert_ffn},
            {"experts_per_token", static_cast<double>(std::max(1, shape_.top_k))},
            {"mixer_values", 2 * a_.widths.mixer},
            {"adapter_values", copies.adapters + copies.quantised}};
  }

  void kept() {
    if (a_.checkpoints) {
      add(Term::kept, Certainty::modelled, a_.kept_bytes,
          {"training_checkpoints",
           {tokens("batch_tokens", a_.longest_tokens),
            {"layers", a_.layers, ValueUnit::layers},
            {"hidden", shape_.hidden},
            {"copies", a_.kept.hidden},
            bytes_each("value_bytes", a_.value_bytes),
            {"in_flight", a_.in_flight},
            {"hidden_shards", a_.hidden_shards},
            {"mixer_values", 2 * a_.widths.mixer}}});
    } else {
      Derivation derivation{"training_kept", layer_values(a_.kept)};
      derivation.values.push_back({"layers", a_.layers, ValueUnit::layers});
      derivation.values.push_back({"in_flight", a_.in_flight});
      add(Term::kept, Certainty::modelled, a_.kept_bytes, std::move(derivation));
    }
    if (a_.attention_scores > 0) {
      add(Term::scores, Certainty::modelled, a_.attention_scores, a_.scores_derivation);
    }
  }

  void logits() {
    add(Term::logits, Certainty::modelled, a_.logits_bytes,
        {"training_logits",
         {tokens("logit_tokens", a_.logit_tokens),
          {"vocab", shape_.vocab},
          bytes_each("logit_bytes", a_.logit_bytes),
          tokens("batch_tokens", a_.longest_tokens),
          {"hidden_copies", a_.loss_hidden},
          {"hidden", shape_.hidden},
          bytes_each("value_bytes", a_.value_bytes),
          bytes("head_gradient", a_.loss_weight_bytes)}});
  }

  void layer(const LayerCopies& copies, double likely) {
    add(Term::layer, Certainty::modelled, likely, {"training_layer", layer_values(copies)});
  }

  /// The larger of two moments: the last layer runs backwards while everything is kept; or the first one does, when
  /// nothing is kept any more and every gradient is there.
  void backward() {
    phase_ = TrainingPhase::backward;
    const std::size_t begin = entries_.size();
    resident();
    if (states_.gradients_accumulate)
      gradients();
    else
      head_gradient();
    gathered(true, true);
    kept();
    if (a_.input_gradients > 0) {
      add(Term::input_gradients, Certainty::modelled, a_.input_gradients,
          {"training_input_gradients",
           {tokens("batch_tokens", a_.longest_tokens),
            bytes_each("value_bytes", a_.value_bytes),
            {"hidden", shape_.hidden},
            {"layers", a_.layers, ValueUnit::layers}}});
    }
    layer(a_.working, a_.working_bytes);
    const std::size_t middle = entries_.size();
    resident();
    gradients();
    gathered(true, true);
    layer(a_.working, a_.working_bytes);
    const auto sum = [&](std::size_t from, std::size_t to) {
      Bytes total;
      for (std::size_t i = from; i < to; ++i) total += entries_[i].likely;
      return total;
    };
    const bool end_is_larger = sum(middle, entries_.size()) > sum(begin, middle);
    const auto at = [&](std::size_t i) { return entries_.begin() + static_cast<std::ptrdiff_t>(i); };
    if (end_is_larger)
      entries_.erase(at(begin), at(middle));
    else
      entries_.erase(at(middle), entries_.end());
  }

  void head_gradient() {
    if (trains_adapters(s_.method) || !shape_.has_head || states_.trained.empty() || a_.loss_weight_bytes > 0) return;
    const double values = shape_.tied ? shape_.counts.embedding : shape_.counts.head;
    const double each = std::min(2.0, states_.trained.front().gradient);
    add(Term::gradients, Certainty::exact, values * each,
        {"training_head_gradient", {{"values", values}, bytes_each("value_bytes", each)}});
  }

  void load() {
    phase_ = TrainingPhase::load;
    weights();
    if (!parts_.profile->sharded_load_whole || !states_.weights_sharded) return;
    // The whole model first, then its shards are cut out unit by unit.
    const double whole = shape_.counts.all() * 2 + 2 * (states_.gathered_root + states_.gathered_layer);
    add(Term::load, Certainty::modelled, whole, {"training_load", {bytes("whole", whole)}}, 0.9, 1.1);
  }

  void save() {
    phase_ = TrainingPhase::save;
    resident();
    if (!states_.weights_sharded) return;
    const double root = states_.gathered_root, layer = states_.gathered_layer;
    add(Term::save, Certainty::modelled, root + layer,
        {"training_save", {bytes("root", root), bytes("layer", layer)}}, 0.9, 1.15);
  }

  const TrainingParts& parts_;
  const TrainingSettings& s_;
  const TrainingStates& states_;
  const TrainingActivations& a_;
  const TrainingShape& shape_;
  TrainingPhase phase_ = TrainingPhase::load;
  std::vector<TrainingEntry> entries_;
};

}  // namespace

std::vector<TrainingEntry> training_phases(const TrainingParts& parts) { return Builder(parts).run(); }
std::vector<TrainingEntry> steady_entries(const TrainingParts& parts) { return Builder(parts).steady(); }
std::vector<TrainingEntry> host_entries(const TrainingParts& parts) { return Builder(parts).host(); }

ComingAndGoing coming_and_going(const TrainingParts& parts) {
  ComingAndGoing all;
  const TrainingActivations& a = parts.activations;
  all.activations = a.kept_bytes + a.attention_scores + std::max(a.logits_bytes, a.working_bytes + a.input_gradients);
  for (const TrainedGroup& group : parts.states.trained) {
    all.gradients += group.gradient_bytes();
    all.step += group.step_bytes();
  }
  return all;
}

}  // namespace vram
