#include "core/plan/llamacpp/allocate.h"

#include <algorithm>
#include <span>

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
  explicit Arena(std::uint64_t alignment)  // a power of two
      : alignment_(alignment) {}

  std::uint64_t aligned(std::uint64_t size) const { return (size + alignment_ - 1) & ~(alignment_ - 1); }

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
    reached_ = std::max(reached_, offset + size);
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
 private:
  std::uint64_t alignment_;
  std::vector<Hole> holes_{{0, ~std::uint64_t{0} / 2}};
  std::uint64_t reached_ = 0;
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
  }

  std::vector<std::uint64_t> run() {
    for (const Step& leaf : schedule_.leaves) place(leaf.node, leaf.backend);
    for (const Step& step : schedule_.steps) {
      const Node& node = graph_.node(step.node);
      if (node.is_view() && !step.only_read) ++state(node.view_of).views;
      if (node.input && !step.only_read) place(step.node, step.backend);
      for (const Id source : read_by(step)) {
        ++state(source).readers;
        if (graph_.node(source).input) place(source, step.backend);
      }
    }
    for (const Step& step : schedule_.steps) {
      const std::span<const Id> sources = read_by(step);
      for (const Id source : sources) place(source, step.backend);
      if (!step.only_read) place(step.node, step.backend);
      for (const Id source : sources) release(source);
    }
    std::vector<std::uint64_t> reached;
    for (const Arena& arena : arenas_) reached.push_back(arena.reached());
    return reached;
  }

 private:
  bool is_device(std::int16_t backend) const { return !schedule_.host_is_only && backend + 1 < schedule_.backends; }
  State& state(Id id) { return states_[static_cast<std::size_t>(id)]; }
  Arena& arena(std::int16_t backend) { return arenas_[static_cast<std::size_t>(backend)]; }
  std::span<const Id> read_by(const Step& step) const {
    return step.only_read ? std::span<const Id>(&step.node, 1) : graph_.sources(step.node);
  }

  std::uint64_t size_on(Id id, std::int16_t backend) const {
    const Node& node = graph_.node(id);
    return node.bytes + (is_device(backend) ? node.device_extra : 0);
  }

  bool same_layout(const Node& a, const Node& b) const { return a.type == b.type && a.ne == b.ne && a.nb == b.nb; }

  /// A source whose place the result may take over (ggml_gallocr_allocate_node): its only reader, of the same layout.
  bool take_over(Id id) {
    const Node& node = graph_.node(id);
    if (node.op != Op::in_place && node.op != Op::rope) return false;
    for (const Id source : graph_.sources(id)) {
      if (!state(source).placed) continue;
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
    State& to = state(id);
    if (to.placed || node.home != Home::graph || node.is_view() || take_over(id)) return;
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

  const Graph& graph_;
  const Schedule& schedule_;
  std::vector<State> states_;
  std::vector<Arena> arenas_;
};

}  // namespace

std::vector<std::uint64_t> allocate(const Graph& graph, const Schedule& schedule) { return Walk(graph, schedule).run(); }

}  // namespace vram::llamacpp
