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
  std::string model = "meta-llama/Llama-3.1-8B-Instruct";  ///< id in the catalogue; "" = `config` describes it
  std::string config;                    ///< a config.json, trimmed to what is read of it; "" = a catalogue model
  std::int64_t users = 8;                ///< sequences that generate at the same time
  std::int64_t context = 8192;           ///< tokens of one sequence: input and answer together
  std::string weights = "stored";        ///< a storage format, or "stored": as the checkpoint has them
  std::string kv = "auto";               ///< a cache format, or "auto": the model's own sixteen bits
  std::string split = "auto";            ///< over devices: "auto", "tensor", "layers"
  std::int64_t batch_tokens = 8192;      ///< tokens of one forward pass (prefill chunk)
  friend bool operator==(const Deployment&, const Deployment&) = default;
};

struct Scenario {
  std::vector<Deployment> deployments{Deployment{}};
  std::string accelerator = "h100-sxm";  ///< id in the catalogue
  std::int64_t devices = 1;
  std::string offload = "no";            ///< "no", or "weights": whole layers may live in host memory
  double host_ram_gib = 0;               ///< host memory for what is off-loaded; 0 = not known
  std::int64_t headroom = 10;            ///< per cent that should stay free, otherwise the answer is "tight"
  std::string units = "gib";             ///< how memory is shown: "gib" or "gb"
  friend bool operator==(const Scenario&, const Scenario&) = default;
};

enum class Scope : std::uint8_t { scenario, deployment };
enum class FieldKind : std::uint8_t { integer, real, choice, model, accelerator, config };
enum class Unit : std::uint8_t { none, tokens, gib, percent, devices, users };

using Binding = std::variant<std::int64_t Scenario::*, double Scenario::*, std::string Scenario::*,
                             std::int64_t Deployment::*, std::string Deployment::*>;
using Value = std::variant<std::int64_t, double, std::string>;

struct Field {
  std::string_view key;                       ///< in links, JSON and as a flag; never changes within a version
  Binding binding;
  FieldKind kind = FieldKind::integer;
  Unit unit = Unit::none;
  double least = 0, most = 0;                 ///< of integer and real
  std::span<const std::string_view> choices{};  ///< of choice; its words are strings "choice.<key>.<id>"
  bool (*applies)(const Scenario&) = nullptr;     ///< null = always
  bool expert = false;                        ///< shown on demand only

  Scope scope() const { return binding.index() < 3 ? Scope::scenario : Scope::deployment; }
};

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

/// What was read, and what was not: each problem names its field. Fields without a problem are applied.
struct ScenarioReading {
  Scenario scenario;
  std::vector<Message> problems;
};

std::string to_link(const Scenario& scenario);
ScenarioReading from_link(std::string_view fragment);
Json to_json(const Scenario& scenario);
ScenarioReading from_json(const Json& json);

}  // namespace vram
