// Feed-forward blocks: dense, experts, and both.
#include "core/plan/llamacpp/build.h"

namespace vram::llamacpp {

/// activation(gate) × up.
Id Builder::join(Id gate, Id up) {
  if (pass_.build.glu_in_one) return graph_.result("joined", FormatId::fp32, graph_.node(gate).ne, {gate, up});
  return mul("joined", unary("joined", gate), up);
}

Id Builder::dense(Id x, Slot gate, Slot up, Slot down, int il) {
  if (pass_.build.ik && pass_.build.ik_fused_dense && rules_.feed == Activation::gated && !rules_.feed_bias) {
    const Shape of = graph_.node(x).ne;
    const Id y = graph_.result("joined", FormatId::fp32, shape(graph_.node(weight(up, il)).ne[1], of[1], of[2], of[3]), {weight(up, il), weight(gate, il), x});
    graph_.node(y).op = Op::mul_mat;
    return project("down", down, y, il);
  }
  Id y = project("up", up, x, il);
  if (rules_.feed_bias && up == Slot::ffn_up) y = add("up", y, weight(Slot::ffn_up_b, il));
  switch (rules_.feed) {
    case Activation::gated: {
      const Id g = project("gate", gate, x, il);
      y = join(g, y);
      break;
    }
    case Activation::fused: {
      Shape half = graph_.node(y).ne;
      half[0] /= 2;
      y = graph_.result("joined", FormatId::fp32, half, {y});
      break;
    }
    case Activation::squared: y = unary("up", y); [[fallthrough]];
    case Activation::plain: y = unary("up", y); break;
  }
  y = project("down", down, y, il);
  if (rules_.feed_bias && down == Slot::ffn_down) y = add("down", y, weight(Slot::ffn_down_b, il));
  return y;
}

/// The best `experts_used` of the scores; with groups, among the experts of the best half of the groups.
Id Builder::choose(Id scores) {
  const std::uint64_t t = graph_.node(scores).ne[1], n = model_.experts, used = model_.experts_used;
  const std::uint64_t groups = rules_.expert_groups;
  const auto best = [&](Id of, std::uint64_t k) {
    const Shape ne = graph_.node(of).ne;
    const Id sorted = graph_.result("sorted", FormatId::raw32, ne, {of});
    const Shape nb = graph_.node(sorted).nb;
    return graph_.view(sorted, shape(k, ne[1], ne[2], ne[3]), nb[1], nb[2], nb[3], 0);
  };
  if (groups > 1 && n % groups == 0) {
    const std::uint64_t each = n / groups, kept = groups / 2;
    const Id grouped = graph_.reshape(scores, shape(each, groups, t));
    const Id top = best(grouped, 2);
    Id sums = graph_.get_rows(graph_.reshape(grouped, shape(1, each, groups, t)), top);
    sums = graph_.reshape(sums, shape(2, groups, t));
    sums = graph_.result("group scores", FormatId::fp32, shape(1, groups, t), {sums});
    sums = graph_.reshape(sums, shape(groups, t));
    const Id chosen = best(sums, kept);
    const Id rows = graph_.get_rows(grouped, chosen);
    const Id blank = unary("group scores", grouped);
    scores = graph_.reshape(graph_.write("group scores", blank, {rows, chosen}), shape(n, t));
  }
  return best(scores, used);
}

/// On a GPU the choice of experts is one kernel from the router's logits to the weights; what lies between is kept until
/// its end (ggml-cuda.cu, graph_optimize).
void Builder::keep_choice(Id logits, Id weights) {
  const Id last = graph_.node(weights).is_view() ? graph_.node(weights).view_of : weights;
  graph_.keep(logits, last);
  for (Id id = logits + 1; id < last; ++id) {
    const Node& node = graph_.node(id);
    if (node.op != Op::leaf && !node.is_view()) graph_.keep(id, last);
  }
}

Id Builder::experts(Id x, int il, Id logits, Id router_input) {
  const std::uint64_t n = model_.experts, used = model_.experts_used;
  const Shape ne = graph_.node(x).ne;
  const std::uint64_t width = ne[0], t = ne[1];
  if (logits == kNone) logits = project("router", Slot::ffn_gate_inp, router_input == kNone ? x : router_input, il);
  if (rules_.expert_bias) logits = add("router", logits, weight(Slot::ffn_gate_inp_b, il));
  const Id probabilities = rules_.gating == Gating::softmax_of_chosen ? logits : unary("router", logits);
  Id selection = probabilities;
  if (rules_.probability_bias && has(Slot::exp_probs_b, il)) selection = add("router", probabilities, weight(Slot::exp_probs_b, il));
  const Id chosen = choose(selection);
  Id weights = graph_.get_rows(graph_.reshape(probabilities, shape(1, n, t)), chosen);
  if (rules_.gating == Gating::softmax_of_chosen) {
    weights = unary("router", graph_.reshape(weights, shape(used, t)));
    weights = graph_.reshape(weights, shape(1, used, t));
  }
  if (rules_.normed_weights) {
    weights = graph_.reshape(weights, shape(used, t));
    Id sum = graph_.result("router", FormatId::fp32, shape(1, t), {weights});
    sum = unary("router", sum);
    weights = graph_.element_wise("router", weights, sum);
    weights = graph_.reshape(weights, shape(1, used, t));
  }
  if (rules_.scaled_weights) weights = unary("router", weights);
  if (pass_.build.fused_experts && rules_.expert_groups <= 1) keep_choice(logits, weights);
  graph_.expand(weights);
  x = graph_.reshape(x, shape(width, 1, t));

  Id y = kNone;
  if (pass_.build.ik && pass_.fused_experts && !rules_.fused_gate_up && !rules_.expert_bias && has(Slot::ffn_gate_exps, il)) {
    y = graph_.result("experts up", FormatId::fp32, shape(model_.expert_width, used, t),
                      {weight(Slot::ffn_up_exps, il), weight(Slot::ffn_gate_exps, il), x, chosen});
    graph_.node(y).op = Op::mul_mat_id;
  } else if (rules_.fused_gate_up) {
    const Id both = graph_.mul_mat_id("experts up", weight(Slot::ffn_gate_up_exps, il), x, chosen);
    const Node& of = graph_.node(both);
    const std::uint64_t half = of.ne[0] / 2, nb1 = of.nb[1], nb2 = of.nb[2], nb3 = of.nb[3];
    const Id gate = graph_.view(both, shape(half, used, t), nb1, nb2, nb3, 0);
    const Id up = graph_.view(both, shape(half, used, t), nb1, nb2, nb3, 4 * half);
    y = join(gate, up);
  } else {
    Id up = graph_.mul_mat_id("experts up", weight(Slot::ffn_up_exps, il), x, chosen);
    if (rules_.expert_bias) up = graph_.element_wise("experts up", up, weight(Slot::ffn_up_exps_b, il), chosen);
    if (has(Slot::ffn_gate_exps, il)) {
      Id gate = graph_.mul_mat_id("experts up", weight(Slot::ffn_gate_exps, il), x, chosen);
      if (rules_.expert_bias) gate = graph_.element_wise("experts up", gate, weight(Slot::ffn_gate_exps_b, il), chosen);
      y = join(gate, up);
    } else {
      y = unary("experts up", unary("experts up", up));  // relu, square
    }
  }
  Id out = graph_.mul_mat_id("experts down", weight(Slot::ffn_down_exps, il), y, chosen);
  if (rules_.expert_bias) out = graph_.element_wise("experts down", out, weight(Slot::ffn_down_exps_b, il), chosen);
  const Id unweighted = out;
  out = mul("experts down", out, weights);
  if (pass_.build.ik && used > 2) {  // one sum over all
    const Shape nb = graph_.node(out).nb;
    return graph_.result("experts sum", FormatId::fp32, shape(width, t), {graph_.view(out, shape(width, t), nb[2], nb[2] * t, nb[2] * t, 0)});
  }
  graph_.expand(out);
  std::vector<Id> parts;
  const std::uint64_t nb1 = graph_.node(out).nb[1], nb2 = graph_.node(out).nb[2];
  for (std::uint64_t i = 0; i < used; ++i) {
    parts.push_back(graph_.view(out, shape(width, t), nb2, nb2 * t, nb2 * t, i * nb1));
    graph_.expand(parts.back());
  }
  Id sum = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i) {
    sum = add("experts sum", sum, parts[i]);
    graph_.expand(sum);
  }
  if (parts.size() == 1) return graph_.cont("experts sum", sum);
  // On a GPU weighting and sum are one kernel, which reads its inputs to the end (ggml-cuda.cu, graph_optimize).
  if (pass_.build.fused_experts) {
    graph_.keep(unweighted, sum);
    graph_.keep(weights, sum);
  }
  return sum;
}

