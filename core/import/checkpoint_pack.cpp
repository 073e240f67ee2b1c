#include "core/import/checkpoint_pack.h"

#include <algorithm>
#include <utility>

namespace vram {
namespace {

bool is_float(Element e) { return e == Element::f16 || e == Element::bf16 || e == Element::f32 || e == Element::f64; }
bool is_f8(Element e) {
  return e == Element::f8_e4m3 || e == Element::f8_e5m2 || e == Element::f8_e4m3fnuz || e == Element::f8_e5m2fnuz;
}

/// How a tensor's elements are stored, taken for themselves.
FormatId plain_format(const StoredTensor& tensor) {
  switch (tensor.element) {
    case Element::f64:
      return FormatId::fp64;
    case Element::f32:
      return FormatId::fp32;
    case Element::f16:
      return FormatId::fp16;
    case Element::bf16:
      return FormatId::bf16;
    case Element::f8_e5m2:
    case Element::f8_e4m3:
    case Element::f8_e4m3fnuz:
    case Element::f8_e5m2fnuz:
      return FormatId::fp8;
    case Element::f4:
      return FormatId::fp4;
    case Element::f6_e2m3:
    case Element::f6_e3m2:
      return FormatId::fp6;
    case Element::boolean:
    case Element::u8:
    case Element::i8:
    case Element::f8_e8m0:
      return FormatId::raw8;
    case Element::i16:
    case Element::u16:
      return FormatId::raw16;
    case Element::i32:
    case Element::u32:
      return FormatId::raw32;
    case Element::i64:
    case Element::u64:
    case Element::c64:
      return FormatId::raw64;
    case Element::ggml:
    case Element::count_:
      return tensor.format;
  }
  return tensor.format;
}

bool reads_hidden(Role role) {
  switch (role) {
    case Role::ffn_gate:
    case Role::ffn_up:
    case Role::expert_gate:
    case Role::expert_up:
    case Role::shared_expert_gate:
    case Role::shared_expert_up:
      return true;
    default:
      return false;
  }
}
bool writes_hidden(Role role) {
  return role == Role::ffn_down || role == Role::expert_down || role == Role::shared_expert_down;
}
bool is_expert(Role role) { return role == Role::expert_gate || role == Role::expert_up || role == Role::expert_down; }

/// Shapes as matrices: rows along the last dimension. Stacked experts are copies.
void set_shape(Matrix& m, std::span<const std::uint64_t> shape, Role role, std::uint64_t hidden) {
  m.inputs = Count(1);
  if (shape.empty()) {
    m.outputs = Count(1);
  } else if (is_expert(role) && shape.size() >= 3) {
    m.copies = elements_of(shape.first(shape.size() - 2));
    m.outputs = Count(shape[shape.size() - 2]);
    m.inputs = Count(shape.back());
    // gpt-oss, Llama 4 and Qwen3-VL store experts with their inputs first
    const bool turned = (reads_hidden(role) && m.outputs == Count(hidden) && m.inputs != Count(hidden)) ||
                        (writes_hidden(role) && m.inputs == Count(hidden) && m.outputs != Count(hidden));
    if (hidden != 0 && turned) std::swap(m.outputs, m.inputs);
  } else if (shape.size() == 1) {
    m.outputs = Count(shape[0]);
  } else {
    m.outputs = elements_of(shape.first(shape.size() - 1));
    m.inputs = Count(shape.back());
  }
}

class Module {
 public:
  Module(std::span<const ModulePart> parts, Role role, std::uint64_t hidden)
      : parts_(parts), role_(role), hidden_(hidden) {}

  Matrix read() {
    for (const ModulePart& part : parts_) m_.bytes += Bytes(part.tensor->bytes);
    if (!(gptq_or_awq() || packed() || blocks() || bitsandbytes() || scaled())) plain();
    if (m_.outputs.overflowed() || m_.inputs.overflowed()) plain();
    return m_;
  }

