// Files that a user dropped or named → one model, and what each file was taken for.
//
//   Opening opening({{"config.json", 900}, {"model-00001-of-00002.safetensors", 4976698672}, …});
//   while (const auto request = opening.wants()) opening.give(read(request->file, request->range));
//   Result<Opened> opened = opening.take();
//
// Files are told by their content. What belongs together is put together: config.json, hf_quant_config.json, an index
// and its shards; the parts of a split GGUF and its vision tower. What does not belong (a second copy of the weights
// in another layout, an adapter, a tokenizer) is told apart and named, so that nobody counts a whole folder as weights.
// A scenario that the page saved is handed on as its text: what is in it is core/scenario's.
// A server's start-up log may lie among them or come alone.
//
// Errors: those of the readers, of config.h and of checkpoint.h, each with {file} where there is one; open.no_files,
// open.not_weights {file, found}, open.nothing_known {count}, open.index_alone {files}, open.missing_parts {missing,
// present, count}, open.several_models {first, second}, open.two_formats {first, second}, open.only_tower {file},
// open.only_vocabulary {file}, open.only_adapter {file}, open.part_twice {first, second}; those of engine_log.h.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/import/engine_log.h"
#include "core/import/gguf.h"
#include "core/import/open_kinds.h"
#include "core/import/reader.h"
#include "core/import/reader_text.h"
#include "core/import/safetensors.h"
#include "core/model/model.h"

namespace vram {

/// What a file was used as.
enum class FileUse : std::uint8_t { weights, tower, description, extra, adapter, second_copy, log, ignored };
/// Key of strings: "file_use.weights".
std::string_view file_use_key(FileUse use);

struct UsedFile {
  FileInfo file;
  FileKind kind = FileKind::binary;
  FileUse use = FileUse::ignored;
  Bytes tensor_bytes;  ///< of a file with tensors
};

struct Opened {
  Model model;  ///< its notes tell what was assumed, left out, or will change on loading
  std::vector<UsedFile> files;
  Bytes stored;                      ///< of all tensors that are used; what is stored twice counts twice
  std::string scenario;              ///< text of a saved scenario; "" = none. With it there is no model
  std::string config, quant_config;  ///< texts, "" = none: a link can carry them, weights it cannot
  std::optional<EngineLog> log;      ///< of a start-up log among the files; alone it comes without a model

  bool has_model() const { return !model.tensors.empty(); }
};

class Opening {
 public:
  explicit Opening(std::vector<FileInfo> files);

  struct Request {
    std::size_t file = 0;  ///< index into the files
    ByteRange range;
  };
  std::optional<Request> wants() const;
  void give(std::span<const std::byte> bytes);
  Progress progress() const;
  /// Once wants() has nothing more.
  Result<Opened> take();

 private:
  struct Entry {
    UsedFile used;
    bool sniffed = false;
    std::unique_ptr<FileReader> reader;
    std::optional<SafetensorsFile> safetensors;
    std::optional<GgufFile> gguf;
    std::string text;
    std::optional<EngineLog> log;
    std::optional<Message> error;  ///< of a file that is not needed; others end the opening
  };

  void start(std::span<const std::byte> begin);
  void finish_file();
  void read_log(Entry& entry);
  void next();
  Result<Opened> combine();
  Result<Opened> combine_gguf(std::vector<Entry*> files);
  Result<Opened> combine_safetensors(std::vector<Entry*> files);
  Result<Opened> combine_description();
  std::optional<Message> choose_shards(std::vector<Entry*>& files);
  Entry* of_kind(FileKind kind);
  Result<Model> read_config();
  Opened finish(Model model);

  std::vector<Entry> entries_;
  std::size_t current_ = 0;
  std::uint64_t given_ = 0;
  std::optional<Message> error_;
};

}  // namespace vram
