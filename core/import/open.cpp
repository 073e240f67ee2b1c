#include "core/import/open.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include "core/import/checkpoint.h"
#include "core/import/config.h"
#include "core/import/gguf_model.h"
#include "core/import/open_parts.h"

namespace vram {
namespace {

// Real descriptions are at most a few MB (MiniMax-M3's quantisation list is 2 MB); an index of 140,000 names is 15 MB.
constexpr std::uint64_t kMostConfig = std::uint64_t{16} << 20, kMostIndex = std::uint64_t{96} << 20;
constexpr std::size_t kMostFiles = 4096;

constexpr std::array<std::string_view, 8> kUses = {"weights", "tower",       "description", "extra",
                                                   "adapter", "second_copy", "log",         "ignored"};

MessageKey key_of(FileKind kind) { return MessageKey{"file_kind." + std::string(file_kind_key(kind))}; }

bool is_json(FileKind kind) {
  return kind == FileKind::config || kind == FileKind::index || kind == FileKind::quant_config;
}

void name_file(Message& message, const std::string& file) {
  const bool named = std::any_of(message.parameters.begin(), message.parameters.end(),
                                 [](const auto& p) { return p.first == "file"; });
  if (!named) message.with("file", file);
}

Bytes all_bytes(const Model& model, FormatId format) {
  Bytes sum;
  for (const Tensor& tensor : model.tensors) {
    if (tensor.stored && tensor.format == format) sum += tensor.bytes() * Count(model.layers_of(tensor.layer_set));
  }
  return sum;
}

/// What an engine does differently from the file: said, not assumed away.
void note_loading(Model& model, bool gguf) {
  if (gguf) {
    for (const Tensor& tensor : model.tensors) {
      if (tensor.role == Role::embedding && tensor.part == Part::text) {
        model.notes.push_back(Message("loading.embedding_on_host").with("bytes", tensor.bytes()));
        break;
      }
    }
    const bool tied = std::any_of(model.tensors.begin(), model.tensors.end(),
                                  [](const Tensor& t) { return t.role == Role::head && !t.stored; });
    if (tied) model.notes.push_back(Message("loading.head_copied"));
    return;
  }
  const Bytes wide = all_bytes(model, FormatId::fp32);
  if (wide + wide > weight_bytes(model)) model.notes.push_back(Message("loading.fp32_halved").with("bytes", wide));
  const bool packed = std::any_of(model.tensors.begin(), model.tensors.end(), [](const Tensor& t) {
    return t.format == FormatId::gptq_int4 || t.format == FormatId::awq_int4 || t.format == FormatId::int4_sym;
  });
  if (packed) model.notes.push_back(Message("loading.repacked"));
}

}  // namespace

std::string_view file_use_key(FileUse use) { return kUses[static_cast<std::size_t>(use)]; }

Opening::Opening(std::vector<FileInfo> files) {
  if (files.empty()) error_ = Message("open.no_files");
  if (files.size() > kMostFiles) files.resize(kMostFiles);
  entries_.resize(files.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    entries_[i].used.file = std::move(files[i]);
    entries_[i].used.kind = FileKind::empty;
  }
  if (!error_) next();
}

/// Passes over what needs no reading.
void Opening::next() {
  while (current_ < entries_.size() && !error_) {
    Entry& entry = entries_[current_];
    if (!entry.sniffed && entry.used.file.size != 0) return;
    if (entry.reader != nullptr && entry.reader->wants()) return;
    if (entry.reader != nullptr) finish_file();
    ++current_;
  }
}

std::optional<Opening::Request> Opening::wants() const {
  if (error_ || current_ >= entries_.size()) return std::nullopt;
  const Entry& entry = entries_[current_];
  if (!entry.sniffed) return Request{current_, {0, std::min(kSniff, entry.used.file.size)}};
  return Request{current_, *entry.reader->wants()};
}

void Opening::give(std::span<const std::byte> bytes) {
  const std::optional<Request> request = wants();
  if (!request) return;
  given_ += std::min<std::uint64_t>(bytes.size(), request->range.size());
  Entry& entry = entries_[current_];
  if (entry.sniffed) {
    entry.reader->give(bytes);
  } else if (bytes.size() < request->range.size()) {
    error_ = Message("reader.unreadable")
                 .with("at", static_cast<std::int64_t>(bytes.size()))
                 .with("file", entry.used.file.name);
  } else {
    start(bytes.first(static_cast<std::size_t>(request->range.size())));
  }
  next();
}

/// Decides what the current file is and who reads it.
void Opening::start(std::span<const std::byte> begin) {
  Entry& entry = entries_[current_];
  const FileInfo& file = entry.used.file;
  entry.sniffed = true;
  entry.used.kind = file_kind(file, begin);
  switch (entry.used.kind) {
    case FileKind::gguf:
      entry.reader = std::make_unique<GgufReader>(file);
      break;
    case FileKind::safetensors:
      entry.reader = std::make_unique<SafetensorsReader>(file);
      break;
    case FileKind::config:
    case FileKind::quant_config:
    case FileKind::scenario:
      entry.reader = std::make_unique<TextReader>(file, kMostConfig);
      break;
    case FileKind::index:
      entry.reader = std::make_unique<TextReader>(file, kMostIndex);
      break;
    case FileKind::engine_log:
      if (file.size <= kMostLog) entry.reader = std::make_unique<TextReader>(file, kMostLog);
      else entry.error = Message("log.too_large").with("size", Bytes(file.size)).with("most", Bytes(kMostLog));
      break;
    case FileKind::text:  // alone it may be a log that begins with something else
      if (entries_.size() == 1 && file.size <= kMostLog) entry.reader = std::make_unique<TextReader>(file, kMostLog);
      break;
    default:
      break;
  }
}

/// A log is wanted where the file was told to be one; any other text may turn out to be one.
void Opening::read_log(Entry& entry) {
  Result<EngineLog> log = read_engine_log(entry.text);
  entry.text = std::string();
  if (log) {
    entry.used.kind = FileKind::engine_log;
    entry.log = std::move(log).value();
  } else if (entry.used.kind == FileKind::engine_log) {
    entry.error = log.error();
    name_file(*entry.error, entry.used.file.name);
  }
}

void Opening::finish_file() {
  Entry& entry = entries_[current_];
  const auto keep = [&](auto result, auto& into) {
    if (result)
      into = std::move(result).value();
    else
      error_ = result.error();
  };
  switch (entry.used.kind) {
    case FileKind::gguf: {
      keep(static_cast<GgufReader&>(*entry.reader).take(), entry.gguf);
      if (entry.gguf) entry.used.tensor_bytes = entry.gguf->tensors.bytes();
      break;
    }
    case FileKind::safetensors: {
      keep(static_cast<SafetensorsReader&>(*entry.reader).take(), entry.safetensors);
      if (entry.safetensors) entry.used.tensor_bytes = entry.safetensors->tensors.bytes();
      break;
    }
    default: {
      Result<std::string> text = static_cast<TextReader&>(*entry.reader).take();
      if (text)
        entry.text = std::move(text).value();
      else
        entry.error = text.error();
      const bool may_be_log = entry.used.kind == FileKind::engine_log || entry.used.kind == FileKind::text;
      if (text && may_be_log) read_log(entry);
      break;
    }
  }
  entry.reader.reset();
}

Progress Opening::progress() const {
  Progress progress{given_, 0};
  if (current_ >= entries_.size()) progress.needed = given_;
  if (current_ + 1 == entries_.size() && entries_[current_].reader != nullptr) {  // the last file: its header tells
    const Progress last = entries_[current_].reader->progress();
    if (last.needed != 0) progress.needed = given_ + (last.needed - last.done);
  }
  return progress;
}

Opening::Entry* Opening::of_kind(FileKind kind) {
  for (Entry& entry : entries_) {
    if (entry.used.kind == kind && !entry.error) return &entry;
  }
  return nullptr;
}

Result<Opened> Opening::take() {
  if (error_) return *error_;
  return combine();
}

Result<Opened> Opening::combine() {
  std::vector<Entry*> gguf, safetensors;
  for (Entry& entry : entries_) {
    if (entry.gguf) gguf.push_back(&entry);
    if (entry.safetensors) safetensors.push_back(&entry);
  }
  if (!gguf.empty() && !safetensors.empty()) {
    return Message("open.two_formats")
        .with("first", gguf[0]->used.file.name)
        .with("second", safetensors[0]->used.file.name);
  }
  if (!gguf.empty()) return combine_gguf(std::move(gguf));
  if (!safetensors.empty()) return combine_safetensors(std::move(safetensors));
  return combine_description();
}

Result<Model> Opening::read_config() {
  ConfigExtras extras;
  std::optional<Json> quant;
  if (Entry* list = of_kind(FileKind::quant_config)) {
    Result<Json> parsed = parse_json(list->text);
    if (parsed) quant = std::move(parsed).value();
    if (quant) list->used.use = FileUse::description;
  }
  extras.hf_quant_config = quant ? &*quant : nullptr;
  std::optional<Message> error;
  for (Entry& entry : entries_) {
    if (entry.used.kind != FileKind::config || entry.error) continue;
    Result<Model> model = model_from_config_text(entry.text, extras);
    if (model) {
      entry.used.use = FileUse::description;
      return model;
    }
    if (!error || name_without_ending(entry.used.file.name) == "config") {  // the one that should have been it
      error = model.error();
      name_file(*error, entry.used.file.name);
    }
  }
  return error ? *std::move(error) : Message("open.no_files");
}

/// Only descriptions, or nothing that is known.
Result<Opened> Opening::combine_description() {
  if (Entry* saved = of_kind(FileKind::scenario)) {
    saved->used.use = FileUse::description;
    return finish(Model());
  }
  if (of_kind(FileKind::config) != nullptr) {
    Result<Model> model = read_config();
    if (!model) return model.error();
    if (Entry* index = of_kind(FileKind::index)) {
      index->used.use = FileUse::description;
      if (const Result<SafetensorsIndex> read = parse_safetensors_index(index->text);
          read && read.value().total_size != 0) {
        Model with_note = std::move(model).value();
        with_note.notes.push_back(Message("open.index_says")
                                      .with("bytes", Bytes(read.value().total_size))
                                      .with("computed", weight_bytes(with_note)));
        return finish(std::move(with_note));
      }
    }
    return finish(std::move(model).value());
  }
  if (Entry* index = of_kind(FileKind::index)) {
    const Result<SafetensorsIndex> read = parse_safetensors_index(index->text);
    if (read)
      return Message("open.index_alone")
          .with("count", static_cast<std::int64_t>(read.value().files.size()))
          .with("file", index->used.file.name);
    Message error = read.error();
    name_file(error, index->used.file.name);
    return error;
  }
  const bool has_log = std::any_of(entries_.begin(), entries_.end(), [](const Entry& entry) { return entry.log; });
  if (has_log) return finish(Model());
  for (const Entry& entry : entries_) {
    if (entry.error) return *entry.error;
  }
  if (entries_.size() == 1) {
    return Message("open.not_weights")
        .with("file", entries_[0].used.file.name)
        .with("found", key_of(entries_[0].used.kind));
  }
  return Message("open.nothing_known").with("count", static_cast<std::int64_t>(entries_.size()));
}

Result<Opened> Opening::combine_gguf(std::vector<Entry*> files) {
  std::vector<Entry*> text, towers;
  for (Entry* file : files) (is_gguf_tower(*file->gguf) ? towers : text).push_back(file);
  if (text.empty()) return Message("open.only_tower").with("file", towers[0]->used.file.name);

  std::vector<SplitPart> parts;
  for (const Entry* file : text) parts.push_back({file->used.file.name, &*file->gguf});
  if (std::optional<Message> error = check_split(parts)) return *std::move(error);

  const GgufFile* head = nullptr;
  std::vector<const TensorList*> lists;
  std::size_t tensors = 0;
  for (Entry* file : text) {
    if (head == nullptr || file->gguf->integer("split.no").value_or(0) == 0) head = &*file->gguf;
    lists.push_back(&file->gguf->tensors);
    tensors += file->gguf->tensors.tensors().size();
    file->used.use = FileUse::weights;
  }
  if (tensors == 0) return Message("open.only_vocabulary").with("file", text[0]->used.file.name);
  for (Entry* file : towers) {
    lists.push_back(&file->gguf->tensors);
    file->used.use = FileUse::tower;
  }
  Model model = model_from_gguf_metadata(*head);
  if (std::optional<Message> error = add_inventory(model, lists, Naming::gguf)) {
    name_file(*error, text[0]->used.file.name);
    return *std::move(error);
  }
  for (Entry* file : files) model.notes.insert(model.notes.end(), file->gguf->notes.begin(), file->gguf->notes.end());
  deduce_dimensions(model);
  if (model.name.empty()) model.name = name_without_ending(text[0]->used.file.name);
  note_loading(model, true);
  return finish(std::move(model));
}

Result<Opened> Opening::combine_safetensors(std::vector<Entry*> files) {
  if (std::optional<Message> error = choose_shards(files)) return *std::move(error);
  std::vector<const TensorList*> lists;
  for (Entry* file : files) {
    lists.push_back(&file->safetensors->tensors);
    file->used.use = FileUse::weights;
  }

  Model model;
  std::optional<bool> tied;
  bool described = false;
  if (of_kind(FileKind::config) != nullptr) {
    Result<Model> config = read_config();
    if (config) {
      model = std::move(config).value();
      described = true;
      tied = std::any_of(model.tensors.begin(), model.tensors.end(),
                         [](const Tensor& t) { return t.role == Role::head && !t.stored; });
    } else {
      model.notes.push_back(Message("open.config_not_used"));
      model.notes.push_back(config.error());
    }
  }
  const Count expected = described ? count_parameters(model).text : Count(0);
  if (std::optional<Message> error = add_inventory(model, lists, Naming::hugging_face, tied)) {
    name_file(*error, files[0]->used.file.name);
    return *std::move(error);
  }
  deduce_dimensions(model);
  if (!described) {
    deduce_caches(model);
    model.name = name_without_ending(files[0]->used.file.name);
  } else {
    const double stored = static_cast<double>(count_parameters(model).text.value()),
                 wanted = static_cast<double>(expected.value());
    if (stored > wanted * 1.005 || stored < wanted * 0.995) {
      model.notes.push_back(Message("open.differs_from_config")
                                .with("stored", static_cast<std::int64_t>(count_parameters(model).text.value()))
                                .with("expected", static_cast<std::int64_t>(expected.value())));
    }
  }
  note_loading(model, false);
  return finish(std::move(model));
}

/// Leaves in `files` those that are the checkpoint; marks the others.
std::optional<Message> Opening::choose_shards(std::vector<Entry*>& files) {
  std::vector<ShardCandidate> candidates;
  for (const Entry* file : files) {
    candidates.push_back({file->used.file.name, &file->safetensors->tensors});
  }
  std::optional<SafetensorsIndex> index;
  if (Entry* entry = of_kind(FileKind::index)) {
    Result<SafetensorsIndex> read = parse_safetensors_index(entry->text);
    if (!read) {
      Message error = read.error();
      name_file(error, entry->used.file.name);
      return error;
    }
    index = std::move(read).value();
    entry->used.use = FileUse::description;
  }
  const ShardChoice choice = choose_checkpoint(candidates, index ? &*index : nullptr);
  if (choice.error) return choice.error;
  std::vector<Entry*> chosen;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (choice.uses[i] == FileUse::weights)
      chosen.push_back(files[i]);
    else
      files[i]->used.use = choice.uses[i];
  }
  files = std::move(chosen);
  return std::nullopt;
}

