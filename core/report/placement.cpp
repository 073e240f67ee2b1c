// Where every part of a plan lives, and the plan at normal use beside the one at the busiest time.
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/plan/formula.h"
#include "core/report/sections.h"

namespace vram {
namespace {

struct Part {
  int deployment = 0;
  std::string name;
  double bytes = 0;  ///< below zero: what was taken away from the part before
};

void add_part(std::vector<Part>& parts, int deployment, std::string name, double bytes) {
  for (Part& part : parts) {
    if (part.deployment != deployment || part.name != name) continue;
    part.bytes += bytes;
    return;
  }
  parts.push_back({deployment, std::move(name), bytes});
}

/// An entry that is a sum of named bytes is shown by them: experts apart from the embedding.
bool is_sum_of_parts(const Entry& entry) {
  const Formula* formula = find_formula(entry.derivation.formula);
  return formula != nullptr && formula->expression == "sum" && entry.derivation.values.size() > 1;
}

std::vector<Part> parts_on(const Plan& plan, int device, const Language& language) {
  std::vector<Part> parts;
  for (const Entry& entry : plan.ledger) {
    if (!entry.on(device) || entry.likely == Bytes(0)) continue;
    const std::string term = language.word("term." + std::string(term_key(entry.term)));
    if (!is_sum_of_parts(entry)) {
      add_part(parts, entry.deployment, term, static_cast<double>(entry.likely.value()));
      continue;
    }
    for (const NamedValue& value : entry.derivation.values) {
      add_part(parts, entry.deployment, term + ": " + language.word("value." + std::string(value.name)), value.value);
    }
  }
  return parts;
}

std::string signed_memory(double bytes, const Language& language) {
  const std::string size = language.memory(bytes_from(std::abs(bytes)));
  return bytes < 0 ? "\xE2\x88\x92" + size : size;
}

/// "GPU 0–3 · stage 1 of 2", with the copy where there are several.
std::string where_of(const Plan& plan, DeviceGroup group, int deployment, const Language& language) {
  std::string where = device_name(group);
  if (plan.placed.empty()) return where;
  const Placed& placed = plan.placed[std::min(static_cast<std::size_t>(deployment), plan.placed.size() - 1)];
  const int stages = placed.split.pipeline_parallel, tensor = std::max(1, placed.split.tensor_parallel);
  const int behind = group.first - placed.first;
  const bool one_stage = behind >= 0 && behind / tensor == (group.last - placed.first) / tensor;
  if (stages > 1 && one_stage && !plan.training) {
    where += " \xC2\xB7 " + language.text(Message("report.stage_of")
                                              .with("stage", std::int64_t{behind / tensor % stages + 1})
                                              .with("stages", std::int64_t{stages}));
  }
  return where;
}

void add_rows(Table& table, const Inputs& inputs, const std::vector<Part>& parts, const Plan& plan,
              const DeviceGroup* group, const Language& language) {
  for (const Part& part : parts) {
    std::string name = part.name;
    if (inputs.models.size() > 1 && !plan.training) {
      name = inputs.models[static_cast<std::size_t>(part.deployment)].name + " \xC2\xB7 " + name;
    }
    const std::string where =
        group != nullptr ? where_of(plan, *group, part.deployment, language) : language.word("report.host");
    table.rows.push_back({std::move(name), where, signed_memory(part.bytes, language)});
  }
}

void say_what_is_on_the_host(Section& section, const Inputs& inputs, const Plan& plan, const Language& language) {
  if (plan.training) return;
  for (std::size_t i = 0; i < plan.placed.size(); ++i) {
    const Placed& placed = plan.placed[i];
    const auto say = [&](std::string_view key, int layers) {
      section.paragraphs.push_back(language.text(
          Message(key).with("layers", std::int64_t{layers}).with("model", inputs.models[i].name)));
    };
    const bool by_server = !is_llamacpp(placed.engine) && plan.layers_on_host > 0;
    if (by_server) say("report.layers_on_host_of_stage", plan.layers_on_host);
    if (placed.layers_on_host > 0) say("report.layers_on_host", placed.layers_on_host);
    if (!placed.host_experts.empty()) say("report.experts_on_host", static_cast<int>(placed.host_experts.size()));
    if (placed.cache_on_host) say("report.cache_on_host", 0);
  }
}

}  // namespace

Section placement_section(const Inputs& inputs, const Plan& plan, const Language& language) {
  Section section{.heading = language.word("report.placement"), .paragraphs = {}, .table = {}, .depth = true};
  say_what_is_on_the_host(section, inputs, plan, language);
  section.table.caption = section.heading;
  section.table.head = {language.word("report.term"), language.word("report.where"), language.word("report.memory")};
  for (const DeviceGroup group : alike_devices(plan)) {
    add_rows(section.table, inputs, parts_on(plan, group.first, language), plan, &group, language);
  }
  add_rows(section.table, inputs, parts_on(plan, kHost, language), plan, nullptr, language);
  return section;
}

std::optional<NormalAndPeak> normal_and_peak(const Inputs& inputs) {
  if (trains(inputs.scenario)) return std::nullopt;
  Inputs normal = inputs;
  bool has_peak = false;
  for (Deployment& deployment : normal.scenario.deployments) {
    has_peak = has_peak || deployment.peak_users > deployment.users;
    deployment.peak_users = 0;
  }
  if (!has_peak) return std::nullopt;
  return NormalAndPeak{make_plan(normal), make_plan(inputs)};
}

Section normal_and_peak_section(const Inputs& inputs, const NormalAndPeak& plans, const Language& language) {
  Section section{.heading = language.word("report.normal_and_peak"), .paragraphs = {}, .table = {}};
  Table& table = section.table;
  table.caption = section.heading;
  table.head = {language.word("report.figure"), language.word("report.normal"), language.word("report.peak")};
  const auto row = [&](std::string name, std::string normal, std::string peak) {
    table.rows.push_back({std::move(name), std::move(normal), std::move(peak)});
  };
  std::int64_t users = 0, peak_users = 0;
  for (const Deployment& deployment : inputs.scenario.deployments) {
    users += deployment.users;
    peak_users += std::max(deployment.users, deployment.peak_users);
  }
  row(language.word("field.users"), language.number(users), language.number(peak_users));
  for (const Category category : used_categories(plans.peak.ledger)) {
    const auto of = [&](const Plan& plan) {
      return language.memory(total(plan.ledger, plan.fullest, category).likely);
    };
    row(language.word("category." + std::string(category_key(category))), of(plans.normal), of(plans.peak));
  }
  const auto total_of = [&](const Plan& plan) { return language.memory(plan.of(plan.fullest).likely); };
  row(language.word("report.total"), total_of(plans.normal), total_of(plans.peak));
  const auto free_of = [&](const Plan& plan) {
    const bool fits = plan.shortage() == Bytes(0);
    return fits ? language.memory(plan.headroom()) : "\xE2\x88\x92" + language.memory(plan.shortage());
  };
  row(language.word("report.free"), free_of(plans.normal), free_of(plans.peak));
  const auto verdict_of = [&](const Plan& plan) {
    return language.word("verdict_short." + std::string(verdict_key(plan.verdict)));
  };
  row(language.word("report.answer"), verdict_of(plans.normal), verdict_of(plans.peak));
  return section;
}

}  // namespace vram
