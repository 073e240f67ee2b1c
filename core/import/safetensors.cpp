#include "core/import/safetensors.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "core/import/safetensors_scan.h"

namespace vram {
namespace {

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::size_t kMaxRank = 16;  // no writer goes beyond 8
constexpr std::size_t kMaxIndexFiles = 4096;
constexpr std::size_t kMaxMetadata = 64, kMaxMetadataText = 4096;

std::int64_t shown(std::uint64_t value) { return static_cast<std::int64_t>(std::min<std::uint64_t>(value, INT64_MAX)); }

Message syntax(const JsonScan& scan) {
  return Message("safetensors.syntax").with("at", shown(scan.place() + kLengthBytes));
}
Message bad_field(std::string_view tensor, std::string_view field) {
  return Message("safetensors.field").with("tensor", std::string(tensor)).with("field", std::string(field));
}
Message of_tensor(std::string_view key, std::string_view tensor) {
  return Message(key).with("tensor", std::string(tensor));
}

/// One pass over the header; the first error stands.
class HeaderScan {
 public:
  HeaderScan(char* begin, char* end, SafetensorsFile& out) : scan_(begin, end), out_(out) {}

  std::optional<Message> run() {
    if (!scan_.take('{')) return syntax(scan_);
    if (!scan_.take('}')) {
      do {
        if (std::optional<Message> error = entry()) return error;
      } while (scan_.take(','));
      if (!scan_.take('}')) return syntax(scan_);
    }
    if (!scan_.at_end()) return syntax(scan_);
    return std::nullopt;
  }

  /// Where each tensor begins and ends in the data, in the order of the list.
  const std::vector<std::pair<std::uint64_t, std::uint64_t>>& places() const { return places_; }

 private:
  std::optional<Message> entry() {
    std::string_view name;
    if (!scan_.string(name) || !scan_.take(':')) return syntax(scan_);
    return name == "__metadata__" ? metadata() : tensor(name);
  }

  std::optional<Message> metadata() {
    if (!scan_.take('{')) return bad_field("__metadata__", "{}");
    if (scan_.take('}')) return std::nullopt;
    do {
      std::string_view key, value;
      if (!scan_.string(key) || !scan_.take(':')) return syntax(scan_);
      if (!scan_.next_is('"')) return bad_field("__metadata__", key);
      if (!scan_.string(value)) return syntax(scan_);
      if (out_.metadata.size() < kMaxMetadata && value.size() <= kMaxMetadataText && key.size() <= 256) {
        out_.metadata.emplace_back(key, value);
      }
    } while (scan_.take(','));
    return scan_.take('}') ? std::nullopt : std::optional(syntax(scan_));
  }

  std::optional<Message> tensor(std::string_view name) {
    StoredTensor tensor{.name = name, .shape_at = out_.tensors.dimensions()};
    std::uint64_t begin = 0, end = 0;
    std::uint64_t elements = 1;
    bool overflow = false, has_type = false, has_shape = false, has_offsets = false;
    if (!scan_.take('{')) return scan_.next_is('"') || scan_.next_is('[') ? bad_field(name, "{}") : syntax(scan_);
    do {
      std::string_view field;
      if (!scan_.string(field) || !scan_.take(':')) return syntax(scan_);
      if (field == "dtype" && !has_type) {
        std::string_view type;
        if (!scan_.string(type)) return bad_field(name, field);
        const std::optional<Element> element = find_element(type);
        if (!element) return of_tensor("safetensors.unknown_type", name).with("type", std::string(type.substr(0, 64)));
        tensor.element = *element;
        has_type = true;
      } else if (field == "shape" && !has_shape) {
        if (!scan_.take('[')) return bad_field(name, field);
        if (!scan_.take(']')) {
          do {
            std::uint64_t dimension = 0;
            if (!scan_.whole(dimension) || tensor.rank == kMaxRank) return bad_field(name, field);
            overflow = overflow || __builtin_mul_overflow(elements, dimension, &elements);
            out_.tensors.add_dimension(dimension);
            ++tensor.rank;
          } while (scan_.take(','));
          if (!scan_.take(']')) return bad_field(name, field);
        }
        has_shape = true;
      } else if (field == "data_offsets" && !has_offsets) {
        if (!scan_.take('[') || !scan_.whole(begin) || !scan_.take(',') || !scan_.whole(end) || !scan_.take(']') ||
            begin > end) {
          return bad_field(name, field);
        }
        has_offsets = true;
      } else if (field == "dtype" || field == "shape" || field == "data_offsets") {
        return bad_field(name, field);  // twice
      } else if (!scan_.skip()) {
        return syntax(scan_);
      }
    } while (scan_.take(','));
    if (!scan_.take('}')) return syntax(scan_);
    if (!has_type || !has_shape || !has_offsets) {
      return bad_field(name, !has_type ? "dtype" : !has_shape ? "shape" : "data_offsets");
    }
    const std::uint64_t bits = element_bits(tensor.element);
    std::uint64_t computed = 0;
    overflow = overflow || __builtin_mul_overflow(elements, bits, &computed);
    // Values of 4 and 6 bits fill whole bytes or the writer refuses them.
    if (overflow || computed % 8 != 0 || computed / 8 != end - begin) {
      Message message = of_tensor("safetensors.size_differs", name);
      return std::move(message)
          .with("stated", Bytes(end - begin))
          .with("computed", overflow ? Bytes::overflow() : Bytes(computed / 8));
    }
    tensor.bytes = end - begin;
    out_.tensors.add(tensor);
    places_.emplace_back(begin, end);
    return std::nullopt;
  }

