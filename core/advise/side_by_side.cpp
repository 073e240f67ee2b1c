#include "core/advise/side_by_side.h"

#include <algorithm>
#include <utility>

#include "core/advise/performance.h"
#include "core/advise/workload.h"

namespace vram {
namespace {

std::optional<Value> value_in(const PlanColumn& column, const Field& field, std::size_t deployment) {
  const Scenario& scenario = column.of.scenario;
  const bool there = field.scope() == Scope::scenario || deployment < scenario.deployments.size();
  if (!there || !field.shown(scenario)) return std::nullopt;
  return get(scenario, field, deployment);
}

/// What a model is, beside its name: a file is no value that a person reads. Nothing = there is no such deployment.
std::optional<std::string> file_of(const PlanColumn& column, std::size_t deployment) {
  const auto& deployments = column.of.scenario.deployments;
  return deployment < deployments.size() ? std::optional<std::string>(deployments[deployment].config) : std::nullopt;
}

void add_difference(std::vector<Difference>& into, std::span<const PlanColumn> columns, const Field& field,
                    std::size_t deployment) {
  static const Scenario defaults;
  Difference found{&field, deployment, {}};
  bool differs = false;
  const Value usual = get(defaults, field);
  for (const PlanColumn& column : columns) {
    found.values.push_back(value_in(column, field, deployment));
    differs = differs || found.values.back().value_or(usual) != found.values.front().value_or(usual);
    if (field.kind == FieldKind::model) {
      differs = differs || file_of(column, deployment) != file_of(columns.front(), deployment);
    }
  }
  if (differs) into.push_back(std::move(found));
}

}  // namespace

Result<PlanColumn> plan_column(const KeptPlan& kept, const Library& library) {
  Result<Inputs> inputs = resolve(kept.scenario, library);
  if (!inputs) return inputs.error();
  PlanColumn column;
  column.of = kept;
  column.inputs = std::move(inputs).value();
  column.inputs.scenario = with_concurrency(column.inputs, library.platforms.interconnect);
  column.plan = make_plan(column.inputs);
  column.deployment = first_that_generates(column.inputs);
  column.limits = find_limits(column.inputs, column.deployment);
  column.time = job_time(column.inputs, column.plan);
  auto speed = performance(column.inputs, column.plan, library.platforms.interconnect, column.deployment);
  if (speed) column.speed = std::move(speed).value();
  auto facility = plan_facility(column.inputs, library.platforms);
  if (facility) column.facility = std::move(facility).value();
  return column;
}

SideBySide side_by_side(std::vector<PlanColumn> columns) {
  SideBySide beside{std::move(columns), {}};
  std::size_t deployments = 0;
  for (const PlanColumn& column : beside.columns) {
    deployments = std::max(deployments, column.of.scenario.deployments.size());
  }
  const auto add_all = [&](Scope scope, std::size_t deployment) {
    for (const Field& field : fields()) {
      if (field.scope() != scope || field.kind == FieldKind::config || field.group == Group::show) continue;
      add_difference(beside.differences, beside.columns, field, deployment);
    }
  };
  for (std::size_t i = 0; i < deployments; ++i) add_all(Scope::deployment, i);
  add_all(Scope::scenario, 0);
  return beside;
}

Result<SideBySide> side_by_side(std::span<const KeptPlan> plans, const Library& library) {
  std::vector<PlanColumn> columns;
  for (const KeptPlan& one : plans) {
    Result<PlanColumn> column = plan_column(one, library);
    if (!column) return column.error();
    columns.push_back(std::move(column).value());
  }
  return side_by_side(std::move(columns));
}

}  // namespace vram
