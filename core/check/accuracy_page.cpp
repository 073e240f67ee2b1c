#include "core/check/accuracy_page.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "core/check/goals.h"

namespace vram::check {
namespace {

constexpr std::string_view kIntro = R"(# Accuracy

How far the calculator's figures are from what engines, frameworks and benchmarks reported in public. Generated; do not
edit.

Each row of `tests/accuracy` is one public log, plan or run with its source. Every figure that it reports is predicted
from model, hardware and settings alone; a setting that was not told takes the program's default for its version and
widens the band. Rows and their errors are never an input of the rules.

How to read it:

* **error** = predicted / reported − 1; tables hold its absolute value: the median, the 90th percentile (nine of ten
  cases are not farther off) and the worst case.
* **in band** = share of cases whose reported figure lies between our low and high; **width** = (high − low) / likely,
  in the median. "How sure" on the page is this band.
* *complete* = the row tells all that the figure depends on. Goals are about complete cases, at least n of them; what the
  other rows add is in the line "every row". Families without a complete case are in brackets.
* mode *flags* = from model, hardware and flags; mode *given pool* = the logged size of the KV pool was given too, so
  that only the rules from pool to tokens are on trial.
* A worst case stands with what its row does not tell although the figure depends on it. "Nothing" leaves our rules, or
  the measurement, to blame.

To reproduce it: `vram check tests/accuracy/*/rows.jsonl` prints every case; `--json` is for programs. The same command
reads other rows in the same formats: `vram check FILE`.
)";

struct Heading {
  Section section;
  std::string_view title, words;
};
constexpr Heading kHeadings[] = {
    {Section::weights, "Weights", "What a server says that loading the model took, on its first device."},
    {Section::kv, "KV",
     "Bytes of the cache for a token, tokens in a pool, the longest requests it holds at once, recurrent states."},
    {Section::activations, "Activations", "The peak of vLLM's profiling run beside the weights."},
    {Section::runtime, "Runtime",
     "What lies outside the allocator, what CUDA graphs take, and the pool that is left for the cache."},
    {Section::llamacpp, "llama.cpp",
     "The loader's own plans (`llama.cpp plan`), where every setting is known, and start-up logs of llama.cpp, "
     "ik_llama.cpp, Ollama and LM Studio."},
    {Section::training, "Training",
     "States after a step, the allocator's peak, what it reserved, what nvidia-smi shows, and whether a run ran out "
     "(error 0 or 100 %). Family: framework and method."},
    {Section::speed, "Speed",
     "Output tokens a second of the whole server, time per token and to the first token. Cards without a link between "
     "them (`pcie_only`), `consumer` cards, `metax`, `amd` and `ascend` are apart from `dense` models and models with "
     "experts (`moe`) on the others."},
};

struct Reason {
  std::string_view key, words;
};
constexpr Reason kReasons[] = {
    {"no_model", "no model with known dimensions is named"},
    {"no_hardware", "the card is not named, so what depends on it is not predicted"},
    {"no_arch", "an architecture of llama.cpp without rules"},
    {"no_format", "a file type of llama.cpp without rules"},
    {"no_engine", "an engine without rules"},
    {"no_method", "a training method without rules"},
    {"nothing_reported", "no figure that we predict is reported"},
    {"a_kernel", "a benchmark of one kernel, not a job"},
    {"duplicate", "the same run is told by another row"},
    {"suspect", "the row's own source contradicts it"},
    {"refused", "llama.cpp refuses the setting, and so do we"},
    {"refused_by_llamacpp_only", "llama.cpp refuses the setting, and we do not"},
    {"incomplete_row", "fields without which nothing can be said are missing"},
    {"unknown_kind", "none of the known kinds of rows"},
};

std::string fixed(double value, int decimals) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.*f", decimals, value);
  return buffer;
}

/// Two digits that count: "0", "0.03 %", "1.3 %", "23 %".
std::string percent(double share) {
  const double value = 100 * std::abs(share);
  if (value == 0) return "0";
  if (value < 0.005) return "< 0.01 %";
  return fixed(value, value < 0.995 ? 2 : value < 9.95 ? 1 : 0) + " %";
}

