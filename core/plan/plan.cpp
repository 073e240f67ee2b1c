#include "core/plan/plan.h"

#include <algorithm>
#include <array>
#include <limits>

#include "core/plan/generic.h"
#include "core/plan/llamacpp/entries.h"
#include "core/plan/server/entries.h"
#include "core/plan/split.h"
#include "core/plan/support.h"
#include "core/plan/training/entries.h"
#include "core/scenario/measured.h"

namespace vram {
namespace {

/// How much a plan may put into host memory.
struct Moved {
  int layers = 0;           ///< of each stage, engines that move whole layers
  Moves by_llamacpp = Moves::nothing;
};

/// Deployments with devices of their own come first; the others share what is left, or everything when nothing is.
void place_deployments(Plan& plan, const Inputs& inputs) {
  int next = 0;
  for (const Deployment& deployment : inputs.scenario.deployments) {
    Placed placed;
    const int own = std::min(static_cast<int>(deployment.own_devices), plan.devices - next);
    placed.first = own > 0 ? next : 0;
    placed.devices = own;
    next += own;
    plan.placed.push_back(placed);
  }
  const int left = next < plan.devices ? plan.devices - next : plan.devices;
  for (std::size_t i = 0; i < plan.placed.size(); ++i) {
    Placed& placed = plan.placed[i];
    if (placed.devices == 0) {
      placed.first = plan.devices - left;
      placed.devices = left;
    }
    const Deployment& deployment = inputs.scenario.deployments[i];
    const Model& model = inputs.models[i];
    placed.engine = engine_of(deployment, inputs.scenario, model);
    const int per_node = static_cast<int>(inputs.accelerator.per_node.value_or(8));
    placed.split = choose_split(model, deployment, placed.engine, placed.devices, per_node);
    placed.sequences = static_cast<std::uint64_t>(std::max(deployment.users, deployment.peak_users));
  }
}

bool is_alone(const Plan& plan, std::size_t deployment) {
  const Placed& mine = plan.placed[deployment];
  for (std::size_t i = 0; i < plan.placed.size(); ++i) {
    const Placed& other = plan.placed[i];
    if (i != deployment && other.first < mine.first + mine.devices && mine.first < other.first + other.devices) {
      return false;
    }
  }
  return true;
}

void add_deployment(Plan& plan, const Inputs& inputs, std::size_t deployment, const Moved& moved) {
  Placed& placed = plan.placed[deployment];
  if (is_server(placed.engine)) {
    add_server(plan, inputs, deployment, is_alone(plan, deployment), moved.layers);
    return;
  }
  if (is_llamacpp(placed.engine) && add_llamacpp(plan, inputs, deployment, moved.by_llamacpp)) return;
  placed.engine = EngineId::generic;
  add_generic(plan, inputs, deployment, moved.layers);
}

void find_fullest(Plan& plan) {
  double most = plan.missing(0);
  plan.fullest = 0;
  for (int device = 1; device < plan.devices; ++device) {
    const double here = plan.missing(device);
    if (here > most) {
      most = here;
      plan.fullest = device;
    }
  }
}

Plan planned(const Inputs& inputs, const Moved& moved) {
  Plan plan;
  plan.devices = inputs.devices();
  for (int device = 0; device < plan.devices; ++device) plan.memory.push_back(inputs.card(device).usable());
  if (trains(inputs.scenario)) {
    add_training(plan, inputs);
  } else {
    place_deployments(plan, inputs);
    for (std::size_t i = 0; i < inputs.models.size(); ++i) add_deployment(plan, inputs, i, moved);
    plan.layers_on_host = moved.layers;
    for (const Placed& placed : plan.placed) {
      plan.layers_on_host = std::max({plan.layers_on_host, placed.layers_on_host,
                                      static_cast<int>(placed.host_experts.size())});
    }
  }
  find_fullest(plan);
  return plan;
}

int most_layers_of_a_stage(const Inputs& inputs, const Plan& plan) {
  int most = 0;
  for (std::size_t i = 0; i < inputs.models.size(); ++i) {
    const int stages = std::max(1, plan.placed[i].split.pipeline_parallel);
    most = std::max(most, (static_cast<int>(inputs.models[i].dims.num_hidden_layers) + stages - 1) / stages);
  }
  return most;
}

/// What fits with the least in host memory; the plan as it was when nothing does.
Plan off_loaded(const Inputs& inputs, Plan all_on_devices) {
  const bool by_llamacpp = std::any_of(all_on_devices.placed.begin(), all_on_devices.placed.end(),
                                       [](const Placed& placed) { return is_llamacpp(placed.engine); });
  if (by_llamacpp) {
    Plan moved = planned(inputs, {.layers = 0, .by_llamacpp = Moves::what_does_not_fit});
    return moved.shortage() > Bytes(0) ? std::move(all_on_devices) : std::move(moved);
  }
  if (inputs.scenario.offload != "weights") return all_on_devices;
  int low = 0, high = most_layers_of_a_stage(inputs, all_on_devices);
  Plan best = planned(inputs, {.layers = high});
  if (best.shortage() > Bytes(0)) return all_on_devices;
  while (low + 1 < high) {
    const int middle = low + (high - low) / 2;
    Plan candidate = planned(inputs, {.layers = middle});
    if (candidate.shortage() > Bytes(0)) {
      low = middle;
    } else {
      high = middle;
      best = std::move(candidate);
    }
  }
  return best;
}

/// A format that the program or the card does not know is a refusal; one that works otherwise, or that nobody tried, is
/// said. Of a card that was typed in nothing is known, and nothing is said.
void add_support(const Inputs& inputs, Plan& plan) {
  for (std::size_t i = 0; i < inputs.models.size(); ++i) {
    if (plan.placed[i].engine == EngineId::generic) continue;
    const Support support = support_of(inputs, plan, i);
    if (support.level == SupportLevel::refused && !plan.refusal) plan.refusal = support.why;
    const bool nobody_said = support.level == SupportLevel::unknown && !inputs.accelerator.vendor.empty();
    if (support.level == SupportLevel::emulated || nobody_said) plan.notes.push_back(support.why);
  }
}

bool uses_host(const Plan& plan) {
  return plan.layers_on_host > 0 || std::any_of(plan.placed.begin(), plan.placed.end(),
                                                [](const Placed& placed) { return placed.cache_on_host; });
}

Verdict verdict_of(const Inputs& inputs, const Plan& plan) {
  if (plan.refusal || plan.shortage() > Bytes(0)) return Verdict::does_not_fit;
  const double host_ram = inputs.scenario.host_ram_gib;
  const bool host_holds = host_ram <= 0 || plan.of(kHost).likely <= bytes_from_gib(host_ram);
  if (uses_host(plan)) return host_holds ? Verdict::fits_with_offload : Verdict::does_not_fit;
  if (plan.training) return plan.training->verdict == TrainingVerdict::tight ? Verdict::tight : Verdict::fits;
  const bool high_fits = plan.of(plan.fullest).high <= plan.usable();
  const bool roomy = plan.headroom_share() * 100 >= static_cast<double>(inputs.scenario.headroom);
  return high_fits && roomy ? Verdict::fits : Verdict::tight;
}

void add_serving_notes(const Inputs& inputs, Plan& plan) {
  for (std::size_t i = 0; i < inputs.models.size(); ++i) {
    const Model& model = inputs.models[i];
    const Deployment& deployment = inputs.scenario.deployments[i];
    const Placed& placed = plan.placed[i];
    const Split& split = placed.split;
    const auto note = [&](std::string_view key) { return Message(key).with("model", model.name); };

    const auto limit = static_cast<std::int64_t>(model.dims.max_position_embeddings);
    if (limit > 0 && deployment.context > limit) {
      plan.notes.push_back(note("note.context_beyond_model").with("context", deployment.context).with("limit", limit));
    }
    const bool has_key_heads = std::any_of(model.caches.begin(), model.caches.end(),
                                           [](const Cache& cache) { return cache.kv_heads > 0; });
    const auto key_heads = static_cast<std::int64_t>(model.dims.num_key_value_heads);
    if (has_key_heads && key_heads > 0 && split.tensor_parallel > key_heads) {
      plan.notes.push_back(note("note.duplicated_heads")
                               .with("heads", key_heads)
                               .with("devices", std::int64_t{split.tensor_parallel}));
    }
    if (deployment.split == "tensor" && split.pipeline_parallel > 1) {
      plan.notes.push_back(note("note.heads_do_not_divide")
                               .with("heads", std::int64_t{model.dims.num_attention_heads})
                               .with("devices", std::int64_t{placed.devices})
                               .with("tensor", std::int64_t{split.tensor_parallel})
                               .with("stages", std::int64_t{split.pipeline_parallel}));
    }
    const int used = split.used();
    if (used < placed.devices) {
      plan.notes.push_back(
          note("note.devices_unused").with("used", std::int64_t{used}).with("devices", std::int64_t{placed.devices}));
    }
    for (const ChangedSince& one : changed_since_measured(inputs.scenario, i)) {
      const std::string_view field = one.field->kind == FieldKind::config ? "model" : one.field->key;
      plan.notes.push_back(note("note.measured_otherwise")
                               .with("field", MessageKey{"field." + std::string(field)})
                               .with("was", one.was.empty() ? std::string("\xE2\x80\x94") : one.was));
    }
    const bool wanted = deployment.engine != "auto" && deployment.engine != engine_id_key(placed.engine);
    if (wanted) plan.notes.push_back(note("note.engine_cannot").with("engine", MessageKey{"choice.engine." + deployment.engine}));
  }
}

void add_notes(const Inputs& inputs, Plan& plan) {
  if (!plan.training) add_serving_notes(inputs, plan);
  for (const Model& model : inputs.models) {
    for (const Message& said : model.notes) plan.notes.push_back(said);
  }
  if (inputs.accelerator.usable_is() != UsableIs::measured) {
    plan.notes.push_back(Message("note.usable_not_measured").with("gpu", inputs.accelerator.name));
  }
  if (uses_host(plan)) {
    plan.notes.push_back(Message("note.off_load_is_slow").with("layers", std::int64_t{plan.layers_on_host}));
  }
  const bool too_much_for_host = uses_host(plan) && plan.verdict == Verdict::does_not_fit;
  if (too_much_for_host) {
    plan.notes.push_back(Message("note.host_too_small")
                             .with("needed", plan.of(kHost).likely)
                             .with("given", bytes_from_gib(inputs.scenario.host_ram_gib)));
  }
}

}  // namespace

std::string_view verdict_key(Verdict verdict) {
  constexpr std::array<std::string_view, 4> keys = {"fits", "tight", "fits_with_offload", "does_not_fit"};
  return keys[static_cast<std::size_t>(verdict)];
}

int Inputs::devices() const {
  int devices = static_cast<int>(scenario.devices);
  for (const CardGroup& group : others) devices += group.count;
  return devices;
}

const Accelerator& Inputs::card(int device) const {
  int behind = device - static_cast<int>(scenario.devices);
  for (const CardGroup& group : others) {
    if (behind < 0) break;
    if (behind < group.count) return group.card;
    behind -= group.count;
  }
  return accelerator;
}

double Plan::missing(int device) const {
  return static_cast<double>((of(device).likely + reserved(ledger, device)).value()) -
         static_cast<double>(usable(device).value());
}

double Plan::headroom_share() const {
  if (usable() == Bytes(0)) return 0;
  return static_cast<double>(headroom().value()) / static_cast<double>(usable().value());
}

Plan leanest_plan(const Inputs& inputs) {
  if (trains(inputs.scenario) || inputs.scenario.offload == "no") return planned(inputs, {});
  const int layers = inputs.scenario.offload == "weights" ? std::numeric_limits<int>::max() / 2 : 0;
  return planned(inputs, {.layers = layers, .by_llamacpp = Moves::everything});
}

Plan make_plan(const Inputs& inputs) {
  Plan plan = planned(inputs, {});
  const bool may_move = !plan.training && inputs.scenario.offload != "no";
  if (may_move && plan.shortage() > Bytes(0)) plan = off_loaded(inputs, std::move(plan));
  if (!plan.training) add_support(inputs, plan);
  plan.verdict = verdict_of(inputs, plan);
  add_notes(inputs, plan);
  return plan;
}

std::vector<DeviceGroup> alike_devices(const Plan& plan) {
  std::vector<DeviceGroup> groups;
  std::array<Bytes, static_cast<std::size_t>(Category::count_)> previous{};
  for (int device = 0; device < plan.devices; ++device) {
    std::array<Bytes, static_cast<std::size_t>(Category::count_)> here{};
    for (std::size_t i = 0; i < here.size(); ++i) here[i] = total(plan.ledger, device, static_cast<Category>(i)).likely;
    const bool same_card = !groups.empty() && plan.usable(device) == plan.usable(groups.back().last);
    if (!same_card || here != previous) groups.push_back({device, device});
    else groups.back().last = device;
    previous = here;
  }
  return groups;
}

}  // namespace vram
