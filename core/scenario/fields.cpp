// The table of fields. One row a field; everything that shows, stores, checks or sends a scenario is driven by it.
#include <algorithm>
#include <array>

#include "core/scenario/measured.h"
#include "core/scenario/scenario.h"

namespace vram {
namespace {

using Words = std::string_view;
constexpr std::array<Words, 3> kTasks = {"serve", "tune", "train"};
constexpr std::array<Words, 15> kWeightFormats = {"stored", "bf16",  "fp8_block", "int8",   "awq_int4",
                                                  "nf4",    "mxfp4", "nvfp4",     "q8_0",   "q6_k",
                                                  "q5_k_m", "q4_k_m", "iq4_xs",   "q3_k_m", "q2_k"};
constexpr std::array<Words, 6> kCacheFormats = {"auto", "fp32", "bf16", "fp8", "q8_0", "q4_0"};
constexpr std::array<Words, 9> kEngines = {"auto",         "vllm",   "sglang",    "tensorrt_llm", "llama_cpp",
                                           "ik_llama_cpp", "ollama", "lm_studio", "generic"};
constexpr std::array<Words, 3> kSplits = {"auto", "tensor", "layers"};
constexpr std::array<Words, 2> kExperts = {"slices", "whole"};
constexpr std::array<Words, 2> kYesNo = {"yes", "no"};
constexpr std::array<Words, 4> kOffloads = {"no", "weights", "experts", "cache"};
constexpr std::array<Words, 2> kCardLinks = {"pcie", "link"};
constexpr std::array<Words, 2> kUnits = {"gib", "gb"};

constexpr std::array<Words, 7> kMethods = {"lora", "qlora", "dora", "lora_fa", "ia3", "prefix_tuning", "vera"};
constexpr std::array<Words, 4> kObjectives = {"sft", "pretrain", "dpo", "grpo"};
constexpr std::array<Words, 9> kFrameworks = {"huggingface", "trl",        "axolotl",  "llama_factory", "unsloth",
                                              "torchtune",   "torchtitan", "deepspeed", "megatron"};
constexpr std::array<Words, 11> kOptimizers = {"adamw", "adamw_8bit",   "adamw_4bit", "paged_adamw",
                                               "paged_adamw_8bit", "sgd", "sgd_momentum", "lion",
                                               "adafactor", "muon", "galore_adamw"};
constexpr std::array<Words, 4> kPrecisions = {"auto", "bf16", "mixed", "fp32"};
constexpr std::array<Words, 5> kRecompute = {"auto", "none", "selective", "full", "full_offload"};
constexpr std::array<Words, 4> kAttention = {"auto", "eager", "sdpa", "flash_attention"};
constexpr std::array<Words, 3> kFused = {"no", "loss", "all"};
constexpr std::array<Words, 2> kSegments = {"fixed", "growing"};
constexpr std::array<Words, 6> kShards = {"auto", "no", "zero1", "zero2", "zero3", "fsdp"};
constexpr std::array<Words, 4> kStatesTo = {"device", "host", "all_host", "disk"};
constexpr std::array<Words, 3> kTargets = {"all", "attention", "qv"};

constexpr std::array<Words, 4> kVendors = {"any", "nvidia", "amd", "metax"};
constexpr std::array<Words, 3> kForms = {"any", "pcie", "sxm"};
constexpr std::array<Words, 5> kFeeds = {"1x16", "1x32", "3x16", "3x32", "3x63"};

bool serves(const Scenario& s) { return s.task == "serve"; }
bool tunes(const Scenario& s) { return s.task == "tune"; }
bool has_offload(const Scenario& s) { return s.task == "serve" && s.offload != "no"; }
bool serves_on_several(const Scenario& s) { return serves(s) && s.devices > 1; }
bool trains_on_several(const Scenario& s) { return trains(s) && s.devices > 1; }
bool has_custom_card(const Scenario& s) { return s.accelerator == "custom"; }
bool has_several_models(const Scenario& s) { return s.deployments.size() > 1; }
bool serves_adapters(const Scenario& s) {
  return serves(s) && !s.deployments.empty() && s.deployments.front().adapters > 0;
}

bool is_measured(const Scenario& s) {
  return serves(s) && std::any_of(s.deployments.begin(), s.deployments.end(), has_measured);
}

using S = Scenario;
using D = Deployment;
constexpr FieldKind kReal = FieldKind::real, kChoice = FieldKind::choice, kText = FieldKind::text;

constexpr auto kFields = std::to_array<Field>({
    {.key = "task", .binding = &S::task, .group = Group::task, .kind = kChoice, .choices = kTasks},

    {.key = "model", .binding = &D::model, .group = Group::model, .kind = FieldKind::model},
    {.key = "config", .binding = &D::config, .group = Group::model, .kind = FieldKind::config, .expert = true},
    {.key = "weights", .binding = &D::weights, .group = Group::model, .kind = kChoice, .choices = kWeightFormats},
    {.key = "kv", .binding = &D::kv, .group = Group::model, .kind = kChoice, .choices = kCacheFormats,
     .applies = serves},

    {.key = "users", .binding = &D::users, .unit = Unit::users, .least = 1, .most = 100'000, .applies = serves},
    {.key = "ctx", .binding = &D::context, .unit = Unit::tokens, .least = 1, .most = 100'000'000, .applies = serves},
    {.key = "answer", .binding = &D::answer, .unit = Unit::tokens, .least = 1, .most = 100'000'000, .applies = serves,
     .expert = true},
    {.key = "peak", .binding = &D::peak_users, .unit = Unit::users, .least = 0, .most = 100'000, .applies = serves,
     .expert = true},
    {.key = "prefix", .binding = &D::prefix, .unit = Unit::tokens, .least = 0, .most = 100'000'000, .applies = serves,
     .expert = true},
    {.key = "rate", .binding = &D::rate, .kind = kReal, .unit = Unit::requests_per_minute, .least = 0,
     .most = 1'000'000, .applies = serves, .expert = true},
    {.key = "adapters", .binding = &D::adapters, .least = 0, .most = 1000, .applies = serves, .expert = true},
    {.key = "adapter_rank", .binding = &D::adapter_rank, .least = 1, .most = 512, .applies = serves_adapters,
     .expert = true},

    {.key = "gpu", .binding = &S::accelerator, .group = Group::hardware, .kind = FieldKind::accelerator},
    {.key = "n", .binding = &S::devices, .group = Group::hardware, .unit = Unit::devices, .least = 1, .most = 1024},
    {.key = "card_gib", .binding = &S::card_gib, .group = Group::hardware, .kind = kReal, .unit = Unit::gib,
     .least = 0.5, .most = 4096, .applies = has_custom_card},
    {.key = "card_gbs", .binding = &S::card_gbs, .group = Group::hardware, .kind = kReal, .unit = Unit::gbs,
     .least = 1, .most = 1'000'000, .applies = has_custom_card},
    {.key = "card_tflops", .binding = &S::card_tflops, .group = Group::hardware, .kind = kReal, .unit = Unit::tflops,
     .least = 0.1, .most = 1'000'000, .applies = has_custom_card},
    {.key = "card_w", .binding = &S::card_w, .group = Group::hardware, .kind = kReal, .unit = Unit::watts,
     .least = 1, .most = 100'000, .applies = has_custom_card},
    {.key = "card_link", .binding = &S::card_link, .group = Group::hardware, .kind = kChoice, .choices = kCardLinks,
     .applies = has_custom_card},
    {.key = "more_cards", .binding = &S::more_cards, .group = Group::hardware, .kind = FieldKind::cards,
     .expert = true},
    {.key = "offload", .binding = &S::offload, .group = Group::hardware, .kind = kChoice, .choices = kOffloads,
     .applies = serves, .expert = true},
    {.key = "ram", .binding = &S::host_ram_gib, .group = Group::hardware, .kind = kReal, .unit = Unit::gib, .least = 0,
     .most = 65'536, .applies = has_offload, .expert = true},
    {.key = "headroom", .binding = &S::headroom, .group = Group::hardware, .unit = Unit::percent, .least = 0,
     .most = 90, .expert = true},

    {.key = "engine", .binding = &D::engine, .group = Group::engine, .kind = kChoice, .choices = kEngines,
     .applies = serves, .expert = true},
    {.key = "engine_version", .binding = &D::engine_version, .group = Group::engine, .kind = kText, .applies = serves,
     .expert = true},
    {.key = "split", .binding = &D::split, .group = Group::engine, .kind = kChoice, .choices = kSplits,
     .applies = serves_on_several, .expert = true},
    {.key = "replicas", .binding = &D::replicas, .group = Group::engine, .least = 1, .most = 1024,
     .applies = serves_on_several, .expert = true},
    {.key = "stages", .binding = &D::stages, .group = Group::engine, .least = 0, .most = 256,
     .applies = serves_on_several, .expert = true},
    {.key = "experts", .binding = &D::experts, .group = Group::engine, .kind = kChoice, .choices = kExperts,
     .applies = serves_on_several, .expert = true},
    {.key = "own", .binding = &D::own_devices, .group = Group::engine, .unit = Unit::devices, .least = 0, .most = 1024,
     .applies = has_several_models, .expert = true},
    {.key = "share", .binding = &D::memory_share, .group = Group::engine, .unit = Unit::percent, .least = 0,
     .most = 99, .applies = serves, .expert = true},
    {.key = "sequences", .binding = &D::sequences, .group = Group::engine, .least = 0, .most = 65'536,
     .applies = serves, .expert = true},
    {.key = "batch", .binding = &D::batch_tokens, .group = Group::engine, .unit = Unit::tokens, .least = 0,
     .most = 1'048'576, .applies = serves, .expert = true},
    {.key = "graphs", .binding = &D::graphs, .group = Group::engine, .kind = kChoice, .choices = kYesNo,
     .applies = serves, .expert = true},
    {.key = "draft", .binding = &D::draft_tokens, .group = Group::engine, .unit = Unit::tokens, .least = 0, .most = 16,
     .applies = serves, .expert = true},

    {.key = "m_runtime", .binding = &D::measured_runtime_gib, .group = Group::engine, .kind = kReal, .unit = Unit::gib,
     .least = 0, .most = 4096, .applies = is_measured, .expert = true},
    {.key = "m_activations", .binding = &D::measured_activations_gib, .group = Group::engine, .kind = kReal,
     .unit = Unit::gib, .least = 0, .most = 4096, .applies = is_measured, .expert = true},
    {.key = "m_graphs", .binding = &D::measured_graphs_gib, .group = Group::engine, .kind = kReal, .unit = Unit::gib,
     .least = 0, .most = 4096, .applies = is_measured, .expert = true},
    // Comes from a log, as a description comes from a file: nothing to type.
    {.key = "m_with", .binding = &D::measured_with, .group = Group::engine, .kind = FieldKind::config,
     .applies = is_measured, .expert = true},

    {.key = "method", .binding = &S::method, .group = Group::training, .kind = kChoice, .choices = kMethods,
     .applies = tunes, .words = "training_method."},
    {.key = "seq", .binding = &S::sequence, .group = Group::training, .unit = Unit::tokens, .least = 1,
     .most = 4'194'304, .applies = trains},
    {.key = "micro", .binding = &S::micro_batch, .group = Group::training, .least = 1, .most = 4096,
     .applies = trains},
    {.key = "accum", .binding = &S::accumulation, .group = Group::training, .least = 1, .most = 65'536,
     .applies = trains, .expert = true},
    {.key = "train_tokens", .binding = &S::train_tokens_m, .group = Group::training, .kind = kReal,
     .unit = Unit::million_tokens, .least = 0.001, .most = 100'000'000, .applies = trains},
    {.key = "epochs", .binding = &S::epochs, .group = Group::training, .kind = kReal, .least = 0.01, .most = 1000,
     .applies = trains},
    {.key = "optimizer", .binding = &S::optimizer, .group = Group::training, .kind = kChoice, .choices = kOptimizers,
     .applies = trains, .expert = true, .words = "training_optimizer."},
    {.key = "recompute", .binding = &S::recompute, .group = Group::training, .kind = kChoice, .choices = kRecompute,
     .applies = trains, .expert = true},
    {.key = "shard", .binding = &S::shard, .group = Group::training, .kind = kChoice, .choices = kShards,
     .applies = trains_on_several, .expert = true},
    {.key = "precision", .binding = &S::precision, .group = Group::training, .kind = kChoice, .choices = kPrecisions,
     .applies = trains, .expert = true},
    {.key = "rank", .binding = &S::rank, .group = Group::training, .least = 1, .most = 4096, .applies = tunes,
     .expert = true},
    {.key = "targets", .binding = &S::targets, .group = Group::training, .kind = kChoice, .choices = kTargets,
     .applies = tunes, .expert = true},
    {.key = "objective", .binding = &S::objective, .group = Group::training, .kind = kChoice, .choices = kObjectives,
     .applies = trains, .expert = true},
    {.key = "framework", .binding = &S::framework, .group = Group::training, .kind = kChoice, .choices = kFrameworks,
     .applies = trains, .expert = true, .words = "training_framework."},
    {.key = "attention", .binding = &S::attention, .group = Group::training, .kind = kChoice, .choices = kAttention,
     .applies = trains, .expert = true},
    {.key = "fused", .binding = &S::fused, .group = Group::training, .kind = kChoice, .choices = kFused,
     .applies = trains, .expert = true},
    {.key = "segments", .binding = &S::segments, .group = Group::training, .kind = kChoice, .choices = kSegments,
     .applies = trains, .expert = true},
    {.key = "states_to", .binding = &S::states_to, .group = Group::training, .kind = kChoice, .choices = kStatesTo,
     .applies = trains, .expert = true},
    {.key = "train_tp", .binding = &S::train_tensor, .group = Group::training, .least = 1, .most = 64,
     .applies = trains_on_several, .expert = true},
    {.key = "train_pp", .binding = &S::train_pipeline, .group = Group::training, .least = 1, .most = 256,
     .applies = trains_on_several, .expert = true},
    {.key = "train_cp", .binding = &S::train_context, .group = Group::training, .least = 1, .most = 64,
     .applies = trains_on_several, .expert = true},
    {.key = "train_ep", .binding = &S::train_expert, .group = Group::training, .least = 1, .most = 256,
     .applies = trains_on_several, .expert = true},

    {.key = "vendor", .binding = &S::vendor, .group = Group::buying, .kind = kChoice, .choices = kVendors},
    {.key = "form", .binding = &S::form, .group = Group::buying, .kind = kChoice, .choices = kForms},
    {.key = "most_n", .binding = &S::most_devices, .group = Group::buying, .unit = Unit::devices, .least = 1,
     .most = 1024},
    {.key = "least_bits", .binding = &S::least_bits, .group = Group::buying, .unit = Unit::bits, .least = 1,
     .most = 16},
    {.key = "want_ttft", .binding = &S::want_first_token_s, .group = Group::buying, .kind = kReal,
     .unit = Unit::seconds, .least = 0, .most = 3600, .applies = serves},
    {.key = "want_tps", .binding = &S::want_tokens_s, .group = Group::buying, .kind = kReal,
     .unit = Unit::tokens_per_second, .least = 0, .most = 10'000, .applies = serves},
    {.key = "spare", .binding = &S::spare_nodes, .group = Group::buying, .least = 0, .most = 16},

    {.key = "grow_users", .binding = &S::growth_users, .group = Group::growth, .unit = Unit::percent, .least = 0,
     .most = 10'000, .applies = serves},
    {.key = "grow_ctx", .binding = &S::growth_context, .group = Group::growth, .unit = Unit::percent, .least = 0,
     .most = 10'000, .applies = serves},

    {.key = "node", .binding = &S::node, .group = Group::room, .kind = FieldKind::platform},
    {.key = "rack_kw", .binding = &S::rack_kw, .group = Group::room, .kind = kReal, .unit = Unit::kilowatts,
     .least = 0, .most = 1000},
    {.key = "feed", .binding = &S::feed, .group = Group::room, .kind = kChoice, .choices = kFeeds},
    {.key = "feeds", .binding = &S::feeds, .group = Group::room, .least = 1, .most = 8},
    {.key = "delta_t", .binding = &S::delta_t, .group = Group::room, .kind = kReal, .unit = Unit::kelvin, .least = 2,
     .most = 40},
    {.key = "pue", .binding = &S::pue, .group = Group::room, .kind = kReal, .least = 1, .most = 4},
    {.key = "load", .binding = &S::load, .group = Group::room, .kind = kReal, .least = 0, .most = 1},

    // How memory is shown is a field too, so that a link opens in the sender's unit; a switch sets it, not a control.
    {.key = "units", .binding = &S::units, .group = Group::show, .kind = kChoice, .choices = kUnits, .expert = true},
});

}  // namespace

bool trains(const Scenario& scenario) { return scenario.task != "serve"; }

std::span<const Field> fields() { return kFields; }

std::string Field::words_of(std::string_view choice) const {
  return words.empty() ? "choice." + std::string(key) + "." + std::string(choice)
                       : std::string(words) + std::string(choice);
}

std::string_view group_key(Group group) {
  constexpr std::array<std::string_view, static_cast<std::size_t>(Group::count_)> kKeys = {
      "task", "model", "use", "hardware", "engine", "training", "buying", "growth", "room", "show"};
  return kKeys[static_cast<std::size_t>(group)];
}

}  // namespace vram
