#include "core/import/gguf.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <utility>

#include "core/units/order.h"

namespace vram {
namespace {

// Bounds far beyond any real file (a thousand keys, two thousand tensors, tens of MB of header), so that a header made
// to be endless stops.
constexpr std::uint64_t kMaxKeys = 65536, kMaxTensors = std::uint64_t{1} << 20, kMaxHeader = std::uint64_t{1} << 30;
constexpr std::uint64_t kMaxKeyLength = 65535, kMaxNameLength = 1024;
constexpr std::uint64_t kMaxTextKept = 4096, kMaxNumbersKept = 8192;
constexpr std::uint64_t kFirstRead = std::uint64_t{1} << 16;
// Least bytes of a key (length, a name of one letter, type, one byte) and of a tensor (length, rank, one dimension,
// type, place).
constexpr std::uint64_t kLeastKey = 14, kLeastTensor = 32;

enum ValueType : std::uint32_t { u8, i8, u16, i16, u32, i32, f32, boolean, text, array, u64, i64, f64 };
/// Bytes of a value of each type; 0 = of no fixed size.
constexpr std::array<std::uint8_t, 13> kValueBytes = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

struct TypeRow {
  std::uint16_t type;
  FormatId format;
};

// ggml.h and, from 133 on, ik_llama.cpp. Types repacked for a processor (_R4, _R8, _R16) are stored in the space of
// what they were packed from. Numbers that are missing were removed or never reach a file.
constexpr TypeRow kTypes[] = {
    {0, FormatId::fp32},     {1, FormatId::fp16},         {2, FormatId::q4_0},       {3, FormatId::q4_1},
    {6, FormatId::q5_0},     {7, FormatId::q5_1},         {8, FormatId::q8_0},       {9, FormatId::q8_1},
    {10, FormatId::q2_k},    {11, FormatId::q3_k},        {12, FormatId::q4_k},      {13, FormatId::q5_k},
    {14, FormatId::q6_k},    {15, FormatId::q8_k},        {16, FormatId::iq2_xxs},   {17, FormatId::iq2_xs},
    {18, FormatId::iq3_xxs}, {19, FormatId::iq1_s},       {20, FormatId::iq4_nl},    {21, FormatId::iq3_s},
    {22, FormatId::iq2_s},   {23, FormatId::iq4_xs},      {24, FormatId::raw8},      {25, FormatId::raw16},
    {26, FormatId::raw32},   {27, FormatId::raw64},       {28, FormatId::fp64},      {29, FormatId::iq1_m},
    {30, FormatId::bf16},    {34, FormatId::tq1_0},       {35, FormatId::tq2_0},     {36, FormatId::i2_s},
    {39, FormatId::mxfp4},   {40, FormatId::nvfp4_block}, {41, FormatId::q1_0},      {42, FormatId::q2_0},
    {133, FormatId::q6_0},   {134, FormatId::iq1_bn},     {135, FormatId::iq2_bn},   {137, FormatId::iq2_k},
    {138, FormatId::iq3_k},  {139, FormatId::iq4_k},      {140, FormatId::iq5_k},    {141, FormatId::iq6_k},
    {144, FormatId::iq4_ks}, {145, FormatId::iq2_ks},     {146, FormatId::iq4_kss},  {151, FormatId::q8_kv},
    {152, FormatId::iq5_ks}, {153, FormatId::iq2_kt},     {154, FormatId::iq3_kt},   {155, FormatId::iq4_kt},
    {156, FormatId::iq3_ks}, {157, FormatId::iq2_kl},     {158, FormatId::iq1_kt},   {202, FormatId::q4_0},
    {206, FormatId::q5_0},   {208, FormatId::q8_0},       {210, FormatId::q2_k},     {211, FormatId::q3_k},
    {212, FormatId::q4_k},   {213, FormatId::q5_k},       {214, FormatId::q6_k},     {216, FormatId::iq2_xxs},
    {217, FormatId::iq2_xs}, {218, FormatId::iq3_xxs},    {219, FormatId::iq1_s_r4}, {220, FormatId::iq4_nl},
    {221, FormatId::iq3_s},  {222, FormatId::iq2_s},      {223, FormatId::iq4_xs},   {229, FormatId::iq1_m_r4},
    {230, FormatId::bf16},   {233, FormatId::q6_0},       {335, FormatId::iq2_bn},   {337, FormatId::iq2_k},
    {338, FormatId::iq3_k},  {339, FormatId::iq4_k},      {340, FormatId::iq5_k},    {344, FormatId::iq4_ks},
    {352, FormatId::iq5_ks}, {398, FormatId::q8_kv},      {399, FormatId::q8_k_r8},
};

/// Once in ggml, taken out again: Q4_2, Q4_3, Q4_0_4_4 … Q4_0_8_8, IQ4_NL_4_4 … IQ4_NL_8_8.
bool was_removed(std::uint32_t type) {
  return type == 4 || type == 5 || (type >= 31 && type <= 33) || (type >= 37 && type <= 38);
}

/// Types whose size may not be what our table says: they are ik_llama.cpp's, and their places tell.
bool is_of_a_fork(FormatId format) {
  return (format >= FormatId::q6_0 && format <= FormatId::iq1_m_r4) || format == FormatId::i2_s;
}

Element element_of(FormatId format) {
  switch (format) {
    case FormatId::fp32:
      return Element::f32;
    case FormatId::fp16:
      return Element::f16;
    case FormatId::bf16:
      return Element::bf16;
    case FormatId::fp64:
      return Element::f64;
    case FormatId::raw8:
      return Element::i8;
    case FormatId::raw16:
      return Element::i16;
    case FormatId::raw32:
      return Element::i32;
    case FormatId::raw64:
      return Element::i64;
    default:
      return Element::ggml;
  }
}

std::int64_t shown(std::uint64_t value) { return static_cast<std::int64_t>(std::min<std::uint64_t>(value, INT64_MAX)); }

Message of_tensor(std::string_view key, std::string_view tensor) {
  return Message(key).with("tensor", std::string(tensor));
}

double real(std::uint64_t bits, bool wide) {
  double out = 0;
  if (wide) {
    std::memcpy(&out, &bits, sizeof(out));
  } else {
    const auto narrow_bits = static_cast<std::uint32_t>(bits);
    float narrow = 0;
    std::memcpy(&narrow, &narrow_bits, sizeof(narrow));
    out = static_cast<double>(narrow);
  }
  return out;
}

/// A whole number of any width; those beyond 2^63 stay at its end.
std::int64_t whole(std::uint32_t type, std::uint64_t bits) {
  switch (type) {
    case i8:
      return static_cast<std::int8_t>(bits);
    case i16:
      return static_cast<std::int16_t>(bits);
    case i32:
      return static_cast<std::int32_t>(bits);
    case i64:
      return static_cast<std::int64_t>(bits);
    default:
      return shown(bits);
  }
}

}  // namespace

std::optional<FormatId> gguf_format(std::uint32_t type) {
  for (const TypeRow& row : kTypes) {
    if (row.type == type) return row.format;
  }
  return std::nullopt;
}

const GgufValue* GgufFile::find(std::string_view key) const {
  const auto found = std::lower_bound(entries.begin(), entries.end(), key,
                                      [](const auto& entry, std::string_view wanted) { return entry.first < wanted; });
  return found == entries.end() || found->first != key ? nullptr : &found->second;
}

std::optional<std::int64_t> GgufFile::integer(std::string_view key) const {
  const GgufValue* found = find(key);
  const std::int64_t* value = found == nullptr ? nullptr : std::get_if<std::int64_t>(&found->value);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

std::optional<double> GgufFile::number(std::string_view key) const {
  const GgufValue* found = find(key);
  if (found == nullptr) return std::nullopt;
  if (const double* value = std::get_if<double>(&found->value)) return *value;
  if (const std::int64_t* value = std::get_if<std::int64_t>(&found->value)) return static_cast<double>(*value);
  return std::nullopt;
}

std::optional<bool> GgufFile::boolean(std::string_view key) const {
  const GgufValue* found = find(key);
  const bool* value = found == nullptr ? nullptr : std::get_if<bool>(&found->value);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

std::string GgufFile::text(std::string_view key) const {
  const GgufValue* found = find(key);
  const std::string* value = found == nullptr ? nullptr : std::get_if<std::string>(&found->value);
  return value == nullptr ? std::string() : *value;
}

const std::vector<std::int64_t>* GgufFile::integers(std::string_view key) const {
  const GgufValue* found = find(key);
  return found == nullptr ? nullptr : std::get_if<std::vector<std::int64_t>>(&found->value);
}

std::uint64_t GgufFile::array_length(std::string_view key) const {
  const GgufValue* found = find(key);
  return found == nullptr ? 0 : found->count;
}

GgufReader::GgufReader(FileInfo file) : FileReader(std::move(file)) {
  if (this->file().size < 24) fail(Message("gguf.too_short").with("size", Bytes(this->file().size)));
}

std::optional<ByteRange> GgufReader::wants() const {
  if (error() || stage_ == Stage::done) return std::nullopt;
  const std::uint64_t begin = window_begin_ + window_.size();
  const std::uint64_t step = given_ == 0 ? kFirstRead : kReadStep;
  return ByteRange{begin, begin + std::min(step, file().size - begin)};
}

void GgufReader::take_in(std::span<const std::byte> bytes) {
  window_.erase(window_.begin(), window_.begin() + static_cast<std::ptrdiff_t>(used_));
  window_begin_ += used_;
  used_ = 0;
  window_.insert(window_.end(), bytes.begin(), bytes.end());
  given_ += bytes.size();

  Step last = Step::went_on;
  while (last == Step::went_on && stage_ != Stage::done) last = step();
  if (last != Step::needs_more) return;
  if (window_begin_ + window_.size() >= file().size) {
    stop(Message("gguf.truncated").with("at", shown(file().size)));
  } else if (position() > kMaxHeader) {
    stop(Message("gguf.header_too_long").with("most", Bytes(kMaxHeader)));
  }
}

GgufReader::Step GgufReader::step() {
  switch (stage_) {
    case Stage::start:
      return read_start();
    case Stage::key:
      if (keys_left_ > 0) return read_key();
      stage_ = Stage::tensors;
      return Step::went_on;
    case Stage::texts:
      return walk_texts();
    case Stage::tensors:
      if (tensors_left_ > 0) return read_tensor();
      check_places();
      stage_ = Stage::done;
      return error() ? Step::stopped : Step::went_on;
    case Stage::done:
      break;
  }
  return Step::stopped;
}

std::uint64_t GgufReader::number_at(std::uint64_t offset, std::size_t bytes) const {
  return little_endian(std::span(window_).subspan(used_ + static_cast<std::size_t>(offset), bytes));
}

std::string GgufReader::text_at(std::uint64_t offset, std::uint64_t length) const {
  const char* const begin = reinterpret_cast<const char*>(window_.data()) + used_ + offset;
  return std::string(begin, begin + length);
}

/// Goes on by so many bytes; what lies beyond the window is not asked for at all.
void GgufReader::advance(std::uint64_t bytes) {
  if (bytes <= available()) {
    used_ += static_cast<std::size_t>(bytes);
    return;
  }
  window_begin_ = position() + bytes;
  window_.clear();
  used_ = 0;
}

GgufReader::Step GgufReader::stop(Message message) {
  fail(std::move(message));
  return Step::stopped;
}

GgufReader::Step GgufReader::keep(std::string key, GgufValue value, std::uint64_t bytes) {
  out_.entries.emplace_back(std::move(key), std::move(value));
  advance(bytes);
  --keys_left_;
  return Step::went_on;
}

GgufReader::Step GgufReader::read_start() {
  if (!has(0, 24)) return Step::needs_more;
  if (text_at(0, 4) != "GGUF") return stop(Message("gguf.magic"));
  out_.version = static_cast<std::uint32_t>(number_at(4, 4));
  if ((out_.version & 0xFFFF) == 0 && out_.version != 0) return stop(Message("gguf.big_endian"));
  if (out_.version == 1) return stop(Message("gguf.version_1"));
  if (out_.version < 2 || out_.version > 3) {
    return stop(Message("gguf.version").with("version", std::int64_t{out_.version}));
  }
  tensors_left_ = number_at(8, 8);
  keys_left_ = number_at(16, 8);
  const std::uint64_t most_tensors = std::min(kMaxTensors, file().size / kLeastTensor);
  const std::uint64_t most_keys = std::min(kMaxKeys, file().size / kLeastKey);
  const auto too_many = [&](std::string_view what, std::uint64_t count, std::uint64_t most) {
    return stop(Message("gguf.count")
                    .with("what", MessageKey{"gguf.part." + std::string(what)})
                    .with("count", shown(count))
                    .with("most", shown(most)));
  };
  if (tensors_left_ > most_tensors) return too_many("tensors", tensors_left_, most_tensors);
  if (keys_left_ > most_keys) return too_many("keys", keys_left_, most_keys);
  advance(24);
  stage_ = Stage::key;
  return Step::went_on;
}

GgufReader::Step GgufReader::read_key() {
  if (!has(0, 8)) return Step::needs_more;
  const std::uint64_t length = number_at(0, 8);
  if (length == 0 || length > kMaxKeyLength || length > left_in_file()) {
    return stop(Message("gguf.text_too_long").with("at", shown(position())).with("length", shown(length)));
  }
  if (!has(8, length + 4)) return Step::needs_more;
  const std::uint64_t value_at = 8 + length + 4;
  const auto type = static_cast<std::uint32_t>(number_at(8 + length, 4));
  std::string key = text_at(8, length);
  if (type >= kValueBytes.size()) {
    return stop(Message("gguf.value_type").with("key", key).with("type", std::int64_t{type}));
  }
  if (type == array) return read_array(key, value_at);
  if (type == text) {
    if (!has(value_at, 8)) return Step::needs_more;
    const std::uint64_t size = number_at(value_at, 8);
    if (size > left_in_file()) {
      return stop(Message("gguf.text_too_long").with("at", shown(position() + value_at)).with("length", shown(size)));
    }
    const std::uint64_t kept = size <= kMaxTextKept ? size : 0;
    if (!has(value_at + 8, kept)) return Step::needs_more;
    if (value_at + 8 + size > left_in_file()) return stop(Message("gguf.truncated").with("at", shown(file().size)));
    GgufValue value{text_at(value_at + 8, kept), 0};
    return keep(std::move(key), std::move(value), value_at + 8 + size);
  }
  const std::size_t bytes = kValueBytes[type];
  if (!has(value_at, bytes)) return Step::needs_more;
  const std::uint64_t bits = number_at(value_at, bytes);
  GgufValue value;
  if (type == boolean)
    value.value = bits != 0;
  else if (type == f32 || type == f64)
    value.value = real(bits, type == f64);
  else
    value.value = whole(type, bits);
  return keep(std::move(key), std::move(value), value_at + bytes);
}

GgufReader::Step GgufReader::read_array(const std::string& key, std::uint64_t value_at) {
  if (!has(value_at, 12)) return Step::needs_more;
  const auto type = static_cast<std::uint32_t>(number_at(value_at, 4));
  const std::uint64_t count = number_at(value_at + 4, 8);
  const std::uint64_t items_at = value_at + 12;
  if (type == array) return stop(Message("gguf.nested_array").with("key", key));
  if (type >= kValueBytes.size()) {
    return stop(Message("gguf.value_type").with("key", key).with("type", std::int64_t{type}));
  }
  const std::uint64_t least = type == text ? 8 : kValueBytes[type];
  const std::uint64_t left = left_in_file() > items_at ? left_in_file() - items_at : 0;
  if (count > left / least) {
    return stop(Message("gguf.array_past_end").with("key", key).with("count", shown(count)));
  }
  if (type == text) {
    texts_left_ = count;
    stage_ = Stage::texts;
    return keep(key, GgufValue{std::int64_t{0}, count}, items_at);
  }
  const bool is_whole = type != f32 && type != f64;
  GgufValue value{std::int64_t{0}, count};
  if (is_whole && count <= kMaxNumbersKept && key.compare(0, 10, "tokenizer.") != 0) {
    if (!has(items_at, count * least)) return Step::needs_more;
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
    for (std::uint64_t i = 0; i < count; ++i) {
      numbers[static_cast<std::size_t>(i)] =
          whole(type, number_at(items_at + i * least, static_cast<std::size_t>(least)));
    }
    value.value = std::move(numbers);
  }
  return keep(key, std::move(value), items_at + count * least);
}

GgufReader::Step GgufReader::walk_texts() {
  while (texts_left_ > 0) {
    if (!has(0, 8)) return Step::needs_more;
    std::uint64_t length = 0;
    std::memcpy(&length, window_.data() + used_, sizeof(length));  // both of our machines are little-endian
    if (length > left_in_file() - 8) {
      return stop(Message("gguf.text_too_long").with("at", shown(position())).with("length", shown(length)));
    }
    advance(8 + length);
    --texts_left_;
  }
  stage_ = Stage::key;
  return Step::went_on;
}

GgufReader::Step GgufReader::read_tensor() {
  if (!has(0, 8)) return Step::needs_more;
  const std::uint64_t length = number_at(0, 8);
  if (length == 0 || length > kMaxNameLength) {
    return stop(Message("gguf.text_too_long").with("at", shown(position())).with("length", shown(length)));
  }
  if (!has(8, length + 4)) return Step::needs_more;
  const std::string name = text_at(8, length);
  const std::uint64_t rank = number_at(8 + length, 4);
  if (rank == 0 || rank > 4) return stop(of_tensor("gguf.tensor_shape", name));
  const std::uint64_t shape_at = 8 + length + 4, type_at = shape_at + rank * 8, bytes = type_at + 12;
  if (!has(0, bytes)) return Step::needs_more;

  StoredTensor tensor{.shape_at = out_.tensors.dimensions(), .rank = static_cast<std::uint8_t>(rank)};
  Count rows(1);
  for (std::uint64_t i = rank; i-- > 0;) {  // stored fastest first, kept slowest first
    const std::uint64_t dimension = number_at(shape_at + i * 8, 8);
    if (dimension == 0) return stop(of_tensor("gguf.tensor_shape", name));
    out_.tensors.add_dimension(dimension);
    if (i != 0) rows = rows * Count(dimension);
  }
  const Count row(number_at(shape_at, 8));
  const auto type = static_cast<std::uint32_t>(number_at(type_at, 4));
  const std::optional<FormatId> format = gguf_format(type);
  if (!format) {
    return stop(
        of_tensor(was_removed(type) ? "gguf.removed_type" : "gguf.tensor_type", name).with("type", std::int64_t{type}));
  }
  const StorageFormat& storage = storage_format(*format);
  const std::uint32_t block = storage.block_bytes != 0 ? storage.block_values : std::max(storage.group, 1U);
  if (row.value() % block != 0) {
    return stop(
        of_tensor("gguf.tensor_row", name).with("length", shown(row.value())).with("block", std::int64_t{block}));
  }
  const Bytes size = stored_bytes(storage, rows, row);
  if (size.overflowed()) return stop(of_tensor("gguf.tensor_shape", name));
  tensor.bytes = size.value();
  tensor.format = *format;
  tensor.element = element_of(*format);
  places_.push_back(number_at(type_at + 4, 8));
  out_.tensors.add_named(name, tensor);
  advance(bytes);
  --tensors_left_;
  return Step::went_on;
}

/// Tensors lie one after the other, each at a multiple of the alignment, and all within the file.
void GgufReader::check_places() {
  out_.header_bytes = position();
  sort_stably(out_.entries, [](const auto& a, const auto& b) { return a.first < b.first; });
  const auto twice = std::adjacent_find(out_.entries.begin(), out_.entries.end(),
                                        [](const auto& a, const auto& b) { return a.first == b.first; });
  if (twice != out_.entries.end()) {
    stop(Message("gguf.duplicate_key").with("key", twice->first));
    return;
  }
  std::uint64_t alignment = 32;
  if (const std::optional<std::int64_t> stated = out_.integer("general.alignment")) {
    alignment = *stated > 0 ? static_cast<std::uint64_t>(*stated) : 0;
    if (alignment == 0 || (alignment & (alignment - 1)) != 0 || alignment > (std::uint64_t{1} << 20)) {
      stop(Message("gguf.alignment").with("alignment", *stated));
      return;
    }
  }
  if (const auto name = out_.tensors.duplicate()) {
    stop(of_tensor("gguf.duplicate_tensor", *name));
    return;
  }

  const std::vector<StoredTensor>& tensors = out_.tensors.tensors();
  std::vector<std::uint32_t> order(tensors.size());
  std::iota(order.begin(), order.end(), 0U);
  sort_stably(order, [&](auto a, auto b) { return places_[a] < places_[b]; });
  const auto padded = [alignment](std::uint64_t bytes) { return round_up(Bytes(bytes), Bytes(alignment)); };
  const Bytes data_begin = padded(position());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const StoredTensor& tensor = tensors[order[i]];
    const std::uint64_t place = places_[order[i]];
    const bool last = i + 1 == order.size();
    const bool starts_right = place % alignment == 0 && (i != 0 || place == 0);
    bool ends_right = last || Bytes(place) + padded(tensor.bytes) == Bytes(places_[order[i + 1]]);
    if (!ends_right && starts_right && is_of_a_fork(tensor.format) && places_[order[i + 1]] > place) {
      out_.tensors.set_bytes(order[i], places_[order[i + 1]] - place);
      if (out_.notes.empty()) out_.notes.push_back(of_tensor("gguf.size_by_place", tensor.name));
      ends_right = true;
    }
    if (!starts_right || !ends_right) {
      stop(of_tensor("gguf.tensor_place", tensor.name));
      return;
    }
    const Bytes end = data_begin + Bytes(place) + Bytes(tensor.bytes);
    if (end > Bytes(file().size)) {
      Bytes needed = data_begin;
      for (const StoredTensor& each : tensors) needed += padded(each.bytes);
      stop(of_tensor("gguf.tensor_past_end", tensor.name).with("size", Bytes(file().size)).with("needed", needed));
      return;
    }
  }
}

Result<GgufFile> GgufReader::take() {
  if (error()) return *error();
  return std::move(out_);
}

}  // namespace vram
