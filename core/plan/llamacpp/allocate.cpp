#include "core/plan/llamacpp/allocate.h"

#include <algorithm>

namespace vram::llamacpp {
namespace {

constexpr std::uint64_t kDeviceAlignment = 128;  // ggml-cuda
constexpr std::uint64_t kHostAlignment = 32;     // ggml-cpu, TENSOR_ALIGNMENT

struct Hole {
  std::uint64_t offset, size;
};

/// One buffer that grows at its end.
class Arena {
 public:
  explicit Arena(std::uint64_t alignment) : alignment_(alignment) {}

  std::uint64_t aligned(std::uint64_t size) const { return (size + alignment_ - 1) / alignment_ * alignment_; }

  std::uint64_t take(std::uint64_t size) {
    size = aligned(size);
    std::size_t best = holes_.size() - 1;  // the open end, unless an earlier hole holds it
    std::uint64_t best_size = ~std::uint64_t{0};
    for (std::size_t i = 0; i + 1 < holes_.size(); ++i) {
      if (holes_[i].size >= size && holes_[i].size <= best_size) {
        best = i;
        best_size = holes_[i].size;
      }
    }
    const std::uint64_t offset = holes_[best].offset;
    holes_[best].offset += size;
    holes_[best].size -= size;
    if (holes_[best].size == 0) holes_.erase(holes_.begin() + static_cast<std::ptrdiff_t>(best));
    if (offset + size > reached_) {
      reached_ = offset + size;
      grew_ = true;
    }
    return offset;
  }

  void give_back(std::uint64_t offset, std::uint64_t size) {
    size = aligned(size);
    if (size == 0) return;
    for (std::size_t i = 0; i < holes_.size(); ++i) {
      Hole& hole = holes_[i];
      if (hole.offset + hole.size == offset) {
        hole.size += size;
        if (i + 1 < holes_.size() && hole.offset + hole.size == holes_[i + 1].offset) {
          hole.size += holes_[i + 1].size;
          holes_.erase(holes_.begin() + static_cast<std::ptrdiff_t>(i + 1));
        }
        return;
      }
      if (offset + size == hole.offset) {
        hole.offset = offset;
        hole.size += size;
        if (i > 0 && holes_[i - 1].offset + holes_[i - 1].size == hole.offset) {
          holes_[i - 1].size += hole.size;
          holes_.erase(holes_.begin() + static_cast<std::ptrdiff_t>(i));
        }
        return;
      }
    }
    const auto after = std::find_if(holes_.begin(), holes_.end(), [&](const Hole& hole) { return hole.offset >= offset; });
    holes_.insert(after, Hole{offset, size});
  }

  std::uint64_t reached() const { return reached_; }
  bool grew() {
    const bool grew = grew_;
    grew_ = false;
    return grew;
  }

 private:
  std::uint64_t alignment_;
  std::vector<Hole> holes_{{0, ~std::uint64_t{0} / 2}};
  std::uint64_t reached_ = 0;
  bool grew_ = false;
};

struct State {
  int readers = 0, views = 0;
  std::int16_t backend = 0;
  bool placed = false;
  std::uint64_t offset = 0;
};

class Walk {
 public:
  Walk(const Graph& graph, const Schedule& schedule) : graph_(graph), schedule_(schedule), states_(graph.size()) {
    for (int i = 0; i < schedule.backends; ++i) {
      arenas_.emplace_back(is_device(static_cast<std::int16_t>(i)) ? kDeviceAlignment : kHostAlignment);
    }
    peaks_.resize(static_cast<std::size_t>(schedule.backends));
    snapshots_.resize(peaks_.size());
  }

  std::vector<BufferPeak> run() {
    for (const Step& leaf : schedule_.leaves) place(leaf.node, leaf.backend);
    for (const Step& step : schedule_.steps) {
      const Node& node = graph_.node(step.node);
      if (node.is_view() && node.op != Op::dependency) ++state(node.view_of).views;
      if (node.input) place(step.node, step.backend);
      for (const Id source : node.sources) {
        if (source == kNone) continue;
        ++state(source).readers;
        if (graph_.node(source).input) place(source, step.backend);
      }
    }
    for (const Step& step : schedule_.steps) {
      const Node& node = graph_.node(step.node);
      for (const Id source : node.sources) {
        if (source != kNone) place(source, step.backend);
      }
      place(step.node, step.backend);
      remember();
      for (const Id source : node.sources) {
        if (source != kNone) release(source);
      }
    }
    for (std::size_t i = 0; i < peaks_.size(); ++i) {
      peaks_[i].bytes = arenas_[i].reached();
      peaks_[i].alive = by_name(snapshots_[i]);
    }
    return std::move(peaks_);
  }