 private:
  const ModulePart* part(std::string_view component) const {
    for (const ModulePart& each : parts_) {
      if (each.component == component) return &each;
    }
    return nullptr;
  }
  const ModulePart* first_of(std::initializer_list<std::string_view> components) const {
    for (const std::string_view component : components) {
      if (const ModulePart* found = part(component)) return found;
    }
    return nullptr;
  }
  static bool is_matrix(const ModulePart* p) {
    return p != nullptr && p->shape.size() == 2 && p->shape[0] != 0 && p->shape[1] != 0;
  }

  bool gptq_or_awq() {
    const ModulePart *q = part("qweight"), *scales = part("scales");
    if (!is_matrix(q) || !is_matrix(scales) || element_bits(q->tensor->element) != 32) return false;
    const std::uint64_t outputs = scales->shape[1];
    std::uint64_t inputs = 0, bits = 0;
    if (q->shape[1] == outputs) {  // GPTQ: along the inputs
      const ModulePart* order = part("g_idx");
      const bool has_order = order != nullptr && order->shape.size() == 1 && order->shape[0] != 0;
      inputs = has_order ? order->shape[0] : q->shape[0] * 8;
      bits = q->shape[0] * 32 / std::max<std::uint64_t>(inputs, 1);
      m_.format = FormatId::gptq_int4;
    } else {  // AWQ: along the outputs
      inputs = q->shape[0];
      bits = q->shape[1] * 32 / outputs;
      m_.format = FormatId::awq_int4;
    }
    if (bits == 8) m_.format = FormatId::int8;
    if (bits == 3) m_.format = FormatId::gptq_int3;
    if (bits == 2) m_.format = FormatId::gptq_int2;
    if (bits != 2 && bits != 3 && bits != 4 && bits != 8) return false;
    m_.outputs = Count(outputs);
    m_.inputs = Count(inputs);
    return true;
  }

  /// compressed-tensors: values packed into words, the shape among the data.
  bool packed() {
    const ModulePart *q = part("weight_packed"), *scale = part("weight_scale");
    if (q == nullptr || q->shape.size() < 2) return false;
    const std::uint64_t words = q->shape.back();
    const std::uint64_t per_word_at_4 = element_bits(q->tensor->element) / 4;
    std::uint64_t inputs = words * per_word_at_4;
    m_.format = FormatId::int4_sym;
    if (scale != nullptr && !scale->shape.empty() && scale->shape.back() != 0) {
      const std::uint64_t group = inputs / scale->shape.back();
      if (scale->tensor->element == Element::f8_e4m3 && group == 16) m_.format = FormatId::nvfp4;
      if (scale->tensor->element == Element::f8_e8m0 || (scale->tensor->element == Element::u8 && group == 32)) {
        m_.format = FormatId::mxfp4;
      }
    }
    if (m_.format == FormatId::int4_sym && reads_hidden(role_) && hidden_ != 0 && inputs == 2 * hidden_) {
      inputs = hidden_;  // eight bits
      m_.format = FormatId::int8;
    }
    set_rows(q->shape, inputs);
    return true;
  }

  /// gpt-oss: blocks of 16 bytes with 32 values each, one scale a block.
  bool blocks() {
    const ModulePart *b = part("blocks"), *scales = part("scales");
    if (b == nullptr || scales == nullptr || b->tensor->element != Element::u8 || b->shape.size() < 3) return false;
    m_.format = FormatId::mxfp4;
    m_.inputs = Count(b->shape.back()) * Count(2) * Count(b->shape[b->shape.size() - 2]);
    m_.outputs = Count(b->shape[b->shape.size() - 3]);
    m_.copies = elements_of(b->shape.first(b->shape.size() - 3));
    return true;
  }

