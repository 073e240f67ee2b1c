// A scenario: what is to run, how it will be used, and on what. And the one table of its fields.
//
// The fields (name, type, range, unit, default, when they apply) are written once, in schema.cpp. The page's controls,
// the plain-HTML form, the link in the address bar, saved state, JSON, command-line flags and validation are driven by
// that table. Adding a field is a member here, one row there, and its one use.
//
//   link   v=1&model=meta-llama/Llama-3.1-70B-Instruct&weights=awq_int4&ctx=8192&users=4&gpu=h100-sxm&n=1
//   JSON   {"v": 1, "gpu": "h100-sxm", "n": 1, "deployments": [{"model": "…", "ctx": 8192, …}]}
//
// Fields that stand at their default are left out of a link, so links stay short and readable.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/units/json.h"
#include "core/units/message.h"

namespace vram {

constexpr int kScenarioVersion = 1;
constexpr std::size_t kMaxDeployments = 16;

/// One model that runs: a chat model, an embedding model, a reranker. The usual scenario has one.
struct Deployment {
  // what
  std::string model = "meta-llama/Llama-3.1-8B-Instruct";  ///< id in the catalogue; "" = `config` describes it
  std::string config;                    ///< a config.json, trimmed to what is read of it; "" = a catalogue model
  std::string weights = "stored";        ///< a storage format or a llama.cpp mix; "stored": as the checkpoint has them
  std::string kv = "auto";               ///< a cache format, or "auto": the model's own sixteen bits
  std::int64_t adapters = 0;             ///< LoRA adapters kept on the devices at the same time
  std::int64_t adapter_rank = 16;
  // how it is used
  std::int64_t users = 8;                ///< sequences that generate at the same time
  std::int64_t context = 8192;           ///< tokens of one sequence: input and answer together
  std::int64_t answer = 1024;            ///< of these, the longest answer
  std::int64_t prefix = 0;               ///< of these, tokens that all requests begin with
  std::int64_t peak_users = 0;           ///< at the busiest time; 0 = as always
  double rate = 0;                       ///< requests a minute; with it concurrency is a result (Little's law)
  // how it is served
  std::string engine = "auto";           ///< "auto", "vllm", "sglang", "tensorrt_llm", "llama_cpp", … "generic"
  std::string engine_version;            ///< as people write it; "" = the newest release known here
  std::string split = "auto";            ///< over devices: "auto", "tensor", "layers"
  std::int64_t stages = 0;               ///< pipeline stages of a copy; 0 = as `split` says
  std::int64_t replicas = 1;             ///< copies of the model, each on its share of the devices
  std::string experts = "slices";        ///< of each device: "slices" of every expert, or "whole" ones
  std::int64_t own_devices = 0;          ///< devices that no other deployment uses; 0 = shares all of them
  std::int64_t memory_share = 0;         ///< per cent of a device that the engine may take; 0 = its default
  std::int64_t sequences = 0;            ///< the engine's own limit of sequences; 0 = its default
  std::int64_t batch_tokens = 0;         ///< tokens of one forward pass; 0 = the engine's default
  std::string graphs = "yes";            ///< captured graphs: "yes", "no" (--enforce-eager)
  std::int64_t draft_tokens = 0;         ///< drafted a step by the model's own draft layers; 0 = no drafting
  // what a start of it measured, of the device that had most (core/scenario/measured.h); 0 = calculate
  double measured_runtime_gib = 0;       ///< context, libraries, exchange: all that is neither weights, cache nor below
  double measured_activations_gib = 0, measured_graphs_gib = 0;
  std::string measured_with;             ///< what the start was; "" = nobody said
  friend bool operator==(const Deployment&, const Deployment&) = default;
};

struct Scenario {
  std::string task = "serve";            ///< "serve", "tune" (adapters), "train" (all weights)
  std::vector<Deployment> deployments{Deployment{}};

  // on what
  std::string accelerator = "h100-sxm";  ///< id in the catalogue, or "custom"
  std::int64_t devices = 1;
  std::string more_cards;                ///< others in the same machine: "rtx4090:2,rtx3090:1"
  double card_gib = 24, card_gbs = 1000, card_tflops = 100, card_w = 300;  ///< of the custom card; memory for programs
  std::string card_link = "pcie";        ///< between custom cards: "pcie", "link"
  std::string offload = "no";            ///< what may live in host memory: "no", "weights", "experts", "cache"
  double host_ram_gib = 0;               ///< host memory for what is off-loaded; 0 = not known
  std::int64_t headroom = 10;            ///< per cent that should stay free, otherwise the answer is "tight"
  std::string units = "gib";             ///< how memory is shown: "gib" or "gb"

  // training and fine-tuning (of the first deployment's model); core/plan/training/settings.h explains the words
  std::string method = "lora";           ///< of "tune": "lora", "qlora", …; "train" trains everything
  std::string objective = "sft";
  std::string framework = "huggingface";
  std::string optimizer = "adamw";
  std::string precision = "auto";        ///< "auto", "bf16", "mixed", "fp32"
  std::int64_t sequence = 4096;          ///< tokens
  std::int64_t micro_batch = 1;          ///< sequences on a device at once
  std::int64_t accumulation = 8;         ///< micro-batches a step
  std::string recompute = "auto";
  std::string attention = "auto";
  std::string fused = "no";              ///< fused kernels: "no", "loss", "all" (Liger)
  std::string shard = "auto";            ///< of states over devices: "auto", "no", "zero1", "zero2", "zero3", "fsdp"
  std::int64_t train_tensor = 1, train_pipeline = 1, train_context = 1, train_expert = 1;  ///< parallel degrees
  std::string segments = "fixed";        ///< of the allocator: "fixed", "growing" (expandable_segments:True)
  std::string states_to = "device";      ///< where optimizer states live: "device", "host", "all_host", "disk"
  std::int64_t rank = 16;                ///< of adapters
  std::string targets = "all";           ///< layers that get adapters: "all", "attention", "qv"
  double train_tokens_m = 10;            ///< million tokens of one pass over the data
  double epochs = 3;