Id Builder::feed(Id x, int il) {
  const Layer& layer = model_.layers[static_cast<std::size_t>(il)];
  if (!layer.experts) return dense(x, Slot::ffn_gate, Slot::ffn_up, Slot::ffn_down, il);
  const auto shared = [&] {
    Id y = dense(x, Slot::ffn_gate_shexp, Slot::ffn_up_shexp, Slot::ffn_down_shexp, il);
    if (rules_.shared_gate) {
      const Id gate = unary("shared gate", project("shared gate", Slot::ffn_gate_inp_shexp, x, il));
      y = mul("shared expert", y, gate);
    }
    return y;
  };
  const bool has_shared = has(Slot::ffn_up_shexp, il);
  const Id first = has_shared && rules_.shared_first ? shared() : kNone;
  Id y = kNone;
  if (has(Slot::ffn_latent_down, il)) {
    const Id logits = project("router", Slot::ffn_gate_inp, x, il);
    y = experts(project("latent", Slot::ffn_latent_down, x, il), il, logits);
    y = project("latent", Slot::ffn_latent_up, y, il);
  } else {
    y = experts(x, il);
  }
  if (first != kNone) return add("experts sum", y, first);
  return has_shared ? add("experts sum", y, shared()) : y;
}

/// A dense block and experts beside it, each between norms of its own; the router reads what comes before the norms.
Id Builder::gemma4_feed(Id x, int il) {
  Id mlp = rms_norm(x, Slot::ffn_norm, il);
  mlp = dense(mlp, Slot::ffn_gate, Slot::ffn_up, Slot::ffn_down, il);
  mlp = rms_norm(mlp, Slot::ffn_post_norm_1, il);
  const Id normed = rms_norm(x, Slot::ffn_pre_norm_2, il);
  Id router = unary("router", unary("router", x));  // norm, scale
  router = mul("router", router, weight(Slot::ffn_gate_inp_s, il));
  const Id logits = project("router", Slot::ffn_gate_inp, router, il);
  Id moe = experts(normed, il, logits);
  moe = rms_norm(moe, Slot::ffn_post_norm_2, il);
  return add("experts sum", mlp, moe);
}

}  // namespace vram::llamacpp