  bool bitsandbytes() {
    const ModulePart* weight = part("weight");
    if (weight == nullptr || weight->tensor->element != Element::u8 || part("weight.absmax") == nullptr) return false;
    m_.format = part("weight.nested_absmax") != nullptr ? FormatId::nf4_dq : FormatId::nf4;
    const Count values = elements_of(weight->shape) * Count(2);
    m_.outputs = values;
    m_.shape_known = false;
    if (hidden_ != 0 && values.value() % hidden_ == 0) {
      const Count other(values.value() / hidden_);
      const bool writes = writes_hidden(role_) || role_ == Role::attention_o || role_ == Role::mixer_out;
      m_.outputs = writes ? Count(hidden_) : other;
      m_.inputs = writes ? other : Count(hidden_);
      m_.shape_known = true;
    }
    return true;
  }

  void set_rows(std::span<const std::uint64_t> shape, std::uint64_t inputs) {
    m_.inputs = Count(inputs);
    m_.outputs = Count(shape[shape.size() - 2]);
    m_.copies = elements_of(shape.first(shape.size() - 2));
  }

  /// A weight with scales beside it: fp8, fp4 in bytes, int8.
  bool scaled() {
    const ModulePart* w = first_of({"weight", ""});
    const ModulePart* s = first_of({"weight_scale_inv", "weight_scale", "scale", "SCB", "scale_inv"});
    if (w == nullptr || s == nullptr || w->shape.empty() || is_float(w->tensor->element)) return false;
    const Element type = w->tensor->element, scale_type = s->tensor->element;
    const std::uint64_t columns = w->shape.back();
    const std::uint64_t scale_columns = s->shape.size() >= 2 ? s->shape.back() : 0;
    const bool scale_a_row = s->shape.size() >= 2 && w->shape.size() >= 2 && scale_columns != 0 &&
                             s->shape[s->shape.size() - 2] == w->shape[w->shape.size() - 2];
    if ((type == Element::u8 || type == Element::i8) && w->shape.size() >= 2 && scale_a_row && scale_columns > 1) {
      const std::uint64_t group = columns * 2 / scale_columns;
      if (scale_type == Element::f8_e4m3 && group == 16)
        m_.format = FormatId::nvfp4;
      else if (scale_type == Element::f8_e8m0 || scale_type == Element::u8)
        m_.format = FormatId::mxfp4;
      else
        m_.format = FormatId::int4_sym;
      set_rows(w->shape, columns * 2);
      return true;
    }
    set_shape(m_, w->shape, role_, hidden_);
    if (type == Element::f4) {
      m_.format = scale_type == Element::f8_e4m3 ? FormatId::nvfp4 : FormatId::mxfp4;
    } else if (is_f8(type)) {
      const std::uint64_t scales = elements_of(s->shape).value();
      const bool a_row_each = scale_columns <= 1 && scales > 1;
      const bool short_groups = scale_a_row && scale_columns > 1 && columns / scale_columns == 32;
      m_.format = scales <= m_.copies.value() ? FormatId::fp8
                  : short_groups              ? FormatId::mxfp8
                  : a_row_each                ? FormatId::fp8_channel
                                              : FormatId::fp8_block;
    } else if (type == Element::i8 || type == Element::u8) {
      m_.format = FormatId::int8;
    } else {
      m_.format = plain_format(*w->tensor);
    }
    return true;
  }

  void plain() {
    const ModulePart* main = first_of({"weight", ""});
    if (main == nullptr) {
      main = &*std::max_element(parts_.begin(), parts_.end(), [](const ModulePart& a, const ModulePart& b) {
        return a.tensor->bytes < b.tensor->bytes;
      });
    }
    m_.copies = Count(1);
    set_shape(m_, main->shape, role_, hidden_);
    m_.format = plain_format(*main->tensor);
  }

  std::span<const ModulePart> parts_;
  Role role_;
  std::uint64_t hidden_;
  Matrix m_;
};

}  // namespace

Matrix matrix_of(std::span<const ModulePart> parts, Role role, std::uint64_t hidden) {
  return Module(parts, role, hidden).read();
}

}  // namespace vram