/// Only all of them are 100 %.
std::string share(double value) { return (value < 1 ? fixed(std::min(99.9, 100 * value), 1) : "100") + " %"; }

std::string cell(std::string_view text) {
  std::string result;
  for (const char c : text) result += c == '|' ? std::string("\\|") : std::string(1, c);
  return result;
}

std::string mode_words(std::string_view mode) { return mode == "given_pool" ? "given pool" : std::string(mode); }

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string result;
  for (const std::string& word : words) result += (result.empty() ? "" : std::string(between)) + word;
  return result;
}

/// "n ≥ 60; median ≤ 0.10 %"; and the same figures as they were reached.
std::pair<std::string, std::string> asked_and_reached(const Goal& goal, const Reached& result) {
  std::vector<std::string> asked, got;
  const Summary& s = result.summary;
  if (goal.n > 1) asked.push_back("n ≥ " + std::to_string(goal.n));
  const auto at_most = [&](std::string_view name, const std::optional<double>& most, double value) {
    if (!most) return;
    asked.push_back(std::string(name) + " ≤ " + percent(*most));
    got.push_back(std::string(name) + " " + percent(value));
  };
  at_most("median", goal.median, s.median);
  at_most("p90", goal.p90, s.p90);
  if (goal.within) {
    const std::string error = goal.within->error == 0 ? "exact" : "≤ " + percent(goal.within->error);
    asked.push_back(error + " on " + (goal.within->share < 1 ? "≥ " + share(goal.within->share) : "all"));
    got.push_back(error + " on " + share(result.within));
  }
  if (goal.in_band) {
    asked.push_back("in band ≥ " + share(*goal.in_band));
    got.push_back("in band " + share(s.in_band));
  }
  at_most("width", goal.band_width, s.band_width);
  return {joined(asked, "; "), s.n == 0 ? "no such row" : joined(got, "; ")};
}

std::string goals_table(Section section, const Outcome& outcome) {
  std::string rows;
  for (const Goal& goal : goals()) {
    if (goal.section != section) continue;
    const Reached result = reached(goal, outcome);
    const auto [asked, got] = asked_and_reached(goal, result);
    rows += "| " + std::string(goal.words) + " | " + asked + " | " + std::to_string(result.summary.n) + " | " + got +
            " | " + (result.met ? "✓" : "not yet") + " |\n";
  }
  return rows.empty() ? rows : "\n| goal | asked | n | reached | |\n|---|---|--:|---|---|\n" + rows;
}

using Cases = std::vector<const Case*>;

/// Figures that are not mixed: quantity and mode, the loader's plans apart from logs.
struct Group {
  std::string quantity, mode, kind;
  Cases cases;
};
std::vector<Group> groups_of(Section section, const Outcome& outcome) {
  std::vector<Group> groups;
  std::map<std::string, std::size_t> index;
  for (const Case& one : outcome.cases) {
    if (section_of(one) != section) continue;
    const auto [found, added] = index.emplace(one.kind + '\n' + one.quantity + '\n' + one.mode, groups.size());
    if (added) groups.push_back({one.quantity, one.mode, one.kind, {}});
    groups[found->second].cases.push_back(&one);
  }
  std::stable_sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) { return a.kind > b.kind; });
  return groups;
}

Cases complete_of(const Cases& cases) {
  Cases result;
  std::copy_if(cases.begin(), cases.end(), std::back_inserter(result), [](const Case* one) { return one->complete; });
  return result;
}

std::string line(const Group& group, std::string_view name, const Cases& cases) {
  const Summary s = summary_of(cases);
  return "| " + group.quantity + " | " + mode_words(group.mode) + " | " + std::string(name) + " | " +
         std::to_string(s.n) + " | " + percent(s.median) + " | " + percent(s.p90) + " | " + percent(s.worst) + " | " +
         share(s.in_band) + " | " + percent(s.band_width) + " |\n";
}