  JsonScan scan_;
  SafetensorsFile& out_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> places_;
};

/// Data must lie end to end: no holes, no overlaps, nothing after it, nothing missing.
std::optional<Message> check_places(const TensorList& list,
                                    const std::vector<std::pair<std::uint64_t, std::uint64_t>>& places,
                                    std::uint64_t data_bytes) {
  const std::vector<StoredTensor>& tensors = list.tensors();
  std::uint64_t expected = 0;
  const auto in_order = [&](auto place_at) -> std::optional<Message> {
    expected = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const std::size_t which = place_at(i);
      if (places[which].first != expected) return of_tensor("safetensors.gap", tensors[which].name);
      expected = places[which].second;
    }
    return std::nullopt;
  };
  // Nearly every writer lists tensors in the order of their data.
  if (in_order([](std::size_t i) { return i; })) {
    std::vector<std::uint32_t> order(places.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return places[a] < places[b]; });
    if (auto gap = in_order([&](std::size_t i) { return std::size_t{order[i]}; })) return gap;
  }
  if (expected > data_bytes) {
    const auto last = std::find_if(places.begin(), places.end(), [&](auto p) { return p.second > data_bytes; });
    return of_tensor("safetensors.truncated", tensors[static_cast<std::size_t>(last - places.begin())].name)
        .with("size", Bytes(data_bytes))
        .with("needed", Bytes(expected));
  }
  if (expected < data_bytes) {
    return Message("safetensors.trailing").with("size", Bytes(data_bytes)).with("needed", Bytes(expected));
  }
  return std::nullopt;
}

}  // namespace

Result<SafetensorsFile> parse_safetensors_header(std::vector<char> header, std::uint64_t data_bytes) {
  SafetensorsFile out;
  out.header_bytes = header.size() + kLengthBytes;
  HeaderScan scan(header.data(), header.data() + header.size(), out);
  if (std::optional<Message> error = scan.run()) return *std::move(error);
  out.tensors.keep(std::move(header));
  if (std::optional<std::string_view> twice = out.tensors.duplicate())
    return of_tensor("safetensors.duplicate", *twice);
  if (std::optional<Message> error = check_places(out.tensors, scan.places(), data_bytes)) return *std::move(error);
  if (out.tensors.tensors().empty()) return Message("safetensors.empty");
  return out;
}

SafetensorsReader::SafetensorsReader(FileInfo file) : FileReader(std::move(file)) {
  if (this->file().size < kLengthBytes + 2) {
    fail(Message("safetensors.too_short").with("size", Bytes(this->file().size)));
  }
}

std::optional<ByteRange> SafetensorsReader::wants() const {
  if (error()) return std::nullopt;
  if (!length_known_) return ByteRange{0, kLengthBytes};
  const std::uint64_t begin = kLengthBytes + header_.size();
  const std::uint64_t end = kLengthBytes + length_;
  if (begin == end) return std::nullopt;
  return ByteRange{begin, std::min(end, begin + kReadStep)};
}

