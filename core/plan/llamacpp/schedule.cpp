#include "core/plan/llamacpp/schedule.h"

#include <utility>

namespace vram::llamacpp {

namespace {

/// Types that ik_llama.cpp repacks for the CPU (iqk_repack_tensor), and those of them that its CUDA code reads all the
/// same (its #492, #493).
enum class CpuLayout : std::uint8_t { none, also_cuda, cpu_only };
CpuLayout cpu_layout(FormatId type) {
  using F = FormatId;
  switch (type) {
    case F::iq2_k: case F::iq3_k: case F::iq4_k: case F::iq5_k: case F::iq4_ks: case F::iq5_ks: case F::iq1_s:
    case F::iq1_m: return CpuLayout::also_cuda;
    case F::q4_0: case F::q5_0: case F::q6_0: case F::q8_0: case F::q2_k: case F::q3_k: case F::q4_k: case F::q5_k:
    case F::q6_k: case F::iq2_xxs: case F::iq2_xs: case F::iq2_s: case F::iq3_xxs: case F::iq3_s: case F::iq4_nl:
    case F::iq4_xs: case F::iq6_k: return CpuLayout::cpu_only;
    default: return CpuLayout::none;
  }
}

}  // namespace

class Scheduler {
 public:
  Scheduler(Graph& graph, const ScheduleRules& rules)
      : graph_(graph), rules_(rules), host_(static_cast<std::int16_t>(rules.devices)),
        copies_(rules.pipeline ? kPipelineCopies : 1), backend_(graph.size(), -1),
        facts_(graph.size()), first_copies_(graph.size(), -1) {
    for (std::size_t i = 0; i < facts_.size(); ++i) {
      const Node& node = graph.node(static_cast<Id>(i));
      const Node& owner = node.is_view() ? graph.node(node.view_of) : node;
      if (owner.home != Home::graph) facts_[i].home = owner.backend;
      facts_[i].view = node.op == Op::view;
      facts_[i].weight = node.home == Home::weight;
      facts_[i].input = node.input;
    }
  }

  Schedule run() {
    assign();
    split();
    Schedule done;
    done.backends = rules_.devices + 1;
    done.host_is_only = rules_.devices == 0;
    done.leaves.reserve(graph_.leaves_.size() + copies_of_.size() * static_cast<std::size_t>(copies_));
    done.steps.reserve(graph_.order_.size() + 2 * copies_of_.size() + graph_.kept_.size());
    if (copies_ > 1) {
      for (const Id input : graph_inputs_) add_copies(done, input, of(input));
      for (const Split& split : splits_) {
        for (const Id input : split.inputs) add_copies(done, input, split.backend);
      }
    }
    for (const Id leaf : graph_.leaves_) done.leaves.push_back({leaf, of(leaf)});
    std::size_t next_kept = 0;  // in the order of execution
    for (const Split& split : splits_) {
      for (const Id input : split.inputs) {
        done.steps.push_back({input, of(input), true});
        done.steps.push_back({copy(input, split.backend, 0), split.backend});
      }
      for (std::size_t i = split.first; i < split.last; ++i) {
        const Id id = graph_.order_[i];
        done.steps.push_back({id, of(id)});
        for (; next_kept < graph_.kept_.size() && graph_.kept_[next_kept].until == id; ++next_kept) {
          if (of(id) != host_) done.steps.push_back({graph_.kept_[next_kept].tensor, split.backend, true});
        }
      }
    }
    return done;
  }

 private:
  static constexpr int kPipelineCopies = 4;  // GGML_SCHED_MAX_COPIES
  static constexpr std::size_t kSplitInputs = 30;  // GGML_SCHED_MAX_SPLIT_INPUTS

  struct Split {
    std::int16_t backend = 0;
    std::size_t first = 0, last = 0;
    std::vector<Id> inputs;
  };

  std::int16_t& of(Id id) { return backend_[static_cast<std::size_t>(id)]; }

  /// What is asked of every tensor that something reads.
  struct Facts {
    std::int16_t home = -1;  ///< backend in whose memory it, or what it is a view of, lies already; −1 = nowhere yet
    bool view = false;       ///< only a view: not computed
    bool weight = false, input = false;
  };
  const Facts& facts(Id id) const { return facts_[static_cast<std::size_t>(id)]; }

  /// Rows of the batch that an operation on a weight works on (ggml-cuda, get_op_batch_size).
  std::uint64_t batch_rows(const Node& node) const {
    switch (node.op) {
      case Op::get_rows: return 0;
      case Op::mul_mat: return node.ne[1];
      case Op::mul_mat_id:
      case Op::rope: return node.ne[2];
      default: return node.rows();
    }
  }

  std::int16_t from_current(Id id) const {
    if (facts(id).home >= 0) return facts(id).home;
    if (facts(id).input) return host_;
    const Node& node = graph_.node(id);
    if (node.op == Op::rope || node.op == Op::flash_attention) return -1;
    for (const Id source : graph_.sources(id)) {
      if (!facts(source).weight) continue;
      const std::int16_t where = graph_.node(source).backend;
      const std::uint64_t batch = node.op == Op::mul_mat_id ? rules_.offload_expert_batch : rules_.offload_batch;
      const CpuLayout layout = rules_.repacked ? cpu_layout(graph_.node(source).type) : CpuLayout::none;
      const bool stays = layout == CpuLayout::cpu_only || (layout == CpuLayout::also_cuda && !rules_.reads_repacked);
      const bool moves = rules_.offload && where == host_ && rules_.devices > 0 && !stays && batch_rows(node) >= batch;
      return moves ? std::int16_t{0} : where;
    }
    return -1;
  }

