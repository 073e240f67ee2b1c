#include "core/plan/plan.h"

#include <algorithm>
#include <array>

#include "core/plan/generic.h"

namespace vram {
namespace {

Plan planned(const Inputs& inputs, int layers_on_host) {
  Plan plan;
  plan.devices = static_cast<int>(inputs.scenario.devices);
  plan.usable = inputs.accelerator.usable();
  plan.layers_on_host = layers_on_host;
  for (std::size_t i = 0; i < inputs.models.size(); ++i) add_deployment(plan, inputs, i, layers_on_host);
  Bytes most;
  for (int device = 0; device < plan.devices; ++device) {
    const Bytes likely = plan.of(device).likely;
    if (likely > most) {
      most = likely;
      plan.fullest = device;
    }
  }
  return plan;
}

int most_layers_of_a_stage(const Inputs& inputs, const Plan& plan) {
  int most = 0;
  for (std::size_t i = 0; i < inputs.models.size(); ++i) {
    const int stages = std::max(1, plan.splits[i].pipeline_parallel);
    most = std::max(most, (static_cast<int>(inputs.models[i].dims.num_hidden_layers) + stages - 1) / stages);
  }
  return most;
}

/// The least number of layers a stage has to move to host memory so that the fullest device fits.
Plan off_loaded(const Inputs& inputs, Plan all_on_devices) {
  int low = 0, high = most_layers_of_a_stage(inputs, all_on_devices);
  Plan best = planned(inputs, high);
  if (best.shortage() > Bytes(0)) return all_on_devices;
  while (low + 1 < high) {
    const int middle = low + (high - low) / 2;
    Plan candidate = planned(inputs, middle);
    if (candidate.shortage() > Bytes(0)) {
      low = middle;
    } else {
      high = middle;
      best = std::move(candidate);
    }
  }
  return best;
}

Verdict verdict_of(const Inputs& inputs, const Plan& plan) {
  if (plan.shortage() > Bytes(0)) return Verdict::does_not_fit;
  if (plan.layers_on_host > 0) {
    const double host_ram = inputs.scenario.host_ram_gib;
    const bool host_holds = host_ram <= 0 || plan.of(kHost).likely <= bytes_from_gib(host_ram);
    return host_holds ? Verdict::fits_with_offload : Verdict::does_not_fit;
  }
  const bool high_fits = plan.of(plan.fullest).high <= plan.usable;
  const bool roomy = plan.headroom_share() * 100 >= static_cast<double>(inputs.scenario.headroom);
  return high_fits && roomy ? Verdict::fits : Verdict::tight;
}

void add_notes(const Inputs& inputs, Plan& plan) {
  for (std::size_t i = 0; i < inputs.models.size(); ++i) {
    const Model& model = inputs.models[i];
    const Deployment& deployment = inputs.scenario.deployments[i];
    const Split& split = plan.splits[i];
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
                               .with("devices", std::int64_t{plan.devices})
                               .with("tensor", std::int64_t{split.tensor_parallel})
                               .with("stages", std::int64_t{split.pipeline_parallel}));
    }
    const int used = split.tensor_parallel * split.pipeline_parallel;
    if (used < plan.devices) {
      plan.notes.push_back(
          note("note.devices_unused").with("used", std::int64_t{used}).with("devices", std::int64_t{plan.devices}));
    }
    for (const Message& said : model.notes) plan.notes.push_back(said);
  }
  if (inputs.accelerator.usable_is() != UsableIs::measured) {
    plan.notes.push_back(Message("note.usable_not_measured").with("gpu", inputs.accelerator.name));
  }
  if (plan.layers_on_host > 0) {
    plan.notes.push_back(Message("note.off_load_is_slow").with("layers", std::int64_t{plan.layers_on_host}));
  }
  const bool too_much_for_host = plan.layers_on_host > 0 && plan.verdict == Verdict::does_not_fit;
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

double Plan::headroom_share() const {
  if (usable == Bytes(0)) return 0;
  return static_cast<double>(headroom().value()) / static_cast<double>(usable.value());
}

Plan make_plan(const Inputs& inputs) {
  Plan plan = planned(inputs, 0);
  if (plan.shortage() > Bytes(0) && inputs.scenario.offload == "weights") plan = off_loaded(inputs, std::move(plan));
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
    if (groups.empty() || here != previous) groups.push_back({device, device});
    else groups.back().last = device;
    previous = here;
  }
  return groups;
}

}  // namespace vram