 private:
  bool is_device(std::int16_t backend) const { return !schedule_.host_is_only && backend + 1 < schedule_.backends; }
  State& state(Id id) { return states_[static_cast<std::size_t>(id)]; }
  Arena& arena(std::int16_t backend) { return arenas_[static_cast<std::size_t>(backend)]; }
  bool is_external(Id id) const { return graph_.node(id).home != Home::graph; }

  std::uint64_t size_on(Id id, std::int16_t backend) const {
    const Node& node = graph_.node(id);
    if (node.host_bytes > 0) return is_device(backend) ? node.device_bytes : node.host_bytes;  // a copy of a weight
    return node_bytes(node) + (is_device(backend) ? node.device_workspace : 0);
  }

  bool same_layout(const Node& a, const Node& b) const { return a.type == b.type && a.ne == b.ne && a.nb == b.nb; }

  /// A source whose place the result may take over (ggml_gallocr_allocate_node): its only reader, of the same layout.
  bool take_over(Id id) {
    const Node& node = graph_.node(id);
    if (node.op != Op::in_place && node.op != Op::rope) return false;
    for (const Id source : node.sources) {
      if (source == kNone || !state(source).placed) continue;
      const Node& parent = graph_.node(source);
      if (parent.output || (parent.is_view() && graph_.node(parent.view_of).output)) continue;
      if (!same_layout(node, parent)) continue;
      State& from = state(source);
      if (from.readers != 1 || from.views != 0) continue;
      State* owner = &from;
      Id owner_id = source;
      if (parent.is_view()) {
        owner = &state(parent.view_of);
        owner_id = parent.view_of;
        if (owner->views != 1 || owner->readers != 0 || parent.view_offset != 0 || !owner->placed) continue;
      }
      State& to = state(id);
      to.placed = true;
      to.backend = owner->backend;
      to.offset = owner->offset;
      Arena& buffer = arena(to.backend);
      const std::uint64_t had = buffer.aligned(size_on(owner_id, to.backend));
      const std::uint64_t needs = buffer.aligned(size_on(id, to.backend));
      if (had > needs) buffer.give_back(to.offset + needs, had - needs);
      from.placed = owner->placed = false;
      return true;
    }
    return false;
  }

  void place(Id id, std::int16_t backend) {
    const Node& node = graph_.node(id);
    if (is_external(id) || state(id).placed || node.op == Op::dependency) return;
    if (node.is_view()) {
      return;
    }
    if (take_over(id)) return;
    State& to = state(id);
    to.placed = true;
    to.backend = backend;
    to.offset = arena(backend).take(size_on(id, backend));
  }

  void give_back(Id id) {
    if (graph_.node(id).output) return;
    State& of = state(id);
    arena(of.backend).give_back(of.offset, size_on(id, of.backend));
    of.placed = false;
  }

  void release(Id source) {
    State& of = state(source);
    if (--of.readers != 0 || of.views != 0) return;
    const Node& node = graph_.node(source);
    if (!node.is_view()) {
      if (of.placed) give_back(source);
      return;
    }
    State& owner = state(node.view_of);
    if (--owner.views == 0 && owner.readers == 0 && owner.placed) give_back(node.view_of);
  }

  /// Keeps what is alive whenever a buffer has grown.
  void remember() {
    for (std::size_t i = 0; i < arenas_.size(); ++i) {
      if (!arenas_[i].grew()) continue;
      snapshots_[i].clear();
      for (std::size_t id = 0; id < states_.size(); ++id) {
        if (states_[id].placed && states_[id].backend == static_cast<std::int16_t>(i)) {
          snapshots_[i].push_back({graph_.node(static_cast<Id>(id)).name, size_on(static_cast<Id>(id), states_[id].backend)});
        }
      }
    }
  }

  static std::vector<Alive> by_name(const std::vector<Alive>& all) {
    std::vector<Alive> sums;
    for (const Alive& one : all) {
      const auto found = std::find_if(sums.begin(), sums.end(), [&](const Alive& sum) { return sum.name == one.name; });
      if (found == sums.end()) sums.push_back(one);
      else found->bytes += one.bytes;
    }
    std::stable_sort(sums.begin(), sums.end(), [](const Alive& a, const Alive& b) { return a.bytes > b.bytes; });
    return sums;
  }

  const Graph& graph_;
  const Schedule& schedule_;
  std::vector<State> states_;
  std::vector<Arena> arenas_;
  std::vector<BufferPeak> peaks_;
  std::vector<std::vector<Alive>> snapshots_;
};

}  // namespace

std::vector<BufferPeak> allocate(const Graph& graph, const Schedule& schedule) { return Walk(graph, schedule).run(); }

}  // namespace vram::llamacpp