  void expand(bool down, bool devices_only) {
    std::int16_t current = -1;
    const std::size_t count = computed_.size();
    for (std::size_t i = 0; i < count; ++i) {
      std::int16_t& here = of(computed_[down ? i : count - 1 - i]);
      if (here >= 0) {
        current = devices_only && here == host_ ? std::int16_t{-1} : here;
      } else if (current >= 0) {
        here = current;
      }
    }
  }

  void assign() {
    for (const Id leaf : graph_.leaves_) of(leaf) = from_current(leaf);
    computed_.reserve(graph_.order_.size());
    for (const Id id : graph_.order_) {
      const Node& node = graph_.node(id);
      of(id) = node.backend >= 0 && node.home == Home::graph ? node.backend : from_current(id);
      if (node.op != Op::view) computed_.push_back(id);
    }
    expand(true, true);
    expand(false, true);
    expand(true, false);
    expand(false, false);
    for (const Id id : graph_.order_) {
      const Node& node = graph_.node(id);
      if (node.is_view() && of(id) < 0) of(id) = of(node.view_of);
      for (const Id source : graph_.sources(id)) {
        if (of(source) >= 0) continue;
        const Node& from = graph_.node(source);
        of(source) = from.is_view() ? of(from.view_of) : of(id);
      }
      if (of(id) < 0) of(id) = 0;
    }
  }

  bool reachable(Id id, std::int16_t backend) {
    return (facts(id).home >= 0 ? facts(id).home : of(id)) == backend;
  }

  Id copy(Id id, std::int16_t backend, int number) const {
    for (std::int32_t i = first_copies_[static_cast<std::size_t>(id)]; i >= 0;) {
      const Copies& one = copies_of_[static_cast<std::size_t>(i)];
      if (one.backend == backend) return one.copies[static_cast<std::size_t>(number)];
      i = one.next;
    }
    return kNone;
  }

  void make_copies(Id id, std::int16_t backend, bool original_is_first) {
    std::int32_t& first = first_copies_[static_cast<std::size_t>(id)];
    Copies made{backend, first, {kNone, kNone, kNone, kNone}};
    for (int number = 0; number < copies_; ++number) {
      Id& here = made.copies[static_cast<std::size_t>(number)];
      here = id;
      if (number > 0 || !original_is_first) {
        here = graph_.copied(id);
        backend_.push_back(backend);
      }
      if (copies_ > 1) graph_.node(here).input = graph_.node(here).output = true;
    }
    first = static_cast<std::int32_t>(copies_of_.size());
    copies_of_.push_back(made);
  }

  void split() {
    const std::vector<Id>& order = graph_.order_;
    std::size_t i = 0;
    while (i < order.size() && facts(order[i]).view) ++i;
    splits_.push_back({i < order.size() ? of(order[i]) : host_, 0, 0, {}});
    for (; i < order.size(); ++i) {
      const Id id = order[i];
      if (facts(id).view) continue;
      const std::int16_t here = of(id);
      if (here != splits_.back().backend || (!splits_.back().inputs.empty() && wants_new_split(id))) {
        splits_.back().last = i;
        splits_.push_back({here, i, i, {}});
      }
      const std::uint32_t first = graph_.node(id).first_source, end = first + graph_.node(id).source_count;
      for (std::uint32_t s = first; s < end; ++s) {
        Id& source = graph_.sources_[s];
        if (copies_ > 1 && facts(source).input && copy(source, of(source), 0) == kNone) {
          make_copies(source, of(source), true);
          graph_inputs_.push_back(source);
        }
        if (of(source) == here || reachable(source, here)) continue;
        if (copy(source, here, 0) == kNone) {
          make_copies(source, here, false);
          splits_.back().inputs.push_back(source);
        }
        source = copy(source, here, 0);
      }
    }
    splits_.back().last = order.size();
  }

  /// A weight from elsewhere starts a new split, so that the memory of the weights before it can be used again.
  bool wants_new_split(Id id) {
    const std::int16_t here = splits_.back().backend;
    for (const Id source : graph_.sources(id)) {
      if (facts(source).weight && of(source) != here && !reachable(source, here)) return true;
      if (splits_.back().inputs.size() >= kSplitInputs && of(source) != here && copy(source, here, 0) == kNone &&
          !reachable(source, here)) {
        return true;
      }
    }
    return false;
  }

  void add_copies(Schedule& done, Id input, std::int16_t backend) {
    for (int number = 0; number < copies_; ++number) done.leaves.push_back({copy(input, backend, number), backend});
  }

  /// Of one tensor on one backend.
  struct Copies {
    std::int16_t backend;
    std::int32_t next;  ///< in copies_of_, those on another backend; −1 = no more
    std::array<Id, kPipelineCopies> copies;
  };

  Graph& graph_;
  const ScheduleRules& rules_;
  std::int16_t host_;
  int copies_;
  std::vector<std::int16_t> backend_;
  std::vector<Facts> facts_;                 ///< of the tensors that were there before any copy
  std::vector<Id> computed_;                 ///< in order, without views
  std::vector<std::int32_t> first_copies_;   ///< of each tensor, in copies_of_; −1 = none
  std::vector<Copies> copies_of_;
  std::vector<Id> graph_inputs_;
  std::vector<Split> splits_;
};

Schedule schedule(Graph& graph, const ScheduleRules& rules) { return Scheduler(graph, rules).run(); }

}  // namespace vram::llamacpp
