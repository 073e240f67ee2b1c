#include "core/report/comparison.h"

#include <string>

#include "core/report/json_parts.h"

namespace vram {
namespace {

constexpr std::string_view kDot = " \xC2\xB7 ", kDash = "\xE2\x80\x94", kPlus = "+";

std::string device_name(int device, const Language& language) {
  if (device == kHost) return language.word("report.host");
  if (device == kLogAllDevices) return language.word("comparison.all_devices");
  if (device == kLogOtherNode) return language.word("comparison.other_node");
  return "GPU " + std::to_string(device);
}

Json device_json(int device) {
  if (device == kHost) return "host";
  if (device == kLogAllDevices) return "all";
  if (device == kLogOtherNode) return "other_node";
  return device;
}

/// "vLLM 0.19.0 · Qwen/Qwen3-8B"
std::string source_of(const EngineLog& log) {
  std::string line(log_program_name(log.program));
  if (!log.version.empty()) line += " " + log.version;
  if (!log.model.empty()) line += std::string(kDot) + log.model;
  return line;
}

std::string difference_of(const ComparedTerm& term, const Language& language) {
  // What a pool has over what is needed is no error of the calculation.
  if (!term.measured || *term.measured == Bytes(0) || term.term == Compared::pool) return std::string(kDash);
  return (term.difference > 0 ? std::string(kPlus) : "") + language.percent(term.difference);
}

std::string_view finding_of(const ComparedTerm& term) {
  if (!term.measured) return "comparison.not_measured";
  if (term.term == Compared::pool) return term.inside ? "comparison.enough" : "comparison.too_small";
  return term.inside ? "comparison.inside" : "comparison.outside";
}

Section terms_section(const Comparison& comparison, const EngineLog& log, const Language& language) {
  Section section{.heading = language.word("comparison.heading"), .paragraphs = {source_of(log)}, .table = {}};
  if (log.starts > 1) {
    section.paragraphs.push_back(language.text(Message("comparison.starts")
                                                   .with("starts", std::int64_t{log.starts})
                                                   .with("line", static_cast<std::int64_t>(log.first_line))));
  }
  Table& table = section.table;
  table.caption = section.heading;
  table.head = {language.word("report.term"),           language.word("report.device"),
                language.word("comparison.calculated"), language.word("comparison.measured"),
                language.word("comparison.difference"), language.word("comparison.finding")};
  for (const ComparedTerm& term : comparison.terms) {
    table.rows.push_back({language.word("compared." + std::string(compared_key(term.term))),
                          device_name(term.device, language), language.memory_range(term.calculated),
                          term.measured ? language.memory(*term.measured) : std::string(kDash),
                          difference_of(term, language), language.word(finding_of(term))});
  }
  return section;
}

std::string value_of(const Measured& one, const Language& language) {
  const std::string sign = one.negative ? "\xE2\x88\x92" : "";
  switch (quantity_unit(one.quantity)) {
    case QuantityUnit::bytes:
      return sign + language.memory(Bytes(one.value));
    case QuantityUnit::count:
      return sign + language.number(static_cast<std::int64_t>(one.value));
    case QuantityUnit::hundredths:
      break;
  }
  return sign + language.number(static_cast<double>(one.value) / 100, 2);
}

}  // namespace

std::vector<Section> comparison_sections(const Comparison& comparison, const EngineLog& log, const Language& language) {
  std::vector<Section> sections{terms_section(comparison, log, language)};
  if (!comparison.calibration.empty()) {
    Section section{.heading = language.word("comparison.calibration"),
                    .paragraphs = {language.word("comparison.calibration_hint")},
                    .table = {}};
    section.table.caption = section.heading;
    section.table.head = {language.word("report.term"), language.word("report.memory")};
    for (const CalibratedTerm& one : comparison.calibration) {
      section.table.rows.push_back(
          {language.word("term." + std::string(term_key(one.term))), language.memory(one.bytes)});
    }
    sections.push_back(std::move(section));
  }
  if (!comparison.notes.empty()) {
    Section notes{.heading = language.word("report.notes"), .paragraphs = {}, .table = {}};
    for (const Message& note : comparison.notes) notes.paragraphs.push_back(language.text(note));
    sections.push_back(std::move(notes));
  }
  return sections;
}

Section engine_log_section(const EngineLog& log, const Language& language) {
  Section section{.heading = source_of(log), .paragraphs = {}, .table = {}};
  if (!log.architecture.empty()) section.paragraphs.push_back(log.architecture);
  for (const LogDevice& device : log.devices) {
    section.paragraphs.push_back("GPU " + std::to_string(device.index) + ": " + device.name);
  }
  std::string flags;
  for (const LogFlag& flag : log.flags) flags += (flags.empty() ? "" : ", ") + flag.name + "=" + flag.value;
  if (!flags.empty()) section.paragraphs.push_back(std::move(flags));
  section.table.caption = section.heading;
  section.table.head = {language.word("report.term"), language.word("report.device"),
                        language.word("comparison.measured"), language.word("comparison.line")};
  for (const Measured& one : log.measured) {
    section.table.rows.push_back({language.word("quantity." + std::string(quantity_key(one.quantity))),
                                  one.buffer.empty() ? device_name(one.device, language) : one.buffer,
                                  value_of(one, language), language.number(static_cast<std::int64_t>(one.line))});
  }
  return section;
}

Json engine_log_json(const EngineLog& log) {
  Json json = {{"program", log_program_key(log.program)},
               {"version", log.version},
               {"model", log.model},
               {"architecture", log.architecture},
               {"complete", log.complete},
               {"starts", log.starts},
               {"first_line", log.first_line}};
  json["flags"] = Json::object();
  for (const LogFlag& flag : log.flags) json["flags"][flag.name] = flag.value;
  json["devices"] = Json::array();
  for (const LogDevice& device : log.devices)
    json["devices"].push_back({{"index", device.index}, {"name", device.name}});
  json["measured"] = Json::array();
  for (const Measured& one : log.measured) {
    constexpr std::string_view kUnits[] = {"bytes", "count", "hundredths"};
    json["measured"].push_back({{"quantity", quantity_key(one.quantity)},
                                {"device", device_json(one.device)},
                                {"buffer", one.buffer},
                                {"part", one.part},
                                {"unit", kUnits[static_cast<std::size_t>(quantity_unit(one.quantity))]},
                                {"value", one.value},
                                {"rounding", one.rounding},
                                {"negative", one.negative},
                                {"line", one.line},
                                {"text", one.text}});
  }
  return json;
}

Json comparison_json(const Comparison& comparison, const EngineLog& log) {
  Json json = {{"units", "bytes"}, {"log", engine_log_json(log)}};
  json["terms"] = Json::array();
  for (const ComparedTerm& term : comparison.terms) {
    json["terms"].push_back({{"term", compared_key(term.term)},
                             {"device", device_json(term.device)},
                             {"calculated", band_json(term.calculated)},
                             {"measured", term.measured ? Json(term.measured->value()) : Json(nullptr)},
                             {"rounding", term.rounding.value()},
                             {"difference", term.difference},
                             {"inside", term.measured ? Json(term.inside) : Json(nullptr)},
                             {"line", term.line}});
  }
  json["calibration"] = Json::array();
  for (const CalibratedTerm& one : comparison.calibration) {
    json["calibration"].push_back({{"term", term_key(one.term)}, {"bytes", one.bytes.value()}});
  }
  json["notes"] = Json::array();
  for (const Message& note : comparison.notes) json["notes"].push_back(message_json(note));
  return json;
}

}  // namespace vram
