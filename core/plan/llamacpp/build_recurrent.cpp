// Recurrent mixers: Mamba 1 and 2, gated delta net, short convolution.
//
// Each keeps a convolution state and (except the short convolution) a state matrix a sequence. A pass reads the states
// of its sequences, computes, and writes them back.
#include <algorithm>

#include "core/plan/llamacpp/build.h"

namespace vram::llamacpp {

Id Builder::state_cache(int il, bool convolution) {
  Id& made = (convolution ? conv_caches_ : ssm_caches_)[static_cast<std::size_t>(il)];
  if (made != kNone) return made;
  const std::uint64_t channels = model_.inner + 2 * std::uint64_t{model_.groups} * model_.state;
  const std::uint64_t window = rules_.recurrence == Recurrence::short_conv ? model_.n_embd : channels;
  const std::uint64_t size = convolution ? (model_.conv - 1) * window : std::uint64_t{model_.state} * model_.inner;
  const std::int16_t backend = pass_.cache_on_device ? layer_backend(il) : pass_.host();
  return made = graph_.cache("state", FormatId::fp32, shape(size, pass_.sequences * (1 + pass_.rollback)), backend);
}

/// States of the batch's sequences as a matrix, with the one to be cleared cleared (build_rs).
Id Builder::state_view(Id all, std::uint64_t size) {
  const Id states = graph_.reshape(all, shape(size, graph_.node(all).ne[1]));
  const Id first = graph_.view(states, shape(0), 0, 0, 0, 0);
  graph_.expand(graph_.write("state", first, {}));
  return states;
}

Id Builder::read_state(Id all, std::uint64_t size) {
  const Id states = state_view(all, size);
  const Id read = graph_.get_rows(states, state_main_);
  graph_.node(read).name = "state";
  graph_.expand(read);
  const Id extra = graph_.get_rows(states, state_extra_);
  graph_.expand(graph_.write("state", graph_.view(all, shape(size, 0), 0, 0, 0, 0), {extra}));
  return read;
}

void Builder::keep_state(Id all, Id last, std::uint64_t size) {
  graph_.expand(graph_.write("state", graph_.view(all, shape(size), 4 * size, 4 * size, 4 * size, 0), {last}));
}

Id Builder::recurrent(Id x, int il) {
  switch (rules_.recurrence) {
    case Recurrence::mamba1: return mamba1(x, il);
    case Recurrence::mamba2: return mamba2(x, il);
    case Recurrence::delta_net: return delta_net(x, il);
    default: return short_conv(x, il);
  }
}

Id Builder::mamba1(Id x, int il) {
  const std::uint64_t s = pass_.sequences, n = pass_.tokens / s, inner = model_.inner, state = model_.state;
  const std::uint64_t kept = model_.conv - 1, rank = model_.step_rank;
  const Id conv_all = state_cache(il, true), ssm_all = state_cache(il, false);
  Id conv = read_state(conv_all, kept * inner);
  x = graph_.reshape(x, shape(graph_.node(x).ne[0], n, s));
  const Id xz = project("mixer in", Slot::ssm_in, x, il);
  const Shape nb = graph_.node(xz).nb;
  const Id half = graph_.view(xz, shape(inner, n, s), nb[1], nb[2], nb[3], 0);
  const Id z = graph_.view(xz, shape(inner, n, s), nb[1], nb[2], nb[3], 4 * inner);
  // The order is llama.cpp's: the state is written before the convolution is computed.
  conv = graph_.reshape(conv, shape(kept, inner, s));
  const Id input = graph_.result("convolution", FormatId::fp32, shape(kept + n, inner, s), {conv, graph_.transpose(half)});
  const Shape in = graph_.node(input).nb;
  keep_state(conv_all, graph_.view(input, shape(kept, inner, s), in[1], in[2], in[3], 4 * n), kept * inner * s);
  Id y = graph_.result("convolution", FormatId::fp32, shape(inner, n, s), {input, weight(Slot::ssm_conv1d, il)});
  y = add("convolution", y, weight(Slot::ssm_conv1d_b, il));
  y = unary("convolution", y);

  const Id x_db = project("mixer", Slot::ssm_x, y, il);
  const Shape db = graph_.node(x_db).nb;
  Id dt = graph_.view(x_db, shape(rank, n, s), db[1], db[2], db[3], 0);
  Id b = graph_.view(x_db, shape(state, 1, n, s), 4 * state, db[1], db[2], 4 * rank);
  Id c = graph_.view(x_db, shape(state, 1, n, s), 4 * state, db[1], db[2], 4 * (rank + state));
  if (rules_.step_norms || model_.arch == "mamba") {
    // FalconMamba norms without weights, plain Mamba not at all; the files do not differ in what is stored.
    dt = rms_norm(dt, Slot::ssm_dt_norm, il);
    b = rms_norm(b, Slot::ssm_b_norm, il);
    c = rms_norm(c, Slot::ssm_c_norm, il);
  }
  dt = add("mixer", project("mixer", Slot::ssm_dt, dt, il), weight(Slot::ssm_dt_b, il));
  const Id flat = graph_.reshape(y, shape(1, inner, n, s));
  const Id states = state_view(ssm_all, state * inner);
  const Id ssm = graph_.reshape(states, shape(state, 1, inner, graph_.node(ssm_all).ne[1]));
  const Id scan = graph_.result("scan", FormatId::fp32, shape(inner * n * s + state * inner * s),
                                {ssm, flat, dt, weight(Slot::ssm_a, il), b, c, state_main_});
  graph_.expand(scan);
  const Id extra = graph_.get_rows(states, state_extra_);
  graph_.expand(graph_.write("state", graph_.view(ssm_all, shape(state * inner, 0), 0, 0, 0, 0), {extra}));
  const std::uint64_t size = state * inner * s;
  keep_state(ssm_all, graph_.view(scan, shape(size), 4 * size, 4 * size, 4 * size, 4 * inner * n * s), size);
  Id out = graph_.view(scan, shape(inner, n, s), 4 * inner, 4 * inner * n, 4 * inner * n * s, 0);
  out = add("mixer", out, mul("mixer", y, weight(Slot::ssm_d, il)));
  out = join(graph_.cont("mixer", z), out);
  out = project("mixer out", Slot::ssm_out, out, il);
  return graph_.reshape(out, shape(graph_.node(out).ne[0], n * s));
}

Id Builder::mamba2(Id x, int il) {
  const std::uint64_t s = pass_.sequences, n = pass_.tokens / s, inner = model_.inner, state = model_.state;
  const std::uint64_t groups = model_.groups, heads = model_.step_rank, head = inner / std::max<std::uint64_t>(1, heads);
  const std::uint64_t channels = inner + 2 * groups * state, kept = model_.conv - 1;
  const Id conv_all = state_cache(il, true), ssm_all = state_cache(il, false);
  Id conv = read_state(conv_all, kept * channels);
  x = graph_.reshape(x, shape(graph_.node(x).ne[0], n, s));
  const Id all = project("mixer in", Slot::ssm_in, x, il);
  const Shape nb = graph_.node(all).nb;
  const Id z = graph_.view(all, shape(head, heads, n, s), 4 * head, nb[1], nb[2], 0);
  const Id xbc = graph_.view(all, shape(channels, n, s), nb[1], nb[2], nb[3], 4 * inner);
  Id dt = graph_.view(all, shape(heads, n, s), nb[1], nb[2], nb[3], 4 * (inner + channels));
  conv = graph_.reshape(conv, shape(kept, channels, s));
  const Id input = graph_.result("convolution", FormatId::fp32, shape(kept + n, channels, s), {conv, graph_.transpose(xbc)});
  const Shape in = graph_.node(input).nb;
  keep_state(conv_all, graph_.view(input, shape(kept, channels, s), in[1], in[2], in[3], 4 * n), kept * channels * s);
  Id y = graph_.result("convolution", FormatId::fp32, shape(channels, n, s), {input, weight(Slot::ssm_conv1d, il)});
  y = add("convolution", y, weight(Slot::ssm_conv1d_b, il));
  y = unary("convolution", y);
  const Shape yb = graph_.node(y).nb;
  const Id v = graph_.view(y, shape(head, heads, n, s), 4 * head, yb[1], yb[2], 0);
  const Id b = graph_.view(y, shape(state, groups, n, s), 4 * state, yb[1], yb[2], 4 * inner);
  const Id c = graph_.view(y, shape(state, groups, n, s), 4 * state, yb[1], yb[2], 4 * (inner + groups * state));
  dt = add("mixer", graph_.cont("mixer", dt), weight(Slot::ssm_dt_b, il));
  const Id states = state_view(ssm_all, state * inner);
  const Id ssm = graph_.reshape(states, shape(state, head, heads, graph_.node(ssm_all).ne[1]));
  const Id scan = graph_.result("scan", FormatId::fp32, shape(inner * n * s + state * inner * s),
                                {ssm, v, dt, weight(Slot::ssm_a, il), b, c, state_main_});
  graph_.expand(scan);
  const Id extra = graph_.get_rows(states, state_extra_);
  graph_.expand(graph_.write("state", graph_.view(ssm_all, shape(state * inner, 0), 0, 0, 0, 0), {extra}));
  const std::uint64_t size = state * inner * s;
  keep_state(ssm_all, graph_.view(scan, shape(size), 4 * size, 4 * size, 4 * size, 4 * inner * n * s), size);
  Id out = graph_.view(scan, shape(head, heads, n, s), 4 * head, 4 * inner, 4 * inner * n, 0);
  out = add("mixer", out, mul("mixer", v, weight(Slot::ssm_d, il)));
  out = join(graph_.cont("mixer", z), out);
  if (has(Slot::ssm_norm, il)) {
    out = graph_.reshape(out, shape(inner / groups, groups, n, s));
    out = rms_norm(out, Slot::ssm_norm, il);
  }
  out = graph_.reshape(out, shape(inner, n, s));
  out = project("mixer out", Slot::ssm_out, out, il);
  return graph_.reshape(out, shape(graph_.node(out).ne[0], n * s));
}

Id Builder::delta_net(Id x, int il) {
  const std::uint64_t s = pass_.sequences, n = pass_.tokens / s, inner = model_.inner;
  const std::uint64_t key = model_.state, key_heads = model_.groups, heads = model_.step_rank;
  const std::uint64_t value = inner / std::max<std::uint64_t>(1, heads);
  const std::uint64_t channels = inner + 2 * key_heads * key, kept = model_.conv - 1;
  Id qkv = project("mixer in", Slot::attn_qkv, x, il);
  qkv = graph_.reshape(qkv, shape(channels, n, s));
  const Id z = project("mixer gate", Slot::attn_gate, x, il);
  Id beta = kNone, alpha = kNone;
  if (has(Slot::ssm_ba, il)) {
    Id both = project("mixer", Slot::ssm_ba, x, il);
    const std::uint64_t each = heads / std::max<std::uint64_t>(1, key_heads);
    both = graph_.reshape(both, shape(2 * each, key_heads, n, s));
    const Shape nb = graph_.node(both).nb;
    const Id b = graph_.view(both, shape(each, key_heads, n, s), nb[1], nb[2], nb[3], 0);
    const Id a = graph_.view(both, shape(each, key_heads, n, s), nb[1], nb[2], nb[3], 4 * each);
    beta = unary("mixer", graph_.cont("mixer", b, shape(1, heads, n, s)));
    alpha = graph_.cont("mixer", a, shape(heads, n, s));
  } else {
    beta = project("mixer", Slot::ssm_beta, x, il);
    beta = unary("mixer", graph_.reshape(beta, shape(1, heads, n, s)));
    alpha = graph_.reshape(project("mixer", Slot::ssm_alpha, x, il), shape(heads, n, s));
  }
  alpha = unary("mixer", add("mixer", alpha, weight(Slot::ssm_dt_b, il)));
  Id gate = mul("mixer", alpha, weight(Slot::ssm_a, il));
  gate = graph_.reshape(gate, shape(1, heads, n, s));

  const Id conv_all = state_cache(il, true), ssm_all = state_cache(il, false);
  Id conv = read_state(conv_all, kept * channels);
  conv = graph_.reshape(conv, shape(kept, channels, s));
  const Id input = graph_.result("convolution", FormatId::fp32, shape(kept + n, channels, s), {conv, graph_.transpose(qkv)});
  const Shape in = graph_.node(input).nb;
  for (std::uint64_t i = 0; i <= pass_.rollback; ++i) {
    keep_state(conv_all, graph_.view(input, shape(kept, channels, s), in[1], in[2], in[3], 4 * n), kept * channels * s);
  }
  Id state = read_state(ssm_all, key * inner);
  state = graph_.reshape(state, shape(value, value, heads, s));
  Id mixed = graph_.result("convolution", FormatId::fp32, shape(channels, n, s), {input, weight(Slot::ssm_conv1d, il)});
  mixed = unary("convolution", mixed);
  const std::uint64_t row = 4 * channels;
  Id q = graph_.view(mixed, shape(key, key_heads, n, s), 4 * key, row, row * n, 0);
  Id k = graph_.view(mixed, shape(key, key_heads, n, s), 4 * key, row, row * n, 4 * key * key_heads);
  const Id v = graph_.view(mixed, shape(value, heads, n, s), 4 * value, row, row * n, 8 * key * key_heads);
  q = graph_.result("mixer", FormatId::fp32, graph_.node(q).ne, {q});  // l2 norm
  k = graph_.result("mixer", FormatId::fp32, graph_.node(k).ne, {k});
  Id out = kNone;
  const std::uint64_t size = value * value * heads * s;
  if (pass_.build.fused_delta) {
    const std::uint64_t states = 1 + pass_.rollback;
    const Id delta = graph_.result("delta net", FormatId::fp32, shape(value * heads, n * s + states * value * s),
                                   {q, k, v, gate, beta, state});
    out = graph_.view(delta, shape(value, heads, n, s), 4 * value, 4 * value * heads, 4 * value * heads * n, 0);
    const std::uint64_t all = size * states;
    const Id last = graph_.view(delta, shape(all), 4 * all, 4 * all, 4 * all, 4 * value * heads * n * s);
    keep_state(ssm_all, last, all);
  } else {
    if (key_heads != heads) {
      q = graph_.result("mixer", FormatId::fp32, shape(key, heads, n, s), {q});
      k = graph_.result("mixer", FormatId::fp32, shape(key, heads, n, s), {k});
    }
    Id new_state = kNone;
    out = delta_chunks(q, k, v, gate, beta, state, new_state);
    keep_state(ssm_all, new_state, size);
  }
  const Id z4 = graph_.reshape(z, shape(value, heads, n, s));
  const Id normed = rms_norm(out, Slot::ssm_norm, il);
  Id y = mul("mixer", normed, unary("mixer gate", z4));
  y = graph_.reshape(y, shape(inner, n, s));
  y = project("mixer out", Slot::ssm_out, y, il);
  return graph_.reshape(y, shape(model_.n_embd, n * s));
}

/// The same recurrence in chunks of 64 tokens, as builds before 2026-03 computed it (delta-net-base.cpp).
Id Builder::delta_chunks(Id q, Id k, Id v, Id g, Id beta, Id state, Id& new_state) {
  const Shape of = graph_.node(v).ne;
  const std::uint64_t value = of[0], heads = of[1], n = of[2], s = of[3], chunk = 64;
  const std::uint64_t chunks = (n + chunk - 1) / chunk, all = heads * s;
  const auto make = [&](Shape ne, std::initializer_list<Id> from) { return graph_.result("delta net", FormatId::fp32, ne, from); };
  const auto element = [&](Id a, Id b = kNone) { return graph_.element_wise("delta net", a, b); };
  const auto turned = [&](Id a) {
    const Id t = graph_.transpose(a);
    return make(graph_.node(t).ne, {t});
  };
  const auto padded = [&](Id a) {
    const Id p = graph_.permute(a, 0, 2, 1, 3);
    Shape ne = graph_.node(p).ne;
    ne[1] = chunks * chunk;
    return make(ne, {p});
  };
  const auto chunked = [&](Id a) { return graph_.reshape(a, shape(graph_.node(a).ne[0], chunk, chunks, all)); };
  q = element(q);
  q = padded(q);
  k = padded(k);
  v = padded(v);
  g = padded(g);
  beta = padded(beta);
  Id v_b = chunked(element(v, beta));
  Id k_b = chunked(element(k, beta));
  q = chunked(q);
  k = chunked(k);
  const Id g_cs = make(shape(chunk, 1, chunks, all), {turned(chunked(g))});
  const Id g_j = make(shape(chunk, chunk, chunks, all), {graph_.reshape(g_cs, shape(1, chunk, chunks, all))});
  const Id decay = element(make(shape(chunk, chunk, chunks, all), {element(g_j, g_cs)}));
  Id kb = element(graph_.mul_mat("delta net", k, k_b), decay);
  Id kq = element(graph_.mul_mat("delta net", k, q), decay);
  kq = make(shape(chunk, chunk, chunks, all), {kq});
  Id attn = make(shape(chunk, chunk, chunks, all), {kb});
  const Id identity = make(shape(chunk, chunk), {element(graph_.view(attn, shape(chunk), 4 * chunk, 4 * chunk, 4 * chunk, 0))});
  const Id left = element(attn, identity);
  const Id solved = make(shape(chunk, chunk, chunks, all), {left, element(attn)});
  attn = element(solved, identity);
  v = graph_.mul_mat("delta net", turned(v_b), attn);
  const Id g_exp = element(g_cs);
  const Id kbg = element(turned(k_b), g_exp);
  const Id k_cd = graph_.mul_mat("delta net", kbg, attn);
  const Id q_g = element(q, turned(g_exp));
  const Id g_last = make(shape(1, 1, chunks, all), {graph_.view(g_cs, shape(1, 1, chunks, all), graph_.node(g_cs).nb[1],
                                                               graph_.node(g_cs).nb[2], graph_.node(g_cs).nb[3], 4 * (chunk - 1))});
  const Id g_last_t = graph_.transpose(element(g_last));
  const Id g_diff = element(element(element(g_cs, g_last)));
  const Id kg_t = turned(element(k, turned(g_diff)));
  state = graph_.reshape(state, shape(value, value, 1, all));
  const Id v_t = turned(v);
  const auto part = [&](Id a, std::uint64_t i) {
    const Shape ne = graph_.node(a).ne, nb = graph_.node(a).nb;
    return graph_.view(a, shape(ne[0], ne[1], 1, ne[3]), nb[1], nb[2], nb[3], nb[2] * i);
  };
  for (std::uint64_t i = 0; i < chunks; ++i) {
    const Id prime = graph_.mul_mat("delta net", part(k_cd, i), state);
    const Id fresh = element(part(v_t, i), prime);
    const Id inner = graph_.mul_mat("delta net", fresh, part(kq, i));
    const Id inter = graph_.mul_mat("delta net", state, part(q_g, i));
    v = graph_.write("delta net", v, {element(inter, inner)});
    const Id kgv = graph_.mul_mat("delta net", part(kg_t, i), fresh);
    state = element(element(state, part(g_last_t, i)), kgv);
  }
  const Id out = graph_.view(v, shape(value, n, heads, s), 4 * value, 4 * value * chunk * chunks,
                             4 * value * chunk * chunks * heads, 0);
  new_state = graph_.reshape(state, shape(value, value, heads, s));
  return graph_.permute(out, 0, 2, 1, 3);
}

Id Builder::short_conv(Id x, int il) {
  const std::uint64_t s = pass_.sequences, n = pass_.tokens / s, e = model_.n_embd, kept = model_.conv - 1;
  x = graph_.reshape(x, shape(e, n, s));
  const Id bcx = project("mixer in", Slot::shortconv_in, x, il);
  const Shape nb = graph_.node(bcx).nb;
  const auto part = [&](std::uint64_t i) { return graph_.view(bcx, shape(e, n, s), nb[1], nb[2], nb[3], 4 * e * i); };
  const Id b = part(0), c = part(1), third = part(2);
  const Id bx = graph_.transpose(mul("mixer", b, third));
  const Id all = state_cache(il, true);
  Id conv = read_state(all, kept * e);
  conv = graph_.reshape(conv, shape(kept, e, s));
  const Id input = graph_.result("convolution", FormatId::fp32, shape(kept + n, e, s), {conv, bx});
  const Shape in = graph_.node(input).nb;
  keep_state(all, graph_.view(input, shape(kept, e, s), in[1], in[2], in[3], 4 * n), kept * e * s);
  const Id out = graph_.result("convolution", FormatId::fp32, shape(e, n, s), {input, weight(Slot::shortconv_conv, il)});
  Id y = mul("mixer", c, out);
  y = project("mixer out", Slot::shortconv_out, y, il);
  return graph_.reshape(y, shape(e, n * s));
}

}  // namespace vram::llamacpp
