// Reading and writing the fields of a scenario by the table in fields.cpp, with every limit checked.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "core/scenario/scenario.h"

namespace vram {
namespace {

constexpr std::size_t kMaxText = 200;            // of a name
constexpr std::size_t kMaxConfigText = 64 * 1024;

Deployment& deployment_at(Scenario& scenario, std::size_t index) {
  if (scenario.deployments.empty()) scenario.deployments.emplace_back();
  return scenario.deployments[std::min(index, scenario.deployments.size() - 1)];
}

Message problem(std::string_view key, const Field& field) {
  return Message(key).with("field", MessageKey{"field." + std::string(field.key)});
}

std::optional<Message> check_number(const Field& field, double value) {
  if (!std::isfinite(value)) return problem("field.not_a_number", field);
  if (value >= field.least && value <= field.most) return std::nullopt;
  const auto bound = [&](double limit) -> Parameter {
    return field.kind == FieldKind::integer ? Parameter(static_cast<std::int64_t>(limit)) : Parameter(limit);
  };
  const Parameter given = field.kind == FieldKind::integer && std::abs(value) < 9.0e15
                              ? Parameter(static_cast<std::int64_t>(value))
                              : Parameter(value);
  return problem("field.out_of_range", field)
      .with("value", given).with("least", bound(field.least)).with("most", bound(field.most));
}

std::optional<Message> check_text(const Field& field, const std::string& text) {
  if (field.kind == FieldKind::choice &&
      std::find(field.choices.begin(), field.choices.end(), text) == field.choices.end()) {
    return problem("field.unknown_choice", field).with("value", text.substr(0, kMaxText));
  }
  const std::size_t most = field.kind == FieldKind::config ? kMaxConfigText : kMaxText;
  if (text.size() > most) return problem("field.too_long", field).with("most", static_cast<std::int64_t>(most));
  return std::nullopt;
}

/// Digits as people write them: "32 768", "1 234,5", "1_000". Grouping spaces go, a comma is a decimal point.
std::string plain_number(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ' ' || c == '\t' || c == '_') continue;
    if (text.substr(i).starts_with("\xC2\xA0")) { ++i; continue; }        // no-break space
    if (text.substr(i).starts_with("\xE2\x80\xAF")) { i += 2; continue; }  // narrow no-break space
    plain += c == ',' ? '.' : c;
  }
  return plain;
}

}  // namespace

const Field* find_field(std::string_view key) {
  for (const Field& field : fields()) {
    if (field.key == key) return &field;
  }
  return nullptr;
}

Value get(const Scenario& scenario, const Field& field, std::size_t deployment) {
  static const Deployment none;
  const Deployment& chosen = scenario.deployments.empty()
                                 ? none
                                 : scenario.deployments[std::min(deployment, scenario.deployments.size() - 1)];
  if (const auto* member = std::get_if<0>(&field.binding)) return scenario.*(*member);
  if (const auto* member = std::get_if<1>(&field.binding)) return scenario.*(*member);
  if (const auto* member = std::get_if<2>(&field.binding)) return scenario.*(*member);
  if (const auto* member = std::get_if<3>(&field.binding)) return chosen.*(*member);
  if (const auto* member = std::get_if<4>(&field.binding)) return chosen.*(*member);
  return chosen.*(*std::get_if<5>(&field.binding));
}

std::optional<Message> set(Scenario& scenario, const Field& field, const Value& value, std::size_t deployment) {
  if (field.kind == FieldKind::integer) {
    double number = 0;
    if (const auto* whole = std::get_if<std::int64_t>(&value)) number = static_cast<double>(*whole);
    else if (const auto* real = std::get_if<double>(&value)) number = *real;
    else return problem("field.not_a_number", field);
    if (auto wrong = check_number(field, number)) return wrong;
    if (std::floor(number) != number) return problem("field.not_whole", field);
    const auto whole = static_cast<std::int64_t>(number);
    if (const auto* member = std::get_if<0>(&field.binding)) scenario.*(*member) = whole;
    else deployment_at(scenario, deployment).*(*std::get_if<3>(&field.binding)) = whole;
    return std::nullopt;
  }
  if (field.kind == FieldKind::real) {
    double number = 0;
    if (const auto* whole = std::get_if<std::int64_t>(&value)) number = static_cast<double>(*whole);
    else if (const auto* real = std::get_if<double>(&value)) number = *real;
    else return problem("field.not_a_number", field);
    if (auto wrong = check_number(field, number)) return wrong;
    if (const auto* member = std::get_if<1>(&field.binding)) scenario.*(*member) = number;
    else deployment_at(scenario, deployment).*(*std::get_if<4>(&field.binding)) = number;
    return std::nullopt;
  }
  const auto* words = std::get_if<std::string>(&value);
  if (words == nullptr) return problem("field.not_text", field);
  if (auto wrong = check_text(field, *words)) return wrong;
  if (const auto* member = std::get_if<2>(&field.binding)) scenario.*(*member) = *words;
  else deployment_at(scenario, deployment).*(*std::get_if<5>(&field.binding)) = *words;
  return std::nullopt;
}

std::optional<Message> set_text(Scenario& scenario, const Field& field, std::string_view text,
                                std::size_t deployment) {
  if (field.kind != FieldKind::integer && field.kind != FieldKind::real) {
    return set(scenario, field, std::string(text), deployment);
  }
  const std::string plain = plain_number(text);
  char* end = nullptr;
  const double number = std::strtod(plain.c_str(), &end);
  const bool decimal = plain.find_first_not_of("+-.0123456789eE") == std::string::npos;  // no "inf", "nan", "0x10"
  if (plain.empty() || !decimal || end != plain.c_str() + plain.size()) return problem("field.not_a_number", field);
  return set(scenario, field, number, deployment);
}

}  // namespace vram
