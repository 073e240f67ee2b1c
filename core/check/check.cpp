#include "core/check/check.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

namespace vram::check {
namespace {

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// The nearest-rank percentile: the smallest value that at least 90 % do not exceed.
double p90_of(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const auto rank = static_cast<std::size_t>(std::ceil(0.9 * static_cast<double>(values.size())));
  return values[std::min(values.size(), std::max<std::size_t>(1, rank)) - 1];
}

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.resize(width, ' ');
  return text;
}

/// Right-aligned; `width` counts neither sign of per cent nor unit.
std::string figure(double value, int width, int decimals) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%*.*f", width, decimals, value);
  return buffer;
}

std::string significant(double value) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%14.6g", value);
  return buffer;
}

}  // namespace

double Case::error() const {
  if (reported == 0) return predicted == 0 ? 0 : 1;
  return (predicted - reported) / std::abs(reported);
}

double Case::band_width() const { return predicted == 0 ? 0 : (high - low) / std::abs(predicted); }

Summary summary_of(const std::vector<const Case*>& cases) {
  Summary summary;
  summary.n = cases.size();
  std::vector<double> errors, widths;
  std::size_t held = 0;
  for (const Case* one : cases) {
    errors.push_back(std::abs(one->error()));
    widths.push_back(one->band_width());
    if (one->in_band()) ++held;
  }
  summary.median = median_of(errors);
  summary.p90 = p90_of(errors);
  summary.worst = errors.empty() ? 0 : *std::max_element(errors.begin(), errors.end());
  summary.in_band = cases.empty() ? 0 : static_cast<double>(held) / static_cast<double>(cases.size());
  summary.band_width = median_of(widths);
  return summary;
}

std::vector<Summary> summarise(const std::vector<Case>& cases) {
  struct Group {
    std::string quantity, family, mode, complete;
    std::vector<const Case*> members;
  };
  std::vector<Group> groups;
  std::map<std::string, std::size_t> index;
  for (const Case& one : cases) {
    for (const std::string& family : {std::string("all"), one.family}) {
      for (const std::string& complete : {std::string("all"), std::string(one.complete ? "true" : "false")}) {
        const std::string key = one.quantity + '\n' + one.mode + '\n' + family + '\n' + complete;
        const auto [found, added] = index.emplace(key, groups.size());
        if (added) groups.push_back({one.quantity, family, one.mode, complete, {}});
        groups[found->second].members.push_back(&one);
      }
    }
  }
  std::vector<Summary> summaries;
  for (const Group& group : groups) {
    Summary summary = summary_of(group.members);
    summary.quantity = group.quantity;
    summary.family = group.family;
    summary.mode = group.mode;
    summary.complete = group.complete;
    summaries.push_back(std::move(summary));
  }
  return summaries;
}

Json outcome_json(const Outcome& outcome) {
  Json json = {{"cases", Json::array()}, {"summary", Json::array()}, {"skipped", Json::array()}};
  for (const Case& one : outcome.cases) {
    json["cases"].push_back({{"id", one.id},
                             {"quantity", one.quantity},
                             {"family", one.family},
                             {"mode", one.mode},
                             {"complete", one.complete},
                             {"reported", one.reported},
                             {"predicted", one.predicted},
                             {"error", one.error()},
                             {"low", one.low},
                             {"high", one.high}});
    if (!one.part.empty()) json["cases"].back()["part"] = one.part;
  }
  for (const Summary& one : summarise(outcome.cases)) {
    const Json complete = one.complete == "all" ? Json("all") : Json(one.complete == "true");
    json["summary"].push_back({{"quantity", one.quantity},
                               {"family", one.family},
                               {"mode", one.mode},
                               {"complete", complete},
                               {"n", one.n},
                               {"median", one.median},
                               {"p90", one.p90},
                               {"worst", one.worst},
                               {"in_band", one.in_band},
                               {"band_width", one.band_width}});
  }
  for (const Skipped& one : outcome.skipped) json["skipped"].push_back({{"id", one.id}, {"reason", one.reason}});
  return json;
}

std::string outcome_text(const Outcome& outcome) {
  std::string text;
  for (const Case& one : outcome.cases) {
    const std::string what = one.part.empty() ? one.quantity : one.quantity + " " + one.part;
    text += padded(one.id, 36) + padded(what, 20) + padded(one.mode, 12) + significant(one.reported) +
            significant(one.predicted) + figure(100 * one.error(), 9, 2) + " %\n";
  }
  text += "\n" + padded("quantity", 14) + padded("family", 24) + padded("mode", 12) + padded("complete", 10) +
          "     n   median      p90    worst  in band    width\n";
  for (const Summary& one : summarise(outcome.cases)) {
    text += padded(one.quantity, 14) + padded(one.family, 24) + padded(one.mode, 12) + padded(one.complete, 10) +
            figure(static_cast<double>(one.n), 6, 0) + figure(100 * one.median, 7, 2) + " %" +
            figure(100 * one.p90, 7, 2) + " %" + figure(100 * one.worst, 7, 1) + " %" +
            figure(100 * one.in_band, 7, 1) + " %" + figure(100 * one.band_width, 7, 1) + " %\n";
  }
  if (!outcome.skipped.empty()) text += "\nskipped\n";
  for (const Skipped& one : outcome.skipped) text += padded(one.id, 36) + " " + one.reason + "\n";
  return text;
}

}  // namespace vram::check
