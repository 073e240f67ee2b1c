#include "core/check/llamacpp_settings.h"

#include <algorithm>
#include <functional>

#include "core/plan/llamacpp/fit.h"

namespace vram::check {
namespace {

using llamacpp::Program;
using llamacpp::Settings;

constexpr int kAutoFlash = 6330;  // -fa auto is the default from here on (2025-08, #15434)
constexpr int kAutoSlots = 7400;  // llama-server takes four slots on one cache by itself (2025-12)
constexpr std::uint32_t kServerDraft = 3, kOllamaDraft = 4;  // draft tokens of a model's own draft layer

/// "2025-04" → 2025·12 + 3; 0 = not known.
int month_of(std::string_view release) {
  if (release.size() < 7 || release[4] != '-') return 0;
  int digits[6];
  for (std::size_t i = 0, at = 0; i < 6; ++i, ++at) {
    if (at == 4) ++at;
    if (release[at] < '0' || release[at] > '9') return 0;
    digits[i] = release[at] - '0';
  }
  const int year = digits[0] * 1000 + digits[1] * 100 + digits[2] * 10 + digits[3], month = digits[4] * 10 + digits[5];
  return month < 1 || month > 12 ? 0 : year * 12 + month - 1;
}

/// The build in the middle of a month.
int build_amid(int months) {
  const auto first = [](int month) { return llamacpp::build_of_month(month / 12, month % 12 + 1); };
  return std::min((first(months) + first(months + 1)) / 2, llamacpp::kNewestBuild);
}

class Guess {
 public:
  Guess(const LlamaCppRow& row, const llamacpp::Model& model, std::string_view release,
        std::span<const Accelerator> accelerators)
      : row_(row), model_(model), release_(release), accelerators_(accelerators) {}

  LlamaCppGuess run() {
    Settings& s = guess_.likely;
    s.program = row_.program;
    s.latent_mode = row_.mla.value_or(0);
    s.attention_batch = static_cast<std::uint64_t>(row_.attention_batch.value_or(0));
    s.fused_experts = row_.fused_moe.value_or(false);
    devices(s);
    builds(s);
    cache(s);
    batches(s);
    placement(s);
    for (const auto& change : changes_) {
      guess_.others.push_back(guess_.likely);
      change(guess_.others.back());
    }
    return std::move(guess_);
  }

 private:
  void other(std::function<void(Settings&)> change) { changes_.push_back(std::move(change)); }

  llamacpp::Build rules(int build) const {
    llamacpp::Build made = llamacpp::build_rules(row_.program, build, row_.api);
    if (row_.per_head_cache) made.expanded_latent = true;
    return made;
  }

  /// The build, or the one that was current when most logs of a new model are written.
  void builds(Settings& s) {
    // A log is no older than the model and than its architecture's support; half of those that tell come two months on.
    const int since = model_.rules->since;
    const int earliest = std::max(month_of(release_), since > 0 ? since / 100 * 12 + since % 100 - 1 : 0);
    build_ = std::min(row_.build.value_or(earliest > 0 ? build_amid(earliest + 2) : llamacpp::kNewestBuild),
                      llamacpp::kNewestBuild);
    s.api = row_.api;
    // ik_llama.cpp prints how many copies it makes whenever it makes more than one.
    s.pipeline = row_.pipeline_copies.value_or(row_.program == Program::ik_llama_cpp ? 1 : -1);
    s.build = rules(build_);
    // Weights in a layout for the CPU stay there, be it in the file or made while loading (-rtr, which does not map).
    // Who asks for large batches wants the GPU to compute them, since it moves experts only when that pays (2025-06).
    const bool large = s.build.ik_offloads_by_experts && row_.ubatch.value_or(512) > 512;
    const bool repacks = row_.program == Program::ik_llama_cpp && row_.read_into_memory && !row_.repacked && !large;
    s.host_repacked = repacks || row_.repacked;
    if (row_.build) return;
    for (const int later : {0, 4, 6, 12, 100}) {
      const int build = earliest > 0 ? build_amid(earliest + later) : llamacpp::kNewestBuild;
      other([this, build](Settings& to) { to.build = rules(build); });
    }
  }

  void devices(Settings& s) {
    s.devices = row_.devices;
    if (row_.devices == 0 && row_.gpu_layers.value_or(1) != 0) s.devices = 1;
    s.gpu_layers = row_.gpu_layers.value_or(-1);
    if (row_.offloadable && s.gpu_layers >= *row_.offloadable) s.gpu_layers = -1;
    // Layers are shared out by free memory.
    const std::size_t listed = std::max(row_.hardware.size(), row_.printed_memory.size());
    for (std::size_t i = 0; i < listed; ++i) {
      const Accelerator* card = i < row_.hardware.size() ? find_accelerator(accelerators_, row_.hardware[i]) : nullptr;
      const double printed = i < row_.printed_memory.size() ? row_.printed_memory[i] : 0;
      const double bytes = card != nullptr ? static_cast<double>(card->usable().value()) : printed;
      if (bytes > 0) capacity_.push_back(static_cast<std::uint64_t>(bytes));
    }
    const std::size_t devices = static_cast<std::size_t>(std::max(s.devices, 0));
    if (capacity_.size() > devices) capacity_.resize(devices);
    if (capacity_.size() != devices) capacity_.clear();
    for (const std::uint64_t bytes : capacity_) s.split.push_back(static_cast<double>(bytes));
    guess_.knows_hardware = !capacity_.empty() || devices == 0;
  }

