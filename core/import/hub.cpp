#include "core/import/hub.h"

#include <algorithm>
#include <utility>

namespace vram {
namespace {

constexpr std::string_view kConfig = "config.json", kIndex = "model.safetensors.index.json",
                           kSingle = "model.safetensors";
// The longest index known is 15 MB (140,000 names), headers of one model together 11 MB.
constexpr std::uint64_t kMostText = std::uint64_t{32} << 20, kMostReceived = std::uint64_t{256} << 20;
// Most headers of shards are shorter, so one request for each is enough; a GGUF begins with its vocabulary.
constexpr std::uint64_t kBeginning = std::uint64_t{128} << 10;
constexpr std::int64_t kMostParts = 1024;

bool is_text(std::string_view path) { return path.ends_with(".json"); }
bool is_gguf(std::string_view path) { return !is_text(path) && !path.ends_with(".safetensors"); }
/// What went wrong on the way, not with the model: there is another way.
Message with_advice(std::string_view key) { return Message(key).with("instead", MessageKey{"hub.instead"}); }
/// A model may do without them.
bool optional_file(std::string_view path) { return path == kIndex || path == kSingle; }

std::uint64_t wanted_of(std::string_view path) {
  return is_text(path) ? kMostText : is_gguf(path) ? kReadStep : kBeginning;
}

/// "x-00001-of-00003.gguf" → all three; any other name → itself.
std::vector<std::string> parts_of(const std::string& file) {
  constexpr std::string_view kLike = "-00001-of-00003.gguf";
  constexpr std::size_t kCount = 10, kDigits = 5;  // where the count stands, and how long numbers are
  if (file.size() <= kLike.size()) return {file};
  const std::size_t start = file.size() - kLike.size();
  std::int64_t count = 0;
  for (std::size_t i = 0; i < kLike.size(); ++i) {
    const bool digit = file[start + i] >= '0' && file[start + i] <= '9';
    const bool wanted = kLike[i] >= '0' && kLike[i] <= '9';
    if (wanted ? !digit : file[start + i] != kLike[i]) return {file};
    if (i >= kCount && wanted) count = count * 10 + (file[start + i] - '0');
  }
  std::vector<std::string> parts;
  for (std::int64_t part = 1; part <= std::min(count, kMostParts); ++part) {
    const std::string number = std::to_string(part);
    parts.push_back(file.substr(0, start + 1) + std::string(kDigits - number.size(), '0') + number +
                    file.substr(start + 1 + kDigits));
  }
  return parts;
}

}  // namespace

HubOpening::HubOpening(HubName name) : name_(std::move(name)) {
  if (is_commit(name_.revision)) commit_ = name_.revision;
  if (name_.file.empty()) files_.push_back({.path = std::string(kConfig)});
  for (std::string& part : name_.file.empty() ? std::vector<std::string>() : parts_of(name_.file)) {
    files_.push_back({.path = std::move(part)});
  }
}

HubOpening::Request HubOpening::ask(std::size_t file, ByteRange range) {
  asked_.push_back({++last_id_, file, range});
  HubName from = name_;
  if (!commit_.empty()) from.revision = commit_;  // all files of one state, whatever is uploaded meanwhile
  return {last_id_, hub_path(from, files_[file].path), range};
}

std::vector<HubOpening::Request> HubOpening::requests() {
  std::vector<Request> list;
  for (std::size_t i = 0; i < files_.size() && !error_ && asked_.size() < kAtOnce; ++i) {
    if (files_[i].state != State::waiting) continue;
    files_[i].state = State::asked;
    list.push_back(ask(i, {0, wanted_of(files_[i].path)}));
  }
  if (error_ || !asked_.empty()) return list;
  if (!opening_) begin_opening();
  if (const std::optional<ByteRange> range = feed()) list.push_back(ask(opened_[opening_->wants()->file], *range));
  return list;
}

void HubOpening::give(std::uint32_t id, const HubAnswer& answer) {
  const auto found = std::find_if(asked_.begin(), asked_.end(), [&](const Asked& one) { return one.id == id; });
  if (found == asked_.end() || error_) return;
  const Asked asked = *found;
  asked_.erase(found);
  received_ += answer.bytes.size();
  File& file = files_[asked.file];
  const bool missing = answer.status == 404 && answer.code != "RepoNotFound" && answer.code != "RevisionNotFound";
  if (missing && optional_file(file.path)) {
    file.state = State::absent;
    return next_files(asked.file);
  }
  error_ = trouble(asked, answer);
  if (!error_) took(asked, answer);
}

/// What is wrong with an answer, if anything. The hub answers 401 for what does not exist, too: a name could be a
/// private model's (https://github.com/huggingface/huggingface_hub, utils/_http.py, read 2026-11).
std::optional<Message> HubOpening::trouble(const Asked& asked, const HubAnswer& answer) const {
  const std::string& path = files_[asked.file].path;
  const std::string name = hub_name_text({name_.model, name_.revision, ""});
  if (answer.end == HubAnswer::End::slow) return with_advice("hub.slow");
  if (answer.end == HubAnswer::End::unreachable || answer.status == 0) return with_advice("hub.unreachable");
  if (answer.code == "RepoNotFound" || answer.code == "RevisionNotFound") {
    return Message("hub.not_found").with("name", name);
  }
  switch (answer.status) {
    case 200:
    case 206: break;
    case 401:
    case 403: return with_advice("hub.gated").with("name", name);
    case 404:
      if (path != kConfig) return Message("hub.no_file").with("file", path);
      return Message(answer.code == "EntryNotFound" ? "hub.no_config" : "hub.not_found").with("name", name);
    case 429: return with_advice("hub.busy");
    default: return with_advice("hub.status").with("status", std::int64_t{answer.status});
  }
  const bool text = is_text(path);
  if (answer.status == 206 ? answer.size == 0 : !text) return with_advice("hub.no_ranges");
  const std::uint64_t most = text ? kMostText : kMostReceived;
  if ((text && std::max<std::uint64_t>(answer.size, answer.bytes.size()) >= kMostText) || received_ > kMostReceived) {
    return with_advice("hub.too_large").with("file", path).with("most", Bytes(most));
  }
  const std::uint64_t end = std::min(asked.range.end, answer.size);
  const bool is_short = answer.status == 206 && answer.bytes.size() + asked.range.begin < end;
  if (answer.end == HubAnswer::End::cut || is_short) return with_advice("hub.cut").with("file", path);
  return std::nullopt;
}

void HubOpening::took(const Asked& asked, const HubAnswer& answer) {
  if (commit_.empty() && is_commit(answer.commit)) commit_ = answer.commit;
  if (opening_) return opening_->give(answer.bytes);
  File& file = files_[asked.file];
  file.state = State::here;
  file.begin.assign(answer.bytes.begin(), answer.bytes.end());
  file.size = answer.status == 206 ? answer.size : file.begin.size();
  next_files(asked.file);
}

/// What is to be fetched once this file is known.
void HubOpening::next_files(std::size_t file) {
  const std::string path = files_[file].path;
  if (path == kConfig) files_.push_back({.path = std::string(kIndex)});
  if (path != kIndex) return;
  if (files_[file].state == State::absent) return files_.push_back({.path = std::string(kSingle)});
  const std::vector<std::byte>& text = files_[file].begin;
  const auto index = parse_safetensors_index({reinterpret_cast<const char*>(text.data()), text.size()});
  if (!index) {
    error_ = index.error();
    error_->with("file", path);
    return;
  }
  for (const std::string& shard : index.value().files) {
    if (!is_hub_file(shard) || !shard.ends_with(".safetensors")) {
      error_ = Message("hub.bad_file").with("file", shard);
      return;
    }
    files_.push_back({.path = shard});
  }
}

void HubOpening::begin_opening() {
  std::vector<FileInfo> infos;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    if (files_[i].state != State::here) continue;
    infos.push_back({files_[i].path, files_[i].size});
    opened_.push_back(i);
  }
  opening_.emplace(std::move(infos));
}