std::string families_table(const std::vector<Group>& groups) {
  std::string text =
      "\n| figure | mode | family | n | median | p90 | worst | in band | width |\n"
      "|---|---|---|--:|--:|--:|--:|--:|--:|\n";
  for (const Group& group : groups) {
    const Cases complete = complete_of(group.cases);
    if (!complete.empty()) text += line(group, "**all**", complete);
    if (complete.size() != group.cases.size()) text += line(group, "every row", group.cases);
    std::map<std::string, Cases> families;
    for (const Case* one : group.cases) {
      families[one->family].push_back(one);
      if (one->kind == "throughput" && !one->engine.empty()) families[one->family + ", " + one->engine].push_back(one);
    }
    for (const auto& [family, all] : families) {
      const Cases told = complete_of(all);
      text += line(group, cell(told.empty() ? "(" + family + ")" : family), told.empty() ? all : told);
    }
  }
  return text;
}

constexpr std::size_t kWorstShown = 3;
constexpr double kWorthNaming = 0.01;

/// Of each figure the complete cases that are farthest off.
std::string worst_table(const std::vector<Group>& groups) {
  std::string rows;
  for (const Group& group : groups) {
    Cases cases = complete_of(group.cases);
    std::stable_sort(cases.begin(), cases.end(),
                     [](const Case* a, const Case* b) { return std::abs(a->error()) > std::abs(b->error()); });
    if (cases.size() > kWorstShown) cases.resize(kWorstShown);
    for (const Case* one : cases) {
      if (std::abs(one->error()) < kWorthNaming) continue;
      const std::string what = one->part.empty() ? one->quantity : one->quantity + " " + one->part;
      rows += "| `" + cell(one->id) + "` | " + cell(what) + " | " + mode_words(one->mode) + " | " +
              (one->error() < 0 ? "−" : "+") + percent(one->error()) + " | " + (one->in_band() ? "yes" : "no") + " | " +
              (one->untold.empty() ? "nothing" : joined(one->untold, ", ")) + " |\n";
    }
  }
  return rows.empty() ? rows
                      : "\nWorst complete cases of each figure:\n\n| row | figure | mode | error | in band | not told "
                        "|\n|---|---|---|--:|---|---|\n" +
                            rows;
}

std::string reason_words(std::string_view key) {
  const auto known =
      std::find_if(std::begin(kReasons), std::end(kReasons), [&](const Reason& one) { return one.key == key; });
  return std::string(known == std::end(kReasons) ? key : known->words);
}

std::string skipped_table(const Outcome& outcome) {
  std::map<std::pair<std::string, std::string>, std::size_t> counts;
  for (const Skipped& one : outcome.skipped) ++counts[{one.kind.empty() ? "–" : one.kind, one.reason}];
  std::string text =
      "\n## Skipped\n\nRows, or figures of rows, that are not predicted.\n\n| rows | n | reason |\n|---|--:|---|\n";
  for (const auto& [key, n] : counts) {
    text += "| " + key.first + " | " + std::to_string(n) + " | " + reason_words(key.second) + " |\n";
  }
  return text;
}

/// Two digits that count, as the page of accuracy has them.
std::string fraction(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.2g", std::abs(value));
  return buffer;
}

}  // namespace

std::string accuracy_figures(const Outcome& outcome) {
  std::string lines;
  for (const Heading& heading : kHeadings) {
    for (const Group& group : groups_of(heading.section, outcome)) {
      const Cases cases = complete_of(group.cases);
      if (cases.empty() || group.mode != "flags" || group.kind == "llamacpp_oracle") continue;
      std::string key;  // the heading's anchor
      for (const char c : heading.title) {
        if (c != '.') key += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
      }
      const Summary s = summary_of(cases);
      lines += (lines.empty() ? "" : ",\n") + std::string("  \"") + key + "." + group.quantity + "\": [" +
               std::to_string(s.n) + ", " + fraction(s.median) + ", " + fraction(s.p90) + "]";
    }
  }
  return "{\n" + lines + "\n}\n";
}

std::string accuracy_markdown(const Outcome& outcome) {
  std::string text(kIntro);
  for (const Heading& heading : kHeadings) {
    const std::vector<Group> groups = groups_of(heading.section, outcome);
    if (groups.empty()) continue;
    text += "\n## " + std::string(heading.title) + "\n\n" + std::string(heading.words) + "\n";
    text += goals_table(heading.section, outcome) + families_table(groups) + worst_table(groups);
  }
  return outcome.skipped.empty() ? text : text + skipped_table(outcome);
}

}  // namespace vram::check
