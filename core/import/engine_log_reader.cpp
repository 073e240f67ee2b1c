#include "core/import/engine_log_reader.h"

#include <algorithm>

namespace vram {
namespace {

// The largest start seen has 72 ranks with a dozen values each.
constexpr std::size_t kMostMeasured = 4096, kMostFlags = 64, kMostDevices = 1024, kMostWord = 200;
constexpr int kMostRank = 100000;

/// The number after a two-letter axis, where the letters stand at the beginning of a word.
int axis(std::string_view words, std::string_view letters) {
  for (std::size_t at = words.find(letters); at != std::string_view::npos; at = words.find(letters, at + 1)) {
    const char before = at == 0 ? ' ' : words[at - 1];
    const int number = small_number(words.substr(at + letters.size()));
    if (number >= 0 && number <= kMostRank && (before == ' ' || before == '_' || before == '(')) return number;
  }
  return -1;
}

/// Ranks in the order that every one of these programs numbers its devices: data, pipeline, tensor.
void place_ranks(EngineLog& log, const std::vector<LogRank>& ranks) {
  long tensor = std::max(1, small_number(log.flag("tensor_parallel_size")));
  long pipeline = std::max(1, small_number(log.flag("pipeline_parallel_size")));
  for (const LogRank& rank : ranks) {
    tensor = std::max<long>(tensor, rank.tensor + 1);
    pipeline = std::max<long>(pipeline, rank.pipeline + 1);
  }
  // Data-parallel attention shares the devices of the tensor ranks instead of multiplying them.
  const bool shares = log.flag("enable_dp_attention") == "True";
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const LogRank& rank = ranks[i];
    if (log.measured[i].device != 0 || !rank.known()) continue;
    const long data = shares ? 0 : std::max(0, rank.data);
    const long device = (data * pipeline + std::max(0, rank.pipeline)) * tensor + std::max(0, rank.tensor);
    log.measured[i].device = static_cast<int>(std::min<long>(device, kMostRank));
  }
}

}  // namespace

LogRank rank_in(std::string_view words) { return {axis(words, "DP"), axis(words, "PP"), axis(words, "TP")}; }

LogReader::Key LogReader::key_of(const Measured& measured, LogRank rank) {
  return {measured.quantity, measured.part, measured.device, rank.data, rank.pipeline, rank.tensor, measured.buffer};
}

void LogReader::begin_start(const LogLine& line, bool sure) {
  if (!sure && begun_ && start_.log.measured.empty()) return;
  close();
  start_ = {};
  start_.log.first_line = line.number;
  begun_ = true;
  ++starts_;
}

void LogReader::close() {
  settle(start_);
  if (start_.log.measured.empty()) return;
  start_.log.complete = is_complete(start_);
  if (start_.log.complete) {
    last_complete_ = start_;
    has_complete_ = true;
  }
  last_any_ = std::move(start_);
  has_any_ = true;
}

std::optional<EngineLog> LogReader::finish() {
  close();
  if (!has_any_) return std::nullopt;
  Start& best = has_complete_ ? last_complete_ : last_any_;
  best.log.program = program_;
  best.log.starts = std::max(1, starts_);
  place_ranks(best.log, best.ranks);
  return std::move(best.log);
}

void LogReader::forget_measured() {
  std::vector<Measured> all = std::move(start_.log.measured);
  const std::vector<LogRank> ranks = std::move(start_.ranks);
  start_.log.measured.clear();
  start_.ranks.clear();
  start_.places.clear();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].quantity != Quantity::device_free) continue;
    const LogRank& rank = ranks[i];
    start_.places.try_emplace(key_of(all[i], rank), start_.log.measured.size());
    start_.log.measured.push_back(std::move(all[i]));
    start_.ranks.push_back(rank);
  }
}

bool LogReader::has(Quantity quantity, int part) const {
  return std::any_of(start_.log.measured.begin(), start_.log.measured.end(),
                     [&](const Measured& one) { return one.quantity == quantity && one.part == part; });
}

