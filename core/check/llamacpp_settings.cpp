#include "core/check/llamacpp_settings.h"

#include <algorithm>
#include <functional>

#include "core/plan/llamacpp_tensors.h"

namespace vram::check {
namespace {

using llamacpp::Program;
using llamacpp::Settings;

constexpr int kAutoFlash = 6330;      // -fa auto is the default from here on (2025-08, #15434)
constexpr int kAutoSlots = 7400;      // llama-server takes four slots on one cache by itself (2025-12)
constexpr std::uint32_t kServerDraft = 3, kOllamaDraft = 4;  // draft tokens of a model's own draft layer

/// "2025-04" → months; 0 = not known.
std::optional<int> release_build(std::string_view release, int months_later) {
  if (release.size() < 7 || release[4] != '-') return std::nullopt;
  int year = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    if (release[i] < '0' || release[i] > '9') return std::nullopt;
    year = year * 10 + (release[i] - '0');
  }
  const int month = (release[5] - '0') * 10 + (release[6] - '0');
  if (month < 1 || month > 12) return std::nullopt;
  const int when = year * 12 + month - 1 + months_later;
  return llamacpp::build_of_month(when / 12, when % 12 + 1);
}

class Guess {
 public:
  Guess(const LlamaCppRow& row, const llamacpp::Model& model, std::string_view release, std::span<const Accelerator> accelerators)
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
  void other(const std::function<void(Settings&)>& change) { changes_.push_back(change); }

  /// The build, or the one that was current when most logs of a new model are written.
  void builds(Settings& s) {
    const auto oldest = release_build(release_, 0);
    build_ = row_.build.value_or(release_build(release_, 3).value_or(llamacpp::kNewestBuild));
    build_ = std::min(build_, llamacpp::kNewestBuild);
    s.build = llamacpp::build_rules(row_.program, build_, row_.api);
    if (row_.build) return;
    for (const int later : {0, 1, 6, 12, 100}) {
      const int build = std::min(oldest ? release_build(release_, later).value_or(build_) : llamacpp::kNewestBuild, llamacpp::kNewestBuild);
      other([=, program = row_.program, api = row_.api](Settings& to) { to.build = llamacpp::build_rules(program, build, api); });
    }
  }

  void devices(Settings& s) {
    s.devices = row_.devices;
    if (row_.devices == 0 && row_.gpu_layers.value_or(1) != 0) s.devices = 1;
    s.gpu_layers = row_.gpu_layers.value_or(-1);
    if (row_.offloadable && s.gpu_layers >= *row_.offloadable) s.gpu_layers = -1;
    // Layers are shared out by free memory.
    for (const std::string& id : row_.hardware) {
      const Accelerator* card = find_accelerator(accelerators_, id);
      if (card == nullptr) {
        s.split.clear();
        capacity_ = 0;
        break;
      }
      s.split.push_back(static_cast<double>(card->usable().value()));
      capacity_ += static_cast<double>(card->usable().value());
    }
    if (static_cast<int>(s.split.size()) != s.devices) {
      if (!s.split.empty()) capacity_ *= static_cast<double>(s.devices) / static_cast<double>(s.split.size());
      s.split.clear();
    }
  }

  void cache(Settings& s) {
    s.context = row_.context.value_or(4096);
    s.type_k = row_.type_k.value_or(FormatId::fp16);
    s.type_v = row_.type_v.value_or(s.type_k);
    s.full_windows = row_.full_windows.value_or(row_.program == Program::lm_studio);
    switch (row_.flash) {
      case Flash::on:
      case Flash::automatic: s.flash = true; break;
      case Flash::off: s.flash = false; break;
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
    if (!row_.ubatch) other([](Settings& to) { to.ubatch = 2048; });
    // A server asks for the logits of a row a slot, and of its draft tokens.
    s.outputs = s.sequences * (1 + s.draft_states);
    if (s.build.few_outputs) other([](Settings& to) { to.outputs = 0; });
  }

  /// Experts go to the host where that was asked for, or where the cards cannot hold them.
  void placement(Settings& s) {
    if (model_.experts == 0 || s.devices == 0) return;
    if (row_.experts_on_host) {
      s.all_experts_on_host = *row_.experts_on_host;
      return;
    }
    double weights = 0;
    for (const llamacpp::Tensor& tensor : model_.tensors) {
      if (tensor.loaded) weights += static_cast<double>(llamacpp::tensor_bytes(tensor));
    }
    const bool fits = capacity_ == 0 || weights < capacity_;
    if (fits && !row_.some_on_host.value_or(false)) return;
    guess_.knows_placement = false;
    s.all_experts_on_host = true;
    const int half = model_.layer_count() / 2;
    other([half](Settings& to) {
      to.all_experts_on_host = false;
      to.host_expert_layers = half;
    });
  }

  const LlamaCppRow& row_;
  const llamacpp::Model& model_;
  std::string_view release_;
  std::span<const Accelerator> accelerators_;
  LlamaCppGuess guess_;
  std::vector<std::function<void(Settings&)>> changes_;
  int build_ = llamacpp::kNewestBuild;
  double capacity_ = 0;  // bytes of all cards; 0 = not known
};

}  // namespace

LlamaCppGuess guess_settings(const LlamaCppRow& row, const llamacpp::Model& model, std::string_view release,
                             std::span<const Accelerator> accelerators) {
  return Guess(row, model, release, accelerators).run();
}

}  // namespace vram::check