  void cache(Settings& s) {
    s.context = row_.context.value_or(4096);
    s.type_k = row_.type_k.value_or(FormatId::fp16);
    s.type_v = row_.type_v.value_or(s.type_k);
    s.full_windows = row_.full_windows.value_or(row_.program == Program::lm_studio);
    switch (row_.flash) {
      case Flash::on:
      case Flash::automatic:
        s.flash = true;
        break;
      case Flash::off:
        s.flash = false;
        break;
      case Flash::unknown:
        s.flash = build_ >= kAutoFlash && row_.program != Program::ik_llama_cpp;
        other([](Settings& to) { to.flash = !to.flash; });
        break;
    }
    const bool slots = build_ >= kAutoSlots && row_.program == Program::llama_cpp;
    s.sequences = row_.sequences.value_or(slots && row_.unified.value_or(false) ? 4 : 1);
    if (!row_.sequences) {
      other([](Settings& to) { to.sequences = to.sequences == 1 ? 4 : 1; });
      other([](Settings& to) { to.sequences = 2; });
    }
    // Slots of a server share one cache unless it was told how many there are; older builds know one cache only.
    s.unified = row_.unified.value_or(s.sequences > 1);
    if (!row_.unified && s.sequences > 1) other([](Settings& to) { to.unified = !to.unified; });
    // A file with a draft layer that is loaded is there to draft with.
    const bool drafts = row_.offloadable && *row_.offloadable > model_.layer_count() + 1 && model_.has_recurrent();
    const std::uint32_t usual = row_.program == Program::ollama ? kOllamaDraft : kServerDraft;
    s.draft_states = row_.draft_tokens.value_or(drafts ? usual : 0);
    if (drafts && !row_.draft_tokens) {
      other([](Settings& to) { to.draft_states = 2; });
      other([](Settings& to) { to.draft_states = 0; });
    }
    guess_.drafts = drafts;
  }

  void batches(Settings& s) {
    const bool small = row_.program == Program::ollama || row_.program == Program::lm_studio;
    s.batch = row_.batch.value_or(small ? 512 : 2048);
    s.ubatch = row_.ubatch.value_or(512);
    if (!row_.ubatch) {
      other([](Settings& to) { to.ubatch = 2048; });
      other([](Settings& to) { to.ubatch = 128; });
    }
    // A server asks for the logits of a row a slot, and of its draft tokens.
    s.outputs = s.sequences * (1 + s.draft_states);
    if (s.build.few_outputs) other([](Settings& to) { to.outputs = 0; });
  }

  /// Experts go to the host where that was asked for, or where the cards cannot hold them; then the cards are filled.
  void placement(Settings& s) {
    if (s.devices == 0) return;
    if (row_.experts_on_host) {
      s.all_experts_on_host = *row_.experts_on_host;
      return;
    }
    if (model_.experts == 0) return;
    const bool moved = row_.some_on_host.value_or(false);
    if (capacity_.empty()) {
      s.all_experts_on_host = moved;
      guess_.knows_placement = false;
      other([](Settings& to) { to.all_experts_on_host = !to.all_experts_on_host; });
      return;
    }
    // It did start: what would fit without any margin was not moved.
    if (!moved && llamacpp::fitted(model_, s, capacity_, 0).host_experts.empty()) return;
    Settings filled = llamacpp::fitted(model_, s, capacity_);
    guess_.knows_placement = false;
    if (filled.host_experts.empty()) filled.all_experts_on_host = true;
    s = std::move(filled);
    if (row_.program == Program::ik_llama_cpp) other([](Settings& to) { to.host_repacked = !to.host_repacked; });
    other([](Settings& to) {
      to.host_experts.clear();
      to.all_experts_on_host = true;
    });
  }

  const LlamaCppRow& row_;
  const llamacpp::Model& model_;
  std::string_view release_;
  std::span<const Accelerator> accelerators_;
  LlamaCppGuess guess_;
  std::vector<std::function<void(Settings&)>> changes_;
  int build_ = llamacpp::kNewestBuild;
  std::vector<std::uint64_t> capacity_;  // bytes of each card; empty = not known
};

}  // namespace

LlamaCppGuess guess_settings(const LlamaCppRow& row, const llamacpp::Model& model, std::string_view release,
                             std::span<const Accelerator> accelerators) {
  return Guess(row, model, release, accelerators).run();
}

}  // namespace vram::check