void LogReader::record(const LogLine& line, Measured measured, const Figure& figure, Merge merge, LogRank rank) {
  measured.value = figure.value;
  measured.rounding = figure.rounding;
  measured.negative = figure.negative;
  measured.line = line.number;
  measured.text = bounded(line.text, kMostLogLine);
  if (measured.device < 0) rank = {};
  std::vector<Measured>& all = start_.log.measured;
  const auto [place, is_new] = start_.places.try_emplace(key_of(measured, rank), all.size());
  if (is_new) {
    if (all.size() >= kMostMeasured) {
      start_.places.erase(place);
      return;
    }
    if (!begun_) {  // a log that begins in the middle
      begun_ = true;
      ++starts_;
      start_.log.first_line = line.number;
    }
    all.push_back(std::move(measured));
    start_.ranks.push_back(rank);
    return;
  }
  Measured& known = all[place->second];
  if (merge == Merge::last || (merge == Merge::finest && measured.rounding < known.rounding)) {
    known = std::move(measured);
  } else if (merge == Merge::add && !known.negative && !measured.negative) {
    known.value = (Bytes(known.value) + Bytes(measured.value)).value();
    known.rounding = (Bytes(known.rounding) + Bytes(measured.rounding)).value();
  }
}

bool LogReader::apply(std::span<const LogRule> rules, const LogLine& line, LogRank rank, unsigned least_decimals) {
  bool found = false;
  for (const LogRule& rule : rules) {
    const std::size_t at = line.text.find(rule.literal);
    if (at == std::string_view::npos) continue;
    std::string_view rest = line.text.substr(at + rule.literal.size());
    if (rule.figure_before && !contains(line.text, rule.then)) continue;
    if (!rule.figure_before && !rule.then.empty()) {
      const auto behind = after(rest, rule.then);
      if (!behind) continue;
      rest = *behind;
    }
    const QuantityUnit unit = quantity_unit(rule.quantity);
    const std::optional<Figure> figure = rule.figure_before            ? bytes_before(line.text, at, least_decimals)
                                         : unit == QuantityUnit::bytes ? take_bytes(rest, least_decimals)
                                         : unit == QuantityUnit::count ? take_count(rest)
                                                                       : take_hundredths(rest);
    if (!figure) continue;
    Measured measured;
    measured.quantity = rule.quantity;
    if (unit != QuantityUnit::bytes) measured.device = kLogAllDevices;
    record(line, std::move(measured), *figure, rule.merge, rank);
    found = true;
  }
  return found;
}

void LogReader::set_flag(std::string_view name, std::string_view value) {
  if (value.empty()) return;
  std::vector<LogFlag>& flags = start_.log.flags;
  const auto known = std::find_if(flags.begin(), flags.end(), [&](const LogFlag& flag) { return flag.name == name; });
  if (known != flags.end())
    known->value = bounded(value, kMostWord);
  else if (flags.size() < kMostFlags)
    flags.push_back({std::string(name), bounded(value, kMostWord)});
}

void LogReader::read_settings(std::span<const LogSetting> settings, std::string_view text) {
  for (const LogSetting& one : settings) {
    if (const auto value = setting(text, one.printed)) set_flag(one.name, *value);
  }
}

void LogReader::read_options(std::span<const LogSetting> options, std::string_view text) {
  for (const LogSetting& one : options) {
    if (const auto value = option(text, one.printed)) set_flag(one.name, *value);
  }
}

void LogReader::set_device_name(int index, std::string_view name) {
  std::vector<LogDevice>& devices = start_.log.devices;
  if (index < 0 || name.empty() || devices.size() >= kMostDevices) return;
  const bool known = std::any_of(devices.begin(), devices.end(), [&](const LogDevice& d) { return d.index == index; });
  if (!known) devices.push_back({index, bounded(name, kMostWord)});
}

}  // namespace vram