Opened Opening::finish(Model model) {
  Opened opened;
  opened.model = std::move(model);
  std::int64_t others = 0;
  for (Entry& entry : entries_) {
    UsedFile& used = entry.used;
    if (entry.log && !opened.log) {
      used.use = FileUse::log;
      opened.log = std::move(entry.log);
    }
    if (used.use == FileUse::weights || used.use == FileUse::tower) opened.stored += used.tensor_bytes;
    if (used.use == FileUse::description && used.kind == FileKind::config) opened.config = std::move(entry.text);
    if (used.use == FileUse::description && used.kind == FileKind::scenario) opened.scenario = std::move(entry.text);
    if (used.use == FileUse::description && used.kind == FileKind::quant_config)
      opened.quant_config = std::move(entry.text);
    if (used.use == FileUse::second_copy || used.use == FileUse::adapter || used.use == FileUse::extra) {
      opened.model.notes.push_back(Message("open.left_out")
                                       .with("file", used.file.name)
                                       .with("use", MessageKey{"file_use." + std::string(file_use_key(used.use))})
                                       .with("bytes", used.tensor_bytes));
    }
    if (used.use == FileUse::ignored && (used.kind == FileKind::html || used.kind == FileKind::lfs)) {
      opened.model.notes.push_back(
          Message("open.ignored").with("file", used.file.name).with("found", key_of(used.kind)));
    } else if (used.use == FileUse::ignored && !is_json(used.kind)) {
      ++others;
    }
  }
  if (others != 0) opened.model.notes.push_back(Message("open.others_ignored").with("count", others));
  for (Entry& entry : entries_) opened.files.push_back(std::move(entry.used));
  return opened;
}

}  // namespace vram
