#include "core/plan/server/version.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace vram {
namespace {

// Changes by upstream commit (facts/engines.md §0). The first release of each was inferred from logs that show it.
constexpr std::array<VllmChangeRow, static_cast<std::size_t>(VllmChange::count_)> kVllmChanges = {{
    {VllmChange::latent_kernels, 701, "2025-01-31", ""},
    {VllmChange::hybrid_groups, 901, "2025-06-05", "f8a1a2d10"},
    {VllmChange::group_size_max_125, 1200, "2025-11-24", "71df2a57e"},
    {VllmChange::group_size_max_150, 1800, "2026-03-12", "891c60dcd"},
    {VllmChange::sampler_without_sort, 1700, "2026-02-17", "c656ba3b4"},
    {VllmChange::larger_non_torch, 1800, "2026-03", ""},
    {VllmChange::needed_counts_padding, 1800, "2026-03-17", "45f526d65"},
    {VllmChange::graphs_in_budget, 2100, "2026-04-21", "96a85c575"},
    {VllmChange::tokens_from_concurrency, 2100, "2026-04-28", "e68fa1b90"},
    {VllmChange::runner_v2_some_dense, 2200, "2026-05-14", "ae4f59f0e"},
    {VllmChange::packed_slab, 2400, "2026-06-19", "01192139b"},
    {VllmChange::two_batches_in_flight, 2500, "2026-07-08", "cd0de48d0"},
    {VllmChange::hybrid_prefix_caching, 2500, "2026-07-09", "95ed0feaa"},
    {VllmChange::concurrency_by_group, 2600, "2026-07-20", "2e2e626b4"},
    {VllmChange::large_gpu_batches, 2800, "2026-08-11", "4988df2eb"},
}};

constexpr bool table_is_in_order() {
  for (std::size_t i = 0; i < kVllmChanges.size(); ++i) {
    if (static_cast<std::size_t>(kVllmChanges[i].change) != i) return false;
  }
  return true;
}
static_assert(table_is_in_order(), "vllm_changes() has a row for each change, in its order");

/// The newest release that had appeared in a month; months are counted from year 0.
struct Released {
  int month, number;
};
constexpr int month_of(int year, int month) { return year * 12 + month; }
constexpr Released kVllmReleases[] = {
    {month_of(2024, 7), 503},   {month_of(2024, 9), 601},  {month_of(2024, 12), 605},  {month_of(2025, 2), 703},
    {month_of(2025, 4), 804},   {month_of(2025, 6), 901},  {month_of(2025, 8), 1001},  {month_of(2025, 10), 1100},
    {month_of(2025, 12), 1200}, {month_of(2026, 1), 1400}, {month_of(2026, 2), 1600},  {month_of(2026, 3), 1800},
    {month_of(2026, 4), 2000},  {month_of(2026, 5), 2101}, {month_of(2026, 6), 2300},  {month_of(2026, 7), 2500},
    {month_of(2026, 8), 2700},  {month_of(2026, 9), 2900}, {month_of(2026, 10), 3100},
};
constexpr Released kSglangReleases[] = {
    {month_of(2024, 12), 401}, {month_of(2025, 3), 404},  {month_of(2025, 6), 407},
    {month_of(2025, 9), 502},  {month_of(2025, 10), 503}, {month_of(2025, 12), 506},
    {month_of(2026, 2), 508},  {month_of(2026, 6), 514},  {month_of(2026, 8), 517},
};
constexpr int kNewestVllm = 2800, kNewestSglang = 517, kNewestTrtllm = 10200, kNewestLmdeploy = 700;

/// Builds of vLLM's main branch are numbered by commits; one release takes about 520 of them (0.19 … 0.31).
constexpr int kCommitsAtRelease = 16500, kReleaseOfCommits = 21, kCommitsPerRelease = 520;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Reads a number at `at` and moves past it; −1 where there is none. Long ones stop at a million.
int take_number(std::string_view text, std::size_t& at) {
  if (at >= text.size() || !is_digit(text[at])) return -1;
  int value = 0;
  for (; at < text.size() && is_digit(text[at]); ++at) {
    if (value < 1000000) value = value * 10 + (text[at] - '0');
  }
  return value;
}

int newest_number(Engine engine) {
  switch (engine) {
    case Engine::vllm:
      return kNewestVllm;
    case Engine::sglang:
      return kNewestSglang;
    case Engine::tensorrt_llm:
      return kNewestTrtllm;
    case Engine::lmdeploy:
      break;
  }
  return kNewestLmdeploy;
}

int released_by(Engine engine, int month) {
  const std::span<const Released> releases =
      engine == Engine::sglang ? std::span<const Released>(kSglangReleases) : std::span<const Released>(kVllmReleases);
  int number = releases.front().number;
  for (const Released& release : releases) {
    if (release.month <= month) number = release.number;
  }
  return number;
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

}  // namespace

std::string_view engine_key(Engine engine) {
  constexpr std::array<std::string_view, 4> keys = {"vllm", "sglang", "tensorrt-llm", "lmdeploy"};
  return keys[static_cast<std::size_t>(engine)];
}

EngineVersion newest_version(Engine engine) { return {.number = newest_number(engine)}; }

EngineVersion parse_engine_version(Engine engine, std::string_view text) {
  EngineVersion version = newest_version(engine);
  version.runner_v2 = contains(text, "V2");
  version.first_of_its_kind = contains(text, "gptoss");
  for (std::size_t at = 0; at < text.size() && !version.known; ++at) {
    if (!is_digit(text[at]) || (at > 0 && (text[at - 1] == 'V' || text[at - 1] == '.'))) continue;
    const int first = take_number(text, at);
    if (first >= 2000 && first < 2100) {  // "2026-08", or a year alone: its middle
      int month = 7;
      if (at < text.size() && text[at] == '-') {
        std::size_t after = at + 1;
        const int told = take_number(text, after);
        if (told >= 1 && told <= 12) month = told;
      }
      version.number = released_by(engine, month_of(first, month));
      version.known = engine == Engine::vllm || engine == Engine::sglang;
      break;
    }
    if (at >= text.size() || text[at] != '.') continue;
    ++at;
    const int minor = take_number(text, at);
    if (minor < 0) continue;
    int patch = 0;
    if (at < text.size() && text[at] == '.') {
      ++at;
      if (text.substr(at).starts_with("dev") && first == 0 && minor == 1) {
        at += 3;
        const int commits = take_number(text, at);
        version.number = (kReleaseOfCommits + (commits - kCommitsAtRelease) / kCommitsPerRelease) * 100;
        version.known = true;
        break;
      }
      const int told = take_number(text, at);
      if (told > 0) patch = told < 100 ? told : 99;
    }
    version.number = (first * 100 + minor) * 100 + patch;
    if (engine == Engine::sglang) version.number = minor * 100 + patch;
    version.known = true;
  }
  if (engine == Engine::vllm) {
    const bool old = version.known && version.number < 800;
    version.engine_v0 = !contains(text, "V1") && (contains(text, "V0") || old);
    if (version.engine_v0 && !version.known) {
      version.number = 804;
      version.known = true;
    }
  }
  return version;
}

EngineVersion version_of_model(Engine engine, std::string_view model_release) {
  EngineVersion version = newest_version(engine);
  std::size_t at = 0;
  const int year = take_number(model_release, at);
  if (year < 2000 || year > 2100 || at >= model_release.size() || model_release[at] != '-') return version;
  ++at;
  const int month = take_number(model_release, at);
  if (month < 1 || month > 12 || (engine != Engine::vllm && engine != Engine::sglang)) return version;
  version.number = std::min(version.number, released_by(engine, month_of(year, month) + 2));
  version.engine_v0 = engine == Engine::vllm && version.number < 800;
  return version;
}

std::span<const VllmChangeRow> vllm_changes() { return kVllmChanges; }

bool has(EngineVersion version, VllmChange change) {
  return version.number >= kVllmChanges[static_cast<std::size_t>(change)].since;
}

}  // namespace vram