  // what may be bought
  std::string vendor = "any";            ///< "any", or one of them
  std::string form = "any";              ///< "any", "pcie", "sxm"
  std::int64_t most_devices = 16;
  std::int64_t least_bits = 4;           ///< of a weight: the floor of quality
  double want_first_token_s = 0;         ///< the most; 0 = no wish
  double want_tokens_s = 0;              ///< for one user, the least; 0 = no wish
  std::int64_t spare_nodes = 0;          ///< nodes that may fail without losing capacity (N+1)

  // growth that is agreed
  std::int64_t growth_users = 0, growth_context = 0;  ///< per cent more at the horizon

  // the room
  std::string node = "auto";             ///< id of a platform, or "auto"
  double rack_kw = 0;                    ///< a rack may take; 0 = by the circuits
  std::string feed = "3x32";             ///< phases × amperes of one feed: "1x16", "1x32", "3x16", "3x32", "3x63"
  std::int64_t feeds = 2;                ///< of a rack; with two, either carries everything (2N)
  double pue = 1.5;
  double delta_t = 12;                   ///< kelvin between inlet and outlet air
  double load = 0.6;                     ///< mean share of the time under load, for energy
  friend bool operator==(const Scenario&, const Scenario&) = default;
};

enum class Scope : std::uint8_t { scenario, deployment };
enum class FieldKind : std::uint8_t { integer, real, choice, model, accelerator, cards, platform, config, text };
enum class Unit : std::uint8_t {
  none, tokens, gib, percent, devices, users, gbs, tflops, watts, kilowatts, seconds, tokens_per_second,
  requests_per_minute, million_tokens, kelvin, bits
};
/// Where a field stands: pages and forms show one group together.
enum class Group : std::uint8_t { task, model, use, hardware, engine, training, buying, growth, room, show, count_ };
std::string_view group_key(Group group);      ///< string "group.<key>"

using Binding = std::variant<std::int64_t Scenario::*, double Scenario::*, std::string Scenario::*,
                             std::int64_t Deployment::*, double Deployment::*, std::string Deployment::*>;
using Value = std::variant<std::int64_t, double, std::string>;

struct Field {
  std::string_view key;                       ///< in links, JSON and as a flag; never changes within a version
  Binding binding;
  Group group = Group::use;
  FieldKind kind = FieldKind::integer;
  Unit unit = Unit::none;
  double least = 0, most = 0;                 ///< of integer and real
  std::span<const std::string_view> choices{};  ///< of choice; its words are strings "choice.<key>.<id>"
  bool (*applies)(const Scenario&) = nullptr;     ///< null = always
  bool expert = false;                        ///< shown on demand only
  std::string_view words = "";                ///< choices' words where another table has them: "training_method."

  Scope scope() const { return binding.index() < 3 ? Scope::scenario : Scope::deployment; }
  bool shown(const Scenario& scenario) const { return applies == nullptr || applies(scenario); }
  /// Key of the string that says a choice.
  std::string words_of(std::string_view choice) const;
};

bool trains(const Scenario& scenario);        ///< task is "tune" or "train"

std::span<const Field> fields();
const Field* find_field(std::string_view key);

/// `deployment` is ignored for fields of the scenario and clamped to those that exist.
Value get(const Scenario& scenario, const Field& field, std::size_t deployment = 0);
/// Sets the field or says why not (field.not_a_number, field.out_of_range, field.unknown_choice); then nothing changes.
std::optional<Message> set(Scenario& scenario, const Field& field, const Value& value, std::size_t deployment = 0);
/// The same from text, as a link or a command line has it. Accepts a decimal comma and grouping spaces.
std::optional<Message> set_text(Scenario& scenario, const Field& field, std::string_view text,
                                std::size_t deployment = 0);
std::string text_of(const Value& value);

/// A scenario that is kept under a name, to be compared with others.
struct KeptPlan {
  std::string name;                           ///< as a person calls it; never empty once kept
  Scenario scenario;
  friend bool operator==(const KeptPlan&, const KeptPlan&) = default;
};
constexpr std::size_t kMostKept = 4;
/// The name as it is kept: without control characters, at most 60 characters of whole UTF-8.
std::string kept_name(std::string_view typed);

/// What was read, and what was not: each problem names its field. Fields without a problem are applied.
struct ScenarioReading {
  Scenario scenario;
  std::vector<KeptPlan> kept;                 ///< at most kMostKept
  std::vector<Message> problems;
};

/// Plans kept beside the scenario follow it: "&kept=…" a plan in a link (name, "|", its own link), "kept" in JSON.
std::string to_link(const Scenario& scenario, std::span<const KeptPlan> kept = {});
ScenarioReading from_link(std::string_view fragment);
Json to_json(const Scenario& scenario, std::span<const KeptPlan> kept = {});
ScenarioReading from_json(const Json& json);

}  // namespace vram