Progress SafetensorsReader::progress() const {
  if (!length_known_) return {};
  return {kLengthBytes + header_.size(), kLengthBytes + length_};
}

void SafetensorsReader::take_in(std::span<const std::byte> bytes) {
  if (length_known_) {
    const char* const begin = reinterpret_cast<const char*>(bytes.data());
    header_.insert(header_.end(), begin, begin + bytes.size());
    return;
  }
  length_ = little_endian(bytes);
  if (length_ > kMaxSafetensorsHeader) {
    fail(Message("safetensors.header_too_long")
             .with("length", Bytes(length_))
             .with("most", Bytes(kMaxSafetensorsHeader)));
  } else if (length_ > file().size - kLengthBytes) {
    fail(Message("safetensors.header_past_end").with("length", Bytes(length_)).with("size", Bytes(file().size)));
  } else if (length_ < 2) {
    fail(Message("safetensors.empty"));
  }
  length_known_ = true;
}

Result<SafetensorsFile> SafetensorsReader::take() {
  if (error()) return *error();
  Result<SafetensorsFile> parsed = parse_safetensors_header(std::move(header_), file().size - kLengthBytes - length_);
  if (parsed) return parsed;
  fail(parsed.error());
  return *error();
}

Result<SafetensorsIndex> parse_safetensors_index(std::string_view text) {
  std::vector<char> copy(text.begin(), text.end());
  JsonScan scan(copy.data(), copy.data() + copy.size());
  const auto wrong = [&] { return Message("safetensors.syntax").with("at", shown(scan.place())); };

  SafetensorsIndex index;
  TensorList names;
  std::unordered_map<std::string_view, std::uint32_t> files;
  const auto weight_map = [&]() -> std::optional<Message> {
    if (!scan.take('{')) return Message("index.no_weight_map");
    if (scan.take('}')) return std::nullopt;
    do {
      std::string_view name, file;
      if (!scan.string(name) || !scan.take(':')) return wrong();
      if (!scan.next_is('"')) return Message("index.no_weight_map");
      if (!scan.string(file)) return wrong();
      const auto [found, is_new] = files.emplace(file, static_cast<std::uint32_t>(files.size()));
      if (files.size() > kMaxIndexFiles) return Message("index.too_many_files").with("most", shown(kMaxIndexFiles));
      if (is_new) index.tensors_in.push_back(0);
      ++index.tensors_in[found->second];
      names.add({.name = name});
    } while (scan.take(','));
    return scan.take('}') ? std::nullopt : std::optional(wrong());
  };
  const auto metadata = [&] {
    if (!scan.next_is('{')) return scan.skip();
    scan.take('{');
    if (scan.take('}')) return true;
    do {
      std::string_view key;
      if (!scan.string(key) || !scan.take(':')) return false;
      JsonScan before = scan;
      std::uint64_t size = 0;
      const bool is_size = key == "total_size" && before.whole(size);
      if (is_size) index.total_size = size;
      if (!scan.skip()) return false;
    } while (scan.take(','));
    return scan.take('}');
  };

  if (!scan.take('{')) return wrong();
  bool has_map = false;
  if (!scan.take('}')) {
    do {
      std::string_view key;
      if (!scan.string(key) || !scan.take(':')) return wrong();
      if (key == "weight_map" && !has_map) {
        if (std::optional<Message> error = weight_map()) return *std::move(error);
        has_map = true;
      } else if (key == "metadata" ? !metadata() : !scan.skip()) {
        return wrong();
      }
    } while (scan.take(','));
    if (!scan.take('}')) return wrong();
  }
  if (!scan.at_end()) return wrong();
  if (!has_map || names.tensors().empty()) return Message("index.no_weight_map");
  if (std::optional<std::string_view> twice = names.duplicate()) {
    return Message("index.duplicate").with("tensor", std::string(*twice));
  }
  index.tensors = names.tensors().size();
  index.files.resize(files.size());
  for (const auto& [file, place] : files) index.files[place] = std::string(file);
  return index;
}

}  // namespace vram
