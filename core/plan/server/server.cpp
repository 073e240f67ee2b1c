#include "core/plan/server/server.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/plan/server/bands.h"
#include "core/plan/server/cache.h"
#include "core/plan/server/sglang.h"
#include "core/plan/server/trtllm.h"
#include "core/plan/server/vllm.h"

namespace vram {
namespace {

ServerPlan plan_once(const ServerSettings& settings, const Model& model, const Accelerator& accelerator,
                     std::optional<double> pool) {
  switch (settings.engine) {
    case Engine::vllm:
      return vllm_plan(settings, model, accelerator, pool);
    case Engine::sglang:
      return sglang_plan(settings, model, accelerator, pool);
    case Engine::tensorrt_llm:
    case Engine::lmdeploy:
      break;
  }
  return trtllm_plan(settings, model, accelerator, pool);
}

// ---- flags that nobody told ------------------------------------------------------------------------------

bool has_drafts(const Model& model) {
  return std::any_of(model.caches.begin(), model.caches.end(), [](const Cache& c) { return c.part == Part::mtp; });
}

/// Settings that the log may as well come from: for each flag that was not told, the other values people use.
std::vector<ServerSettings> alternatives(const ServerSettings& given, const Model& model) {
  std::vector<ServerSettings> all;
  const auto with = [&](const ServerSettings& base, auto change) {
    ServerSettings other = base;
    change(other);
    all.push_back(other);
  };
  if (!given.version.known && given.engine == Engine::vllm) {
    for (const int number : {1900, 2300, 2600, 2900})
      with(given, [&](ServerSettings& s) { s.version.number = number; });
  }
  if (!given.memory_share) {
    const double usual = given.engine == Engine::lmdeploy ? 0.8 : 0.9;
    for (const double step : {-0.05, 0.05}) with(given, [&](ServerSettings& s) { s.memory_share = usual + step; });
  }
  if (!given.batch_tokens && !given.version.engine_v0) {
    for (const auto& [tokens, sequences] : {std::pair{2048, 256}, {8192, 1024}, {8192, 8}, {16384, 256}}) {
      // clang 14 does not capture structured bindings by reference
      with(given, [tokens = tokens, sequences = sequences](ServerSettings& s) {
        s.batch_tokens = static_cast<std::uint64_t>(tokens);
        if (!s.max_sequences) s.max_sequences = static_cast<std::uint64_t>(sequences);
      });
    }
  }
  if (!given.cache_told) with(given, [](ServerSettings& s) { s.cache = CacheFormat::fp8; });
  if (!given.eager && !given.batch_tokens) with(given, [](ServerSettings& s) { s.eager = true; });
  // Drafting and prefix caching both change what a recurrent state takes, and are seen together.
  std::vector<ServerSettings> drafting{given};
  if (!given.speculation && has_drafts(model)) {
    for (const int tokens : {1, 3}) {
      ServerSettings other = given;
      other.speculation = Speculation::mtp;
      if (!other.draft_tokens) other.draft_tokens = tokens;
      drafting.push_back(other);
    }
  } else if (given.speculation && *given.speculation != Speculation::none && !given.draft_tokens) {
    for (const int tokens : {2, 3}) {
      ServerSettings other = given;
      other.draft_tokens = tokens;
      drafting.push_back(other);
    }
  }
  for (std::size_t i = 1; i < drafting.size(); ++i) all.push_back(drafting[i]);
  if (!given.prefix_caching && has_states(model)) {
    for (const ServerSettings& base : drafting) {
      for (const bool on : {false, true}) with(base, [&](ServerSettings& s) { s.prefix_caching = on; });
    }
  }
  return all;
}

/// low … high of all that is estimated of a stage or a plan, over both.
template <typename T>
void widen(T& one, const T& other) {
  for (Estimate T::* const estimate : T::kEstimates) one.*estimate = hull(one.*estimate, other.*estimate);
}

}  // namespace

int draft_copies(const ServerSettings& settings) {
  switch (settings.speculation.value_or(Speculation::none)) {
    case Speculation::mtp:
      return 1;
    case Speculation::dspark:
      return 3;
    default:
      return 0;
  }
}

ServerPlan plan_server_as_told(const ServerSettings& settings, const Model& model, const Accelerator& accelerator) {
  return plan_once(settings, model, accelerator, std::nullopt);
}

ServerPlan plan_server(const ServerSettings& settings, const Model& model, const Accelerator& accelerator,
                       std::optional<double> pool) {
  ServerPlan plan = plan_once(settings, model, accelerator, pool);
  for (const ServerSettings& told : alternatives(settings, model)) {
    const ServerPlan other = plan_once(told, model, accelerator, pool);
    widen(plan, other);
    for (std::size_t i = 0; i < std::min(plan.stages.size(), other.stages.size()); ++i) {
      widen(plan.stages[i], other.stages[i]);
    }
  }
  return plan;
}

}  // namespace vram
