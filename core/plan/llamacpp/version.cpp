#include "core/plan/llamacpp/version.h"

#include <algorithm>
#include <cctype>

namespace vram::llamacpp {
namespace {

struct Point {
  int months, build;  ///< months since year 0
};
constexpr int month_of(int year, int month) { return year * 12 + month - 1; }

// First build of a month, mainline (tags of github.com/ggml-org/llama.cpp).
constexpr Point kMainline[] = {
    {month_of(2023, 7), 775},   {month_of(2023, 10), 1310}, {month_of(2024, 1), 1730},  {month_of(2024, 4), 2570},
    {month_of(2024, 7), 3265},  {month_of(2024, 10), 3860}, {month_of(2025, 1), 4400},  {month_of(2025, 2), 4610},
    {month_of(2025, 3), 4790},  {month_of(2025, 4), 5010},  {month_of(2025, 5), 5250},  {month_of(2025, 6), 5560},
    {month_of(2025, 7), 5790},  {month_of(2025, 8), 6060},  {month_of(2025, 9), 6340},  {month_of(2025, 10), 6660},
    {month_of(2025, 11), 6910}, {month_of(2025, 12), 7200}, {month_of(2026, 1), 7600},  {month_of(2026, 2), 7900},
    {month_of(2026, 3), 8185},  {month_of(2026, 4), 8600},  {month_of(2026, 5), 8980},  {month_of(2026, 6), 9440},
    {month_of(2026, 7), 9870},  {month_of(2026, 8), 10250}, {month_of(2026, 9), 10700}, {month_of(2026, 12), 11900},
};
// ik_llama.cpp forked in August 2024 and counts its own commits (dates of its pull requests).
constexpr Point kIk[] = {
    {month_of(2024, 8), 3400},  {month_of(2024, 12), 3520}, {month_of(2025, 3), 3570}, {month_of(2025, 4), 3610},
    {month_of(2025, 5), 3665},  {month_of(2025, 6), 3715},  {month_of(2025, 7), 3775}, {month_of(2025, 8), 3820},
    {month_of(2025, 9), 3870},  {month_of(2025, 10), 3905}, {month_of(2025, 11), 3935}, {month_of(2026, 1), 4060},
    {month_of(2026, 4), 4350},  {month_of(2026, 9), 4900},
};

template <std::size_t n>
int along(const Point (&points)[n], int months) {
  if (months <= points[0].months) return points[0].build;
  for (std::size_t i = 1; i < n; ++i) {
    const Point &a = points[i - 1], &b = points[i];
    if (months > b.months) continue;
    return a.build + (b.build - a.build) * (months - a.months) / (b.months - a.months);
  }
  return points[n - 1].build;
}

/// The month a build of ik_llama.cpp is from, in mainline's numbers.
int from_ik(int build) {
  if (build <= kIk[0].build) return along(kMainline, kIk[0].months);
  for (std::size_t i = 1; i < std::size(kIk); ++i) {
    const Point &a = kIk[i - 1], &b = kIk[i];
    if (build > b.build) continue;
    const int first = along(kMainline, a.months), last = along(kMainline, b.months);
    return first + (last - first) * (build - a.build) / (b.build - a.build);
  }
  return along(kMainline, kIk[std::size(kIk) - 1].months);
}

int number_at(std::string_view text, std::size_t& at) {
  int value = 0;
  for (; at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0 && value < 1000000; ++at) {
    value = value * 10 + (text[at] - '0');
  }
  return value;
}

/// "2025-04" anywhere in the words.
std::optional<int> month_in(std::string_view text) {
  for (std::size_t i = 0; i + 7 <= text.size(); ++i) {
    if (text[i] != '2' || text[i + 1] != '0' || text[i + 4] != '-') continue;
    std::size_t at = i;
    const int year = number_at(text, at);
    if (at != i + 4) continue;
    ++at;
    const std::size_t from = at;
    const int month = number_at(text, at);
    if (at == from + 2 && month >= 1 && month <= 12 && year >= 2023 && year < 2100) return month_of(year, month);
  }
  return std::nullopt;
}

}  // namespace

std::string_view program_key(Program program) {
  switch (program) {
    case Program::llama_cpp: return "llama.cpp";
    case Program::ik_llama_cpp: return "ik_llama.cpp";
    case Program::ollama: return "ollama";
    case Program::lm_studio: return "lm_studio";
  }
  return {};
}

int build_of_month(int year, int month) { return along(kMainline, month_of(year, month)); }

std::optional<int> build_of(Program program, std::string_view version) {
  if (const auto months = month_in(version)) return along(kMainline, *months);
  std::size_t at = 0;
  while (at < version.size() && version[at] == ' ') ++at;
  const bool tagged = at < version.size() && version[at] == 'b';
  if (tagged) ++at;
  const std::size_t from = at;
  const int number = number_at(version, at);
  // A number is a build when it stands alone or a commit follows; "0 unknown" and "1 a6db9c4" are builds without history.
  const bool ends = at == version.size() || version[at] == ' ' || version[at] == '-' || version[at] == '+';
  if (at == from || !ends || number < 500 || number > 100000) return std::nullopt;
  return program == Program::ik_llama_cpp ? from_ik(number) : number;
}

Build build_rules(Program program, int build, Api api) {
  // Merge dates: #12801 2025-04-15, #13194 2025-05-20, #14158 2025-06-29, #14363 2025-07-16, set_rows 2025-08-02, hadamard 2026-04-01
  // (#21038), #23764 2026-05-28, #23907 2026-06-04, #27301 2026-08.
  Build made;
  made.expanded_latent = build < 5140;
  made.head_first = build >= 7500;
  made.copies_qkv = build < 5500;
  made.windows_apart = build >= 5430;
  made.glu_in_one = build >= 5785;
  made.apart_streams = build >= 5910;
  made.row_indices = build >= 6060;
  made.coarse_cells = build >= 6750;
  made.embedding_input = build >= 7700;
  made.fused_delta = build >= 8250;
  made.rotates = build >= 8610;
  made.half_mask = build >= 9405;
  made.few_outputs = build >= 9450;
  made.late_rows = build >= 9450;
  made.unpack_in_graph = api == Api::cuda && build >= 9515;
  made.fused_experts = api == Api::cuda && build >= 10500;
  made.norms_pinned = build < 10000;
  made.pads_rows = api == Api::cuda;
  if (program == Program::ik_llama_cpp) {
    // It forked before all of this and has rules of its own.
    made.windows_apart = made.apart_streams = made.row_indices = made.coarse_cells = made.embedding_input = false;
    made.rotates = made.half_mask = made.few_outputs = made.late_rows = made.unpack_in_graph = made.fused_experts = false;
    made.glu_in_one = true;
    made.norms_pinned = made.expanded_latent = false;
    made.ik = true;
    made.copies_qkv = made.head_first = false;
    made.ik_fused_dense = build >= 6200;
    made.ik_unpacks_ahead = build < 6600;
    made.ik_bounds_unpacked = build >= 4960;
    made.ik_moves_repacked = build >= 5580;
    made.ik_offloads_by_experts = build >= 5610;
  }
  return made;
}

}  // namespace vram::llamacpp
