#include "core/hardware/accelerator.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "core/hardware/row.h"
#include "core/units/order.h"

namespace vram {
namespace {

using hardware::Row;

constexpr std::array<std::string_view, 7> kForms = {"unknown", "pcie", "sxm", "oam", "superchip", "soc", "custom"};
constexpr std::array<std::string_view, 6> kLinks = {"nvlink", "metaxlink", "xgmi", "hccs", "ub", "roce"};
constexpr std::array<std::string_view, 4> kPeers = {"unknown", "pcie", "link", "none"};
constexpr std::array<std::string_view, 6> kCoolings = {"unknown", "passive", "active",
                                                       "blower",  "liquid",  "passive_or_liquid"};
constexpr std::array<std::string_view, 7> kStatuses = {"unknown", "current",  "ramping",  "previous",
                                                       "eol",     "regional", "announced"};
constexpr std::array<std::string_view, 4> kUsables = {"measured", "derived", "from_label", "given"};

template <class Enum, std::size_t n>
std::string_view key_of(Enum value, const std::array<std::string_view, n>& keys) {
  return keys[static_cast<std::size_t>(value) % n];
}

Rates read_rates(Row& row) {
  Rates rates;
  rates.fp32 = row.number("fp32");
  rates.tf32 = row.number("tf32");
  rates.bf16 = row.number("bf16");
  rates.fp16 = row.number("fp16");
  rates.fp8 = row.number("fp8");
  rates.fp4 = row.number("fp4");
  rates.int8 = row.number("int8");
  return rates;
}

std::optional<HardwareFormats> read_formats(Row& row) {
  if (!row.has("formats")) return std::nullopt;
  HardwareFormats formats;
  for (const std::string& name : row.texts("formats")) {
    if (name == "bf16")
      formats.bf16 = true;
    else if (name == "fp8")
      formats.fp8 = true;
    else if (name == "fp4")
      formats.fp4 = true;
    else if (name == "int8")
      formats.int8 = true;
    else
      row.blame("formats");
  }
  return formats;
}

/// The full text of a source; one that the file's table does not have is its own text.
std::string source_text(const Json* table, const std::string& key) {
  const std::optional<std::string> found = table == nullptr ? std::nullopt : text(*table, key);
  return found ? *found : key;
}

Accelerator read_accelerator(Row& row, const Json* sources) {
  Accelerator a;
  a.id = row.text("id");
  a.vendor = row.text("vendor");
  a.name = row.text("name");
  a.architecture = row.text("arch");
  a.featured = row.count("featured").value_or(0);
  if (std::optional<Row> memory = row.row("memory")) {
    a.memory_type = memory->text("type");
    a.label_gb = memory->number("label_gb");
    a.driver_mib = memory->number("driver_mib");
    a.program_gib = memory->number("program_gib");
    row.blame(*memory);
  }
  a.bandwidth_gbs = row.number("bandwidth_gbs");
  if (std::optional<Row> rates = row.row("tflops")) {
    a.tflops = read_rates(*rates);
    row.blame(*rates);
  }
  a.formats = read_formats(row);
  if (std::optional<Row> measured = row.row("measured")) {
    a.measured_bf16_tflops = measured->number("bf16_tflops");
    a.measured_bandwidth_gbs = measured->number("bandwidth_gbs");
    row.blame(*measured);
  }
  a.compute_capability = row.number("cc");
  if (std::optional<Row> link = row.row("link")) {
    a.link =
        Link{link->choice<LinkKind>("kind", kLinks), link->number("gbs"), link->count("domain"), link->flag("bridge")};
    row.blame(*link);
  }
  if (std::optional<Row> pcie = row.row("pcie")) {
    a.pcie = Pcie{pcie->count("gen").value_or(0), pcie->count("lanes").value_or(0)};
    row.blame(*pcie);
  }
  a.peer_access = row.choice<PeerAccess>("p2p", kPeers);
  a.form = row.choice<FormFactor>("form", kForms);
  a.profile = row.text("profile");
  a.tdp_w = row.number("tdp_w");
  a.cap_w = row.number("cap_w");
  a.cooling = row.choice<Cooling>("cooling", kCoolings);
  a.slots = row.number("slots");
  a.connector = row.text("connector");
  a.devices_on_card = std::max(1U, row.count("on_card").value_or(1));
  a.per_node = row.count("per_node");
  a.mig = row.count("mig");
  a.status = row.choice<Status>("status", kStatuses);
  a.year = row.count("year");
  a.notes = row.texts("notes");
  a.unverified = row.texts("unverified");
  for (const std::string& key : row.texts("source")) a.sources.push_back(source_text(sources, key));
  return a;
}

std::string folded(std::string_view text) {
  std::string out;
  for (const char c : text) out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

std::vector<std::string> words_of(std::string_view query) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : folded(query)) {
    const bool gap = c == ' ' || c == '\t' || c == ',' || c == ';';
    if (!gap) word += c;
    if (gap && !word.empty()) words.push_back(std::exchange(word, {}));
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

bool begins_a_word(std::string_view hay, std::size_t at) {
  if (at == 0) return true;
  const char before = hay[at - 1];
  const char here = hay[at];
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return before == ' ' || before == '-' || before == '(' || before == '/' || (is_digit(here) && !is_digit(before));
}

/// 0 = does not match; else higher is better. A word that begins a word of the name counts most.
int score(const Accelerator& a, const std::vector<std::string>& words) {
  const std::string name = folded(a.name), rest = folded(a.vendor + " " + a.id + " " + a.architecture);
  int total = 1;
  for (const std::string& word : words) {
    const std::size_t in_name = name.find(word);
    if (in_name != std::string::npos) {
      const bool whole = in_name + word.size() == name.size() || name[in_name + word.size()] == ' ';
      total += begins_a_word(name, in_name) ? (whole ? 8 : 6) : 3;
    } else if (rest.find(word) != std::string::npos) {
      total += 2;
    } else {
      return 0;
    }
  }
  return total;
}

}  // namespace

std::string_view form_factor_key(FormFactor form) { return key_of(form, kForms); }
std::string_view link_kind_key(LinkKind kind) { return key_of(kind, kLinks); }
std::string_view peer_access_key(PeerAccess access) { return key_of(access, kPeers); }
std::string_view cooling_key(Cooling cooling) { return key_of(cooling, kCoolings); }
std::string_view status_key(Status status) { return key_of(status, kStatuses); }
std::string_view usable_is_key(UsableIs how) { return key_of(how, kUsables); }

Bytes program_from_driver(Bytes driver) {
  const double reserve_gib = 0.42 + 0.0018 * gibibytes(driver);
  return driver - bytes_from_gib(reserve_gib);
}

Bytes Accelerator::usable() const {
  if (program_gib) return bytes_from_gib(*program_gib);
  if (driver_mib) return program_from_driver(bytes_from(*driver_mib * static_cast<double>(kMiB.value())));
  if (label_gb) return program_from_driver(bytes_from(*label_gb * static_cast<double>(kGB.value())));
  return Bytes(0);
}

UsableIs Accelerator::usable_is() const {
  if (form == FormFactor::custom) return UsableIs::given;
  if (program_gib && verified("memory.program_gib")) return UsableIs::measured;
  return program_gib || driver_mib ? UsableIs::derived : UsableIs::from_label;
}

bool Accelerator::verified(std::string_view field) const {
  return std::find(unverified.begin(), unverified.end(), field) == unverified.end();
}

std::optional<double> Accelerator::rate(std::string_view format) const {
  if (format == "fp32") return tflops.fp32;
  if (format == "tf32") return tflops.tf32;
  if (format == "bf16") return tflops.bf16;
  if (format == "fp16") return tflops.fp16;
  if (format == "fp8") return tflops.fp8;
  if (format == "fp4") return tflops.fp4;
  if (format == "int8") return tflops.int8;
  return std::nullopt;
}

Result<std::vector<Accelerator>> accelerators_from_json(std::string_view text) {
  const Result<Json> parsed = parse_json(text);
  if (!parsed) return parsed.error();
  const auto malformed = [](std::string id, std::string field) {
    return Message("accelerators.malformed").with("id", std::move(id)).with("field", std::move(field));
  };
  const Json* rows = find(parsed.value(), "accelerators");
  if (rows == nullptr || !rows->is_array()) return malformed("", "accelerators");
  const Json* sources = find(parsed.value(), "sources");

  std::vector<Accelerator> all;
  std::set<std::string, std::less<>> ids;
  for (const Json& object : *rows) {
    Row row(object);
    Accelerator accelerator = read_accelerator(row, sources);
    if (row.wrong()) return malformed(accelerator.id, *row.wrong());
    if (accelerator.id.empty() || !ids.insert(accelerator.id).second) return malformed(accelerator.id, "id");
    if (accelerator.name.empty()) accelerator.name = accelerator.id;
    all.push_back(std::move(accelerator));
  }
  return all;
}

const Accelerator* find_accelerator(std::span<const Accelerator> all, std::string_view id) {
  for (const Accelerator& a : all) {
    if (a.id == id) return &a;
  }
  return nullptr;
}

std::vector<const Accelerator*> featured_accelerators(std::span<const Accelerator> all) {
  std::vector<const Accelerator*> list;
  for (const Accelerator& a : all) {
    if (a.featured != 0) list.push_back(&a);
  }
  sort_stably(list,
                   [](const Accelerator* a, const Accelerator* b) { return a->featured < b->featured; });
  return list;
}

std::vector<const Accelerator*> search_accelerators(std::span<const Accelerator> all, std::string_view query) {
  const std::vector<std::string> words = words_of(query);
  std::vector<std::pair<int, const Accelerator*>> found;
  for (const Accelerator& a : all) {
    if (const int points = score(a, words); points != 0) found.emplace_back(points, &a);
  }
  const auto place = [](const Accelerator& a) { return a.featured == 0 ? UINT32_MAX : a.featured; };
  sort_stably(found, [&](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : place(*a.second) < place(*b.second);
  });
  std::vector<const Accelerator*> list;
  for (const auto& [points, accelerator] : found) list.push_back(accelerator);
  return list;
}

Accelerator custom_accelerator(double usable_gib) {
  Accelerator a;
  a.id = "custom";
  a.form = FormFactor::custom;
  a.program_gib = std::isfinite(usable_gib) && usable_gib > 0 ? usable_gib : 0;
  return a;
}

}  // namespace vram