/// Gives the opening what is here already; the range that it needs then, if any.
std::optional<ByteRange> HubOpening::feed() {
  while (const auto wanted = opening_->wants()) {
    const std::vector<std::byte>& here = files_[opened_[wanted->file]].begin;
    if (wanted->range.end > here.size()) return wanted->range;
    opening_->give(std::span(here).subspan(static_cast<std::size_t>(wanted->range.begin),
                                           static_cast<std::size_t>(wanted->range.size())));
  }
  return std::nullopt;
}

/// "org/model@1a2b3c4", or as it was asked for where the commit is not known.
std::string HubOpening::source() const {
  constexpr std::size_t kShortCommit = 7;  // as the hub shows it
  HubName from = name_;
  if (!commit_.empty()) from.revision = commit_.substr(0, kShortCommit);
  return hub_name_text(from);
}

std::optional<Result<Opened>> HubOpening::take() {
  if (error_) return Result<Opened>(*error_);
  if (!opening_ || opening_->wants()) return std::nullopt;
  Result<Opened> result = opening_->take();
  if (!result) return result;
  if (!result.value().has_model()) return Result<Opened>(Message("hub.not_a_model").with("name", source()));
  Opened opened = std::move(result).value();
  opened.model.name = source();
  if (!commit_.empty()) {
    opened.model.notes.push_back(Message("hub.source").with("name", name_.model).with("commit", commit_));
  }
  return Result<Opened>(std::move(opened));
}

HubOpening::Fetched HubOpening::progress() const {
  Fetched fetched;
  for (const File& file : files_) {
    if (file.state == State::absent) continue;
    ++fetched.files;
    if (file.state == State::here) ++fetched.here;
  }
  fetched.bytes = Bytes(received_);
  return fetched;
}

}  // namespace vram
