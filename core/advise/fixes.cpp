#include "core/advise/fixes.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "core/advise/limits.h"
#include "core/plan/support.h"
#include "core/plan/training/entries.h"
#include "core/plan/training/fixes.h"
#include "core/units/order.h"

namespace vram {
namespace {

double exact(Bytes bytes) { return static_cast<double>(bytes.value()); }

/// Left on the device that decides, what its engines leave free included; below zero = missing.
double room(const Plan& plan) { return exact(plan.usable()) - exact(plan.of(plan.fullest).likely); }

/// Room that a change brings, and what the engines no longer leave free.
double room_gained(const Plan& before, const Plan& after) {
  const Bytes taken = reserved(before.ledger, before.fullest) - reserved(after.ledger, after.fullest);
  return room(after) - room(before) + exact(taken);
}

/// Of a device's memory: what brings less is no advice.
constexpr double kNoticed = 0.01;

/// Tries changes and keeps those that bring something.
/// A change beyond what the fields take could be neither applied nor sent as a link.
bool is_in_range(const Scenario& scenario) {
  for (const Field& field : fields()) {
    if (field.kind != FieldKind::integer) continue;
    const std::size_t places = field.scope() == Scope::deployment ? scenario.deployments.size() : 1;
    for (std::size_t i = 0; i < places; ++i) {
      const Value value = get(scenario, field, i);
      const auto number = static_cast<double>(*std::get_if<std::int64_t>(&value));
      if (number < field.least || number > field.most) return false;
    }
  }
  return true;
}

class Search {
 public:
  Search(const Inputs& inputs, const Plan& plan) : inputs_(inputs), plan_(plan) {}

  const Inputs& inputs() const { return inputs_; }
  const Plan& plan() const { return plan_; }
  bool is_short() const { return plan_.verdict == Verdict::does_not_fit; }
  /// Does it what the plan does not: fit, or fit with room?
  bool is_enough(Verdict verdict) const {
    return is_short() ? verdict != Verdict::does_not_fit : verdict == Verdict::fits;
  }

  /// The inputs with nothing changed yet.
  Inputs start() const { return inputs_; }

  /// Adds the fix unless it brings nothing. True when it makes the plan fit.
  bool add(std::string key, std::size_t deployment, Message what, const Inputs& changed) {
    if (!is_in_range(changed.scenario)) return false;
    const Plan made = make_plan(changed);
    const double gained = room_gained(plan_, made);
    Fix fix;
    fix.fits = is_enough(made.verdict);
    const double least = plan_.training ? 1 : exact(plan_.usable()) * kNoticed;
    const bool brings_room = gained >= least && (!made.refusal || plan_.refusal);
    if (!fix.fits && !brings_room) return false;
    fix.cost = Message("fix_cost." + key);
    fix.key = std::move(key);
    fix.what = std::move(what);
    fix.scenario = changed.scenario;
    fix.deployment = deployment;
    fix.saved = bytes_from(gained);
    fix.host = made.of(kHost).likely - plan_.of(kHost).likely;
    fix.verdict = made.verdict;
    found_.push_back(std::move(fix));
    return found_.back().fits;
  }

  bool has_fit() const {
    return std::any_of(found_.begin(), found_.end(), [](const Fix& fix) { return fix.fits; });
  }
  std::vector<Fix> found() && { return std::move(found_); }

