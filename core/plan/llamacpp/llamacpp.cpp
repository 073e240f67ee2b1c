#include "core/plan/llamacpp/llamacpp.h"

#include <algorithm>
#include <numeric>

#include "core/plan/llamacpp/schedule.h"
#include "core/plan/llamacpp/tensors.h"

namespace vram::llamacpp {
namespace {

constexpr std::uint64_t kCellStep = 256;          // cells of a cache come in steps of this
constexpr std::uint64_t kFineCellStep = 32;       // in older builds, without flash attention
constexpr std::uint64_t kDeviceAlignment = 128;
constexpr std::uint64_t kHostAlignment = 32;

std::uint64_t pad(std::uint64_t value, std::uint64_t step) { return step == 0 ? value : (value + step - 1) / step * step; }

bool quantised(FormatId type) { return storage_format(type).block_values > 1; }

/// What a tensor of `rows` × `width` takes: on a GPU a quantised row that is no multiple of 512 values is followed by
/// what is missing, since kernels read that far.
std::uint64_t placed(const Build& build, FormatId type, std::uint64_t width, std::uint64_t rows, bool device) {
  std::uint64_t bytes = stored_bytes(storage_format(type), Count(rows), Count(width)).value();
  const StorageFormat& format = storage_format(type);
  if (device && build.pads_rows && (format.block_values > 1 || format.group > 0) && width % 512 != 0) bytes += row_bytes(type, 512 - width % 512);
  return pad(bytes, device ? kDeviceAlignment : kHostAlignment);
}

}  // namespace

std::uint64_t CachePlan::bytes() const { return std::accumulate(by_backend.begin(), by_backend.end(), std::uint64_t{0}); }
std::uint64_t Plan::recurrent_bytes() const { return std::accumulate(recurrent.begin(), recurrent.end(), std::uint64_t{0}); }
std::uint64_t Plan::total_of(std::size_t backend) const {
  std::uint64_t sum = weights[backend] + recurrent[backend] + (backend < compute.size() ? compute[backend] : 0);
  if (!full.by_backend.empty()) sum += full.by_backend[backend];
  if (!window.by_backend.empty()) sum += window.by_backend[backend];
  return backend + 1 == weights.size() ? sum + output : sum;
}

std::string_view refusal(const Model& model, const Settings& settings) {
  const bool latent = std::any_of(model.layers.begin(), model.layers.end(), [](const Layer& layer) { return layer.latent; });
  if (latent && settings.type_k != settings.type_v) return "llamacpp.latent_types_differ";
  if (settings.sequences > kMostSequences) return "llamacpp.too_many_sequences";
  if (quantised(settings.type_v) && !settings.flash) return "llamacpp.quantised_values_need_flash";
  return {};
}

Pass resolve(const Model& model, const Settings& settings) {
  Pass pass;
  pass.build = settings.build;
  pass.flash = settings.flash;
  pass.type_k = settings.type_k;
  pass.type_v = settings.type_v;
  pass.cache_on_device = settings.cache_on_device;
  pass.rollback = settings.draft_states;
  pass.latent_mode = settings.latent_mode;
  pass.attention_batch = settings.attention_batch;
  pass.fused_experts = settings.fused_experts;
  pass.devices = settings.devices;
  const std::uint64_t sequences = std::max(1U, settings.sequences);
  pass.sequences = sequences;
  const std::uint64_t batch = std::min<std::uint64_t>(settings.context, settings.batch);
  const std::uint64_t ubatch = std::min<std::uint64_t>(batch, settings.ubatch == 0 ? batch : settings.ubatch);
  const std::uint64_t step = settings.build.coarse_cells || settings.flash ? kCellStep : kFineCellStep;
  std::uint64_t context = pad(settings.context, step);
  pass.cells = context;
  if (!settings.unified && settings.build.apart_streams) {
    pass.cells = pad(context / sequences, step);
    context = pass.cells * sequences;
    pass.streams = sequences;
  }
  pass.tokens = pad(std::min(context, ubatch), sequences);
  const std::uint64_t wanted = settings.outputs == 0 ? batch : settings.outputs;
  pass.outputs = std::max(sequences, std::min(std::min(context, ubatch), wanted));
  if (!settings.build.few_outputs) pass.outputs = pass.tokens;

  const bool windows = model.window > 0 && settings.build.windows_apart &&
                       std::any_of(model.layers.begin(), model.layers.end(), [](const Layer& layer) { return layer.sliding; });
  if (windows) {
    const std::uint64_t reach = std::uint64_t{model.window} * (settings.unified ? sequences : 1) + ubatch;
    pass.window_cells = settings.full_windows ? pass.cells : pad(std::min(pass.cells, reach), step);
  }

  // Layers from the back; the output layer counts and goes first.
  const int layers = model.layer_count();
  const bool drafts = model.rules->stores_draft || model.loads_draft;
  const int blocks = layers + (drafts ? static_cast<int>(model.draft_layers) : 0), all = blocks + 1;
  const int wanted_layers = settings.gpu_layers < 0 ? all : std::min(settings.gpu_layers, all);
  const int on_gpu = settings.devices > 0 ? wanted_layers : 0;
  const int first_on_gpu = std::max((settings.build.head_first ? all : blocks) - on_gpu, 0);
  pass.all_on_devices = settings.devices > 0 && on_gpu == all;
  std::vector<double> until(static_cast<std::size_t>(std::max(settings.devices, 0)), 1.0);
  for (std::size_t i = 0; i < until.size() && i < settings.split.size(); ++i) until[i] = settings.split[i];
  std::partial_sum(until.begin(), until.end(), until.begin());
  const auto backend = [&](int il) {
    if (il < first_on_gpu || il - first_on_gpu >= on_gpu) return pass.host();
    const float place = static_cast<float>(il - first_on_gpu) / static_cast<float>(on_gpu);
    std::int16_t device = 0;
    while (device + 1 < settings.devices && static_cast<float>(until[static_cast<std::size_t>(device)] / until.back()) <= place) ++device;
    return device;
  };
  for (int il = 0; il < blocks; ++il) {
    pass.layer_backend.push_back(backend(il));
    const bool named = static_cast<std::size_t>(il) < settings.host_experts.size() && settings.host_experts[static_cast<std::size_t>(il)];
    pass.experts_on_host.push_back(settings.all_experts_on_host || il < settings.host_expert_layers || named);
  }
  pass.output_backend = backend(all - 1);
  return pass;
}

std::vector<std::uint64_t> weights(const Model& model, const Pass& pass) {
  std::vector<std::uint64_t> by_backend(static_cast<std::size_t>(pass.devices) + 1, 0);
  const auto put = [&](const Tensor& tensor, std::int16_t backend) {
    const std::uint64_t rows = tensor.values() / std::max<std::uint64_t>(1, tensor.ne[0]);
    by_backend[static_cast<std::size_t>(backend)] += placed(pass.build, tensor.type, tensor.ne[0], rows, backend != pass.host());
  };
  for (const Tensor& tensor : model.tensors) {
    if (!tensor.loaded) continue;
    if (tensor.slot == Slot::rope_freqs) {
      // Every layer that reads the table asks for it: each backend with a full layer has one.
      std::vector<bool> here(by_backend.size(), false);
      for (std::size_t il = 0; il < model.layers.size(); ++il) {
        if (!model.layers[il].sliding) here[static_cast<std::size_t>(pass.layer_backend[il])] = true;
      }
      for (std::size_t i = 0; i < here.size(); ++i) {
        if (here[i]) put(tensor, static_cast<std::int16_t>(i));
      }
      continue;
    }
    put(tensor, backend_of(tensor, pass));
    // A head tied to the embedding is a second copy. A loader that creates the embedding first finds it when both lie
    // on the host; one that creates the head first does not.
    const bool shared = pass.output_backend == pass.host() && !model.rules->output_first;
    if (tensor.slot == Slot::token_embd && model.tied && !shared) put(tensor, pass.output_backend);
  }
  return by_backend;
}

std::uint64_t mapped(const Model& model, const Pass& pass) {
  // Files begin with the embedding; layers follow, the head comes last.
  std::int16_t last = -1;
  for (const Tensor& tensor : model.tensors) {
    if (tensor.loaded && tensor.ne[1] * tensor.ne[2] > 1 && backend_of(tensor, pass) == pass.host()) last = std::max(last, tensor.layer);
  }
  std::uint64_t sum = 0;
  for (const Tensor& tensor : model.tensors) {
    const bool between = tensor.layer >= 0 && tensor.layer <= last;
    if (between || (tensor.layer < 0 && backend_of(tensor, pass) == pass.host())) sum += tensor_bytes(tensor);
  }
  return sum;
}

CachePlan key_values(const Model& model, const Pass& pass, bool window) {
  CachePlan plan;
  plan.by_backend.assign(static_cast<std::size_t>(pass.devices) + 1, 0);
  plan.streams = pass.streams;
  plan.cells = window ? pass.window_cells : pass.cells;
  if (plan.cells == 0) return plan;
  std::uint64_t widest = 0;
  for (const Layer& layer : model.layers) widest = std::max(widest, std::uint64_t{layer.kv_heads} * layer.value_dim);
  const std::size_t layers = model.layers.size();
  // ik_llama.cpp keeps a cache for draft layers that it never runs.
  const std::size_t idle = pass.build.ik && model.rules->stores_draft ? model.draft_layers : 0;
  for (std::size_t il = 0; il < layers + idle; ++il) {
    const Layer& layer = model.layers[std::min(il, layers - 1)];
    if (!(layer.attention || layer.latent) || !layer.keeps_kv || (layer.sliding && pass.window_cells > 0) != window) continue;
    const std::int16_t backend = pass.cache_on_device ? pass.layer_backend[il] : pass.host();
    const bool device = backend != pass.host();
    std::uint64_t& sum = plan.by_backend[static_cast<std::size_t>(backend)];
    const std::uint64_t rows = plan.cells * plan.streams;
    ++plan.layers;
    if (layer.latent) {
      sum += placed(pass.build, pass.type_k, std::uint64_t{model.kv_rank} + model.rope_dim, rows, device);
      // ik_llama.cpp, -mla 1 without flash attention: the latent transposed, beside it
      if (pass.build.ik && pass.latent_mode == 1 && !pass.flash) sum += placed(pass.build, FormatId::fp16, model.kv_rank, rows, device);
      continue;
    }
    sum += placed(pass.build, pass.type_k, std::uint64_t{layer.kv_heads} * layer.key_dim, rows, device);
    const std::uint64_t values = pass.flash ? std::uint64_t{layer.kv_heads} * layer.value_dim : widest;
    sum += placed(pass.build, pass.type_v, values, rows, device);
  }
  return plan;
}

std::vector<std::uint64_t> states(const Model& model, const Pass& pass) {
  std::vector<std::uint64_t> by_backend(static_cast<std::size_t>(pass.devices) + 1, 0);
  const std::uint64_t kept = pass.sequences * (1 + pass.rollback);
  const bool short_conv = model.rules->recurrence == Recurrence::short_conv;
  const std::uint64_t channels = short_conv ? model.n_embd : model.inner + 2 * std::uint64_t{model.groups} * model.state;
  const std::uint64_t convolution = model.conv > 0 ? (model.conv - 1) * channels : 0;
  const std::uint64_t matrix = std::uint64_t{model.state} * model.inner;
  for (std::size_t il = 0; il < model.layers.size(); ++il) {
    const std::int16_t where = pass.cache_on_device ? pass.layer_backend[il] : pass.host();
    const std::uint64_t pending = model.layers[il].pending;
    if (pending > 0) by_backend[static_cast<std::size_t>(where)] += placed(pass.build, FormatId::fp32, pending, kept, where != pass.host());
    if (!model.layers[il].recurrent) continue;
    const std::int16_t backend = pass.cache_on_device ? pass.layer_backend[il] : pass.host();
    const bool device = backend != pass.host();
    by_backend[static_cast<std::size_t>(backend)] += placed(pass.build, FormatId::fp32, convolution, kept, device);
    if (!short_conv) by_backend[static_cast<std::size_t>(backend)] += placed(pass.build, FormatId::fp32, matrix, kept, device);
  }
  return by_backend;
}

std::vector<std::uint64_t> compute(const Model& model, const Pass& pass, const Settings& settings) {
  ScheduleRules rules;
  rules.devices = pass.devices;
  rules.offload = settings.offload_operations;
  const bool moved = std::find(pass.experts_on_host.begin(), pass.experts_on_host.end(), true) != pass.experts_on_host.end();
  if (pass.build.ik && pass.build.ik_offloads_by_experts && model.experts_used > 0) {
    rules.offload_expert_batch = rules.offload_batch * (model.experts / model.experts_used);
  }
  rules.repacked = settings.host_repacked;
  rules.reads_repacked = pass.build.ik_moves_repacked;
  rules.pipeline = settings.pipeline != 1 && settings.api == Api::cuda && pass.devices > 1 && pass.all_on_devices && pass.cache_on_device && !moved;
  for (const bool short_runs : {true, false}) {
    Graph graph = Builder(model, pass).build(short_runs);
    if (!graph.complete()) return {};
    const Schedule done = schedule(graph, rules);
    std::vector<std::uint64_t> reached = allocate(graph, done);
    if (!reached.empty()) return reached;
  }
  return {};
}

Plan plan(const Model& given, const Settings& settings) {
  const bool expands = settings.build.expanded_latent || (settings.build.ik && settings.latent_mode == 0);
  const Model model = expands ? given.with_expanded_latent() : given;
  const Pass pass = resolve(model, settings);
  Plan made;
  made.weights = weights(model, pass);
  made.full = key_values(model, pass, false);
  made.window = key_values(model, pass, true);
  made.recurrent = states(model, pass);
  made.compute = compute(model, pass, settings);
  made.complete = !made.compute.empty();
  made.mapped = mapped(model, pass);
  made.output = std::uint64_t{model.n_vocab} * 4 * pass.sequences;
  return made;
}

}  // namespace vram::llamacpp
