// A model on a hub → the same `Opened` that dropped files become, by asking for parts of its files.
//
//   HubOpening opening(name);
//   for (const auto& request : opening.requests()) send(request);            // on a press, and after every answer
//   opening.give(id, answer);
//   if (auto opened = opening.take()) …                                      // nothing while answers are on their way
//
// config.json, the index of the weights and the beginnings of the weight files are fetched; what they mean is told by
// `Opening` (open.h), which is given those bytes and asks for more where a header is longer. Weights are never fetched:
// of a model of 700 GB some twenty MB. Whatever arrives was written by strangers; sizes and names are checked here.
//
// Errors: those of open.h and of parse_safetensors_index, hub.not_found {name}, hub.no_config {name},
// hub.no_file {file}, hub.bad_file {file}, hub.gated {name}, hub.busy, hub.status {status}, hub.unreachable, hub.slow, hub.cut {file},
// hub.no_ranges, hub.too_large {file, most}, hub.not_a_model {name}.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/import/hub_name.h"
#include "core/import/open.h"

namespace vram {

/// What a hub answered to one request.
struct HubAnswer {
  enum class End : std::uint8_t { whole, unreachable, slow, cut };  ///< `cut`: the connection broke on the way
  End end = End::whole;
  int status = 0;                    ///< of HTTP; 0 = nobody answered
  std::uint64_t size = 0;            ///< of the whole file, bytes, as Content-Range states it; 0 = not stated
  std::string commit{}, code{};      ///< X-Repo-Commit, X-Error-Code ("RepoNotFound"); "" = not stated
  std::span<const std::byte> bytes{};  ///< from the beginning of the range, at most as many as were asked for
};

class HubOpening {
 public:
  explicit HubOpening(HubName name);

  struct Request {
    std::uint32_t id = 0;
    std::string path;                ///< behind the hub's host
    ByteRange range;                 ///< may reach beyond the file's end
  };
  /// What can be asked for now, each once; at most kAtOnce are on their way.
  std::vector<Request> requests();
  void give(std::uint32_t id, const HubAnswer& answer);
  std::optional<Result<Opened>> take();

  struct Fetched {
    std::int64_t files = 0, here = 0;
    Bytes bytes;
  };
  Fetched progress() const;

  static constexpr std::size_t kAtOnce = 6;  ///< as many as browsers keep open to one host

 private:
  enum class State : std::uint8_t { waiting, asked, here, absent };
  struct File {
    std::string path;
    State state = State::waiting;
    std::uint64_t size = 0;
    std::vector<std::byte> begin{};  ///< of a text all of it
  };
  struct Asked {
    std::uint32_t id = 0;
    std::size_t file = 0;
    ByteRange range;
  };

  Request ask(std::size_t file, ByteRange range);
  void took(const Asked& asked, const HubAnswer& answer);
  std::optional<Message> trouble(const Asked& asked, const HubAnswer& answer) const;
  void next_files(std::size_t file);
  void begin_opening();
  std::optional<ByteRange> feed();
  std::string source() const;

  HubName name_;
  std::string commit_;               ///< of what is fetched; "" = not known
  std::vector<File> files_;
  std::vector<Asked> asked_;
  std::uint32_t last_id_ = 0;
  std::uint64_t received_ = 0;
  std::optional<Opening> opening_;
  std::vector<std::size_t> opened_;  ///< files of the opening, as indices of `files_`
  std::optional<Message> error_;
};

}  // namespace vram