 private:
  const Inputs& inputs_;
  const Plan& plan_;
  std::vector<Fix> found_;
};

/// The deployment that holds most of a category on the device that decides.
std::size_t heaviest(const Search& search, Category category) {
  const Plan& plan = search.plan();
  std::vector<Bytes> held(search.inputs().models.size());
  for (const Entry& entry : plan.ledger) {
    const bool counts = entry.on(plan.fullest) && category_of(entry.term) == category && entry.term != Term::reserve;
    if (counts) held[static_cast<std::size_t>(entry.deployment)] += entry.likely;
  }
  return static_cast<std::size_t>(std::max_element(held.begin(), held.end()) - held.begin());
}

const Placed& placed(const Search& search, std::size_t deployment) { return search.plan().placed[deployment]; }

Message named(std::string_view key, const Search& search, std::size_t deployment) {
  return Message("fix." + std::string(key)).with("model", search.inputs().models[deployment].name);
}

// ---- settings --------------------------------------------------------------------------------------------

constexpr std::int64_t kMostShare = 95;  // per cent: what is left holds graphs and the driver's own

void try_memory_share(Search& search) {
  for (std::size_t i = 0; i < search.inputs().models.size(); ++i) {
    const auto& figures = placed(search, i).figures;
    if (!figures || figures->memory_share * 100 >= static_cast<double>(kMostShare)) continue;
    Inputs changed = search.start();
    changed.scenario.deployments[i].memory_share = kMostShare;
    search.add("memory_share", i, named("memory_share", search, i).with("percent", kMostShare), changed);
  }
}

/// Whole layers on each GPU where layers were sliced, or the other way round: a latent cache, or more GPUs than KV heads,
/// is held in full by every GPU that slices a layer.
void try_another_split(Search& search) {
  for (std::size_t i = 0; i < search.inputs().models.size(); ++i) {
    const Split& now = placed(search, i).split;
    const bool layers = now.tensor_parallel > 1;
    if (now.tensor_parallel * now.pipeline_parallel < 2 || is_llamacpp(placed(search, i).engine)) continue;
    Inputs changed = search.start();
    Deployment& deployment = changed.scenario.deployments[i];
    deployment.split = layers ? "layers" : "tensor";
    deployment.stages = 0;
    const std::string key = layers ? "split_layers" : "split_tensor";
    search.add(key, i, named(key, search, i), changed);
  }
}

// ---- formats ---------------------------------------------------------------------------------------------

bool is_supported(const Search& search, const Inputs& changed, std::size_t deployment) {
  return support_of(changed, search.plan(), deployment).level != SupportLevel::refused;
}

void try_cache_format(Search& search) {
  const std::size_t i = heaviest(search, Category::kv);
  const EngineId engine = placed(search, i).engine;
  const std::string kv = is_llamacpp(engine) ? "q8_0" : "fp8";
  Inputs changed = search.start();
  Deployment& deployment = changed.scenario.deployments[i];
  if (deployment.kv != "auto" && deployment.kv != "bf16" && deployment.kv != "fp32") return;
  deployment.kv = kv;
  if (!is_supported(search, changed, i)) return;
  search.add("kv_format", i, named("kv_format", search, i).with("format", MessageKey{"choice.kv." + kv}), changed);
}

/// Bits of the value that most weights of a model have.
double bits_of(const Model& model) {
  const double values = static_cast<double>(count_parameters(model).total.value());
  return values > 0 ? exact(weight_bytes(model)) * 8 / values : 0;
}

struct Step {
  double bits;
  std::array<std::string_view, 3> formats;  ///< the first that the engine and the card know natively, or at all
};
constexpr Step kServerSteps[] = {{8, {"fp8_block", "int8", ""}}, {4, {"nvfp4", "awq_int4", "mxfp4"}}};
constexpr Step kLlamacppSteps[] = {{8, {"q8_0", "", ""}}, {4, {"q4_k_m", "", ""}}};

/// The step's format, in the inputs; nothing when none is supported.
std::optional<Inputs> with_format(const Search& search, std::size_t i, const Step& step) {
  std::optional<Inputs> best;
  SupportLevel best_level = SupportLevel::refused;
  for (const std::string_view format : step.formats) {
    if (format.empty()) continue;
    Inputs changed = search.start();
    changed.scenario.deployments[i].weights = std::string(format);
    changed.scenario.deployments[i].engine = std::string(engine_id_key(placed(search, i).engine));
    changed.models[i] = in_weight_format(std::move(changed.models[i]), format);
    const SupportLevel level = support_of(changed, search.plan(), i).level;
    if (level >= best_level) continue;
    best = std::move(changed);
    best_level = level;
  }
  return best;
}

/// Every format at its smallest, and the engine allowed all it may take: where none of them is enough alone.
void try_all_formats(Search& search) {
  if (search.has_fit()) return;
  const std::size_t i = heaviest(search, Category::weights);
  const bool llamacpp = is_llamacpp(placed(search, i).engine);
  const Step& four = llamacpp ? kLlamacppSteps[1] : kServerSteps[1];
  if (static_cast<double>(search.inputs().scenario.least_bits) > four.bits) return;
  std::optional<Inputs> changed = with_format(search, i, four);
  if (!changed) return;
  Deployment& deployment = changed->scenario.deployments[i];
  const std::string before = deployment.kv;
  deployment.kv = llamacpp ? "q8_0" : "fp8";
  if (!is_supported(search, *changed, i)) deployment.kv = before;
  if (placed(search, i).figures) deployment.memory_share = kMostShare;
  search.add("all_formats", i,
             named("all_formats", search, i)
                 .with("weights", MessageKey{"choice.weights." + deployment.weights})
                 .with("kv", MessageKey{"choice.kv." + deployment.kv}),
             *changed);
}

void try_weight_formats(Search& search) {
  const std::size_t i = heaviest(search, Category::weights);
  const bool llamacpp = is_llamacpp(placed(search, i).engine);
  const double bits = bits_of(search.inputs().models[i]);
  for (const Step& step : llamacpp ? kLlamacppSteps : kServerSteps) {
    const bool is_allowed = static_cast<double>(search.inputs().scenario.least_bits) <= step.bits;
    if (bits < step.bits * 1.4 || !is_allowed) continue;
    const std::optional<Inputs> changed = with_format(search, i, step);
    if (!changed) continue;
    const std::string& format = changed->scenario.deployments[i].weights;
    const std::string key = step.bits > 4 ? "weights_8" : "weights_4";
    search.add(key, i, named(key, search, i).with("format", MessageKey{"choice.weights." + format}), *changed);
  }
}

// ---- what users notice -----------------------------------------------------------------------------------

/// Down to a number that people would type.
std::int64_t rounded_down(std::int64_t value) {
  const std::int64_t step = value >= 16384 ? 4096 : value >= 2048 ? 1024 : value >= 256 ? 128 : 1;
  return value / step * step;
}

/// The most that fits, or half of it where all fits but too little stays free.
void try_shorter_context(Search& search) {
  const std::size_t i = heaviest(search, Category::kv);
  Inputs changed = search.start();
  std::int64_t& context = changed.scenario.deployments[i].context;
  context = search.is_short() ? rounded_down(longest_context(search.inputs(), i, context)) : rounded_down(context / 2);
  if (context < 1) return;
  changed.scenario.deployments[i].answer = std::min(changed.scenario.deployments[i].answer, context);
  search.add("shorter_context", i, named("shorter_context", search, i).with("context", context), changed);
}

void try_fewer_users(Search& search) {
  const std::size_t i = heaviest(search, Category::kv);
  Inputs changed = search.start();
  Deployment& deployment = changed.scenario.deployments[i];
  const std::int64_t busiest = std::max(deployment.users, deployment.peak_users);
  const std::int64_t users = search.is_short() ? std::min(busiest, most_users(search.inputs(), i)) : busiest / 2;
  if (users < 1) return;
  deployment.users = std::min(deployment.users, users);
  deployment.peak_users = deployment.peak_users > 0 ? users : 0;
  search.add("fewer_users", i, named("fewer_users", search, i).with("users", users), changed);
}

void try_off_load(Search& search) {
  if (search.inputs().scenario.offload != "no") return;
  const std::size_t i = heaviest(search, Category::weights);
  const EngineId engine = placed(search, i).engine;
  if (engine == EngineId::tensorrt_llm) return;  // keeps weights on devices only
  Inputs changed = search.start();
  const bool experts = is_llamacpp(engine) && search.inputs().models[i].dims.num_experts > 0;
  changed.scenario.offload = experts ? "experts" : "weights";
  changed.scenario.deployments[i].engine = std::string(engine_id_key(engine));
  const std::string key = experts ? "experts_to_host" : "weights_to_host";
  search.add(key, i, named(key, search, i), changed);
}

// ---- hardware --------------------------------------------------------------------------------------------

/// Twice as many, or as often twice as it takes; twice where no number that may be bought is enough.
void try_more_devices(Search& search) {
  const std::int64_t now = search.inputs().scenario.devices, most = search.inputs().scenario.most_devices;
  const auto with = [&](std::int64_t devices) {
    Inputs changed = search.start();
    changed.scenario.devices = devices;
    return changed;
  };
  Inputs changed = with(now * 2);
  for (std::int64_t devices = now * 2; devices <= most; devices *= 2) {
    Inputs more = with(devices);
    if (!search.is_enough(make_plan(more).verdict)) continue;
    changed = std::move(more);
    break;
  }
  if (changed.scenario.devices > most) return;
  search.add("more_devices", 0,
             Message("fix.more_devices").with("count", changed.scenario.devices).with("gpu", changed.accelerator.name),
             changed);
}

bool may_be_bought(const Scenario& scenario, const Accelerator& card) {
  std::string vendor = card.vendor;
  for (char& c : vendor) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  const bool form = scenario.form == "any" || scenario.form == form_factor_key(card.form);
  return form && (scenario.vendor == "any" || scenario.vendor == vendor);
}

/// The smallest card of the short list that holds it with as many of them.
void try_another_card(Search& search, const Library& library) {
  if (!search.inputs().others.empty()) return;
  std::vector<const Accelerator*> cards = featured_accelerators(library.accelerators);
  sort_stably(cards,
                   [](const Accelerator* a, const Accelerator* b) { return a->usable() < b->usable(); });
  for (const Accelerator* card : cards) {
    const bool larger = card->usable() > search.inputs().accelerator.usable();
    if (!larger || !may_be_bought(search.inputs().scenario, *card)) continue;
    Inputs changed = search.start();
    changed.scenario.accelerator = card->id;
    changed.accelerator = *card;
    if (!search.is_enough(make_plan(changed).verdict)) continue;
    search.add("another_card", 0,
               Message("fix.another_card").with("count", changed.scenario.devices).with("gpu", card->name), changed);
    return;
  }
}

// ---- training --------------------------------------------------------------------------------------------

/// The same changes as training_fixes(), as fields of the scenario.
bool change_job(Scenario& scenario, std::string_view key) {
  const Scenario before = scenario;
  if (key == "expandable_segments") scenario.segments = "growing";
  else if (key == "recompute") scenario.recompute = "full";
  else if (key == "loss_from_hidden") scenario.fused = "loss";
  else if (key == "checkpoints_to_host") scenario.recompute = "full_offload";
  else if (key == "shard") scenario.shard = "zero3";
  else if (key == "distributed_optimizer") scenario.shard = "zero1";
  else if (key == "optimizer_to_host") scenario.states_to = "host";
  else if (key == "eight_bit_optimizer") scenario.optimizer = "adamw_8bit";
  else if (key == "half_the_sequence") scenario.sequence /= 2;
  else if (key == "packed_weights" && scenario.method == "lora") scenario.method = "qlora";
  else if (key == "adapters") {
    scenario.task = "tune";
    scenario.method = "lora";
    scenario.rank = 16;
    scenario.targets = "all";
  } else if (key == "one_sequence") {
    scenario.accumulation *= scenario.micro_batch;
    scenario.micro_batch = 1;
  } else if (key == "twice_the_devices") {
    scenario.devices *= 2;
    if (scenario.shard == "no" || scenario.shard == "auto") scenario.shard = "zero3";
  }
  return !(scenario == before);
}

void try_training_fixes(Search& search) {
  const Inputs& inputs = search.inputs();
  const TrainingSettings now = training_settings(inputs, inputs.devices());
  for (const TrainingFix& fix : training_fixes(inputs.models.front(), now, inputs.accelerator.usable())) {
    Inputs changed = search.start();
    if (!change_job(changed.scenario, fix.key)) continue;
    const std::string key = "training." + std::string(fix.key);
    search.add(key, 0, Message("training_fix." + std::string(fix.key)), changed);
  }
}

}  // namespace

std::vector<Fix> find_fixes(const Inputs& inputs, const Plan& plan, const Library& library) {
  if (plan.verdict == Verdict::fits) return {};
  Search search(inputs, plan);
  if (plan.training) {
    try_training_fixes(search);
  } else {
    try_memory_share(search);
    try_another_split(search);
    try_cache_format(search);
    try_weight_formats(search);
    try_all_formats(search);
    try_shorter_context(search);
    try_fewer_users(search);
    try_more_devices(search);
    try_off_load(search);
  }
  try_another_card(search, library);
  return std::move(search).found();
}

}  // namespace vram
