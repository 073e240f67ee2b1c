#include "core/plan/llamacpp/allocate.h"

#include <algorithm>
#include <span>

namespace vram::llamacpp {
namespace {

constexpr std::uint64_t kDeviceAlignment = 128;  // ggml-cuda
constexpr std::uint64_t kHostAlignment = 32;     // ggml-cpu, TENSOR_ALIGNMENT

struct Hole {
  std::uint64_t offset, size;
  friend bool operator==(const Hole&, const Hole&) = default;
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
  const std::vector<Hole>& holes() const { return holes_; }
 private:
  std::uint64_t alignment_;
  std::vector<Hole> holes_{{0, ~std::uint64_t{0} / 2}};
  std::uint64_t reached_ = 0;
};

struct State {
  std::uint64_t offset = 0;
  int readers = 0, views = 0;
  Id view_of = kNone;
  std::int16_t backend = 0;
  bool placed = false;
  bool elsewhere = false;  ///< has a place of its own or shares another's: the walk gives it none
  bool input = false;
};

class Walk {
 public:
  Walk(const Graph& graph, const Schedule& schedule) : graph_(graph), schedule_(schedule), states_(graph.size()) {
    for (std::size_t i = 0; i < states_.size(); ++i) {
      const Node& node = graph.node(static_cast<Id>(i));
      states_[i].view_of = node.view_of;
      states_[i].elsewhere = node.is_view() || node.home != Home::graph;
      states_[i].input = node.input;
    }
    for (int i = 0; i < schedule.backends; ++i) {
      arenas_.emplace_back(is_device(static_cast<std::int16_t>(i)) ? kDeviceAlignment : kHostAlignment);
    }
  }

  std::vector<std::uint64_t> run() {
    for (const Step& leaf : schedule_.leaves) place(leaf.node, leaf.backend);
    for (const Step& step : schedule_.steps) {
      const State& computed = state(step.node);
      if (computed.view_of != kNone && !step.only_read) ++state(computed.view_of).views;
      if (computed.input && !step.only_read) place(step.node, step.backend);
      for (const Id source : read_by(step)) {
        State& read = state(source);
        ++read.readers;
        if (read.input) place(source, step.backend);
      }
    }
    for (const Step& step : schedule_.steps) {
      const std::span<const Id> sources = read_by(step);
      for (const Id source : sources) place(source, step.backend);
      if (!step.only_read) place(step.node, step.backend);
      for (const Id source : sources) release(source);
      if (!step.only_read && !is_alike(step.node)) return {};
    }
    if (next_left_out_ < graph_.left_out().size()) return {};
    std::vector<std::uint64_t> reached;
    for (const Arena& arena : arenas_) reached.push_back(arena.reached());
    return reached;
  }

 private:
  bool is_device(std::int16_t backend) const { return !schedule_.host_is_only && backend + 1 < schedule_.backends; }
  State& state(Id id) { return states_[static_cast<std::size_t>(id)]; }
  Arena& arena(std::int16_t backend) { return arenas_[static_cast<std::size_t>(backend)]; }
  /// At the second of two results: are the buffers divided as they were at the first?
  bool is_alike(Id computed) {
    if (next_left_out_ == graph_.left_out().size()) return true;
    const Graph::LeftOut& here = graph_.left_out()[next_left_out_];
    if (computed == here.a) {
      before_.clear();
      for (const Arena& arena : arenas_) before_.push_back(arena.holes());
    }
    if (computed != here.b) return true;
    ++next_left_out_;
    const State &a = state(here.a), &b = state(here.b);
    if (before_.empty() || b.elsewhere || a.offset != b.offset || a.backend != b.backend) return false;
    for (std::size_t i = 0; i < arenas_.size(); ++i) {
      if (before_[i] != arenas_[i].holes()) return false;
    }
    before_.clear();
    return true;
  }

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
      State& from = state(source);
      if (!from.placed || from.readers != 1 || from.views != 0) continue;
      const Node& parent = graph_.node(source);
      if (parent.output || (parent.is_view() && graph_.node(parent.view_of).output)) continue;
      if (!same_layout(node, parent)) continue;
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
    State& to = state(id);
    if (to.placed || to.elsewhere || take_over(id)) return;
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
    if (of.view_of == kNone) {
      if (of.placed) give_back(source);
      return;
    }
    State& owner = state(of.view_of);
    if (--owner.views == 0 && owner.readers == 0 && owner.placed) give_back(of.view_of);
  }

  const Graph& graph_;
  const Schedule& schedule_;
  std::vector<State> states_;
  std::vector<Arena> arenas_;
  std::vector<std::vector<Hole>> before_;
  std::size_t next_left_out_ = 0;
};

}  // namespace

std::vector<std::uint64_t> allocate(const Graph& graph, const Schedule& schedule) { return Walk(graph, schedule).run(); }

}  // namespace vram::llamacpp
