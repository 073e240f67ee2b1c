// Plans kept for comparison: what the session does with them. How they are shown is in beside.cpp.
#include <algorithm>
#include <utility>

#include "core/report/side_by_side.h"
#include "web/platform/platform.h"
#include "web/ui/session.h"

namespace ui {
namespace {

/// "2 × H100 · FP8", and "2 × H100 · FP8 (2)" where that is taken.
std::string free_name(const std::vector<vram::KeptPlan>& kept, const std::string& wanted) {
  std::string name = wanted;
  const auto is_taken = [&] {
    return std::any_of(kept.begin(), kept.end(), [&](const vram::KeptPlan& one) { return one.name == name; });
  };
  for (int number = 2; is_taken(); ++number) name = wanted + " (" + std::to_string(number) + ")";
  return name;
}

/// Whatever unit memory is shown in: that is the reader's choice.
bool asks_the_same(const vram::Scenario& a, vram::Scenario b) {
  b.units = a.units;
  return a == b;
}

}  // namespace

bool Session::keeps(const vram::Scenario& asked) const {
  return std::any_of(kept.begin(), kept.end(),
                     [&](const vram::KeptPlan& one) { return asks_the_same(one.scenario, asked); });
}

bool Session::is_current(const vram::Scenario& asked) const { return asks_the_same(scenario, asked); }

void Session::keep(std::string name, const vram::Scenario& asked) {
  if (kept.size() >= vram::kMostKept || keeps(asked)) return;
  remember({scenario, kept});
  kept.push_back({free_name(kept, vram::kept_name(name)), asked});
  kept_changed();
}

void Session::keep_current() {
  const int devices = static_cast<int>(scenario.devices);
  keep(vram::plan_name(scenario, devices, answered->inputs.accelerator.name, language()), scenario);
}

void Session::rename_kept(std::size_t index, std::string_view typed) {
  if (index >= kept.size()) return;
  std::string name = vram::kept_name(typed);
  if (name.empty() || name == kept[index].name) return;
  remember({scenario, kept});
  kept[index].name = std::move(name);
  kept_changed();
}

void Session::remove_kept(std::size_t index) {
  if (index >= kept.size()) return;
  remember({scenario, kept});
  kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(index));
  kept_changed();
}

void Session::take_kept(std::size_t index) {
  if (index >= kept.size()) return;
  vram::Scenario taken = kept[index].scenario;
  taken.units = scenario.units;
  ask(std::move(taken));
}

void Session::kept_changed() {
  plan_beside();
  publish();
  platform::wake();
}

void Session::plan_beside() {
  std::vector<vram::PlanColumn> columns;
  const auto add = [&](const vram::KeptPlan& one) {
    const auto known = std::find_if(beside.columns.begin(), beside.columns.end(), [&](const vram::PlanColumn& column) {
      return column.of.scenario == one.scenario;
    });
    auto made = known != beside.columns.end() ? vram::Result<vram::PlanColumn>(std::move(*known))
                                              : vram::plan_column(one, library);
    if (!made) {
      notice(made.error());
      return false;
    }
    columns.push_back(std::move(made).value());
    columns.back().of.name = one.name;
    return true;
  };
  if (!kept.empty() && kept.size() < vram::kMostKept && !keeps(scenario)) add({"", scenario});
  std::erase_if(kept, [&](const vram::KeptPlan& one) { return !add(one); });
  beside = vram::side_by_side(std::move(columns));
  curves.clear();
}

}  // namespace ui
