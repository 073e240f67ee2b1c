// The platform of the native tests: it keeps what the interface asked for and gives out what a test has put in.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "web/platform/platform.h"

namespace platform::null {

struct SavedFile {
  std::string name, mime, content;
};

struct FetchRequest {
  std::uint32_t id = 0;
  std::string address;
  std::uint64_t offset = 0;
  std::uint32_t length = 0;
};

struct ReadRequest {
  std::uint32_t file = 0;
  std::uint64_t offset = 0;
  std::uint32_t length = 0;
};

/// Everything that passed through the seam. Tests read it, change it, and assign `{}` to start afresh.
struct Record {
  // What the platform answers.
  Preferences preferences;
  std::string link, page_address = "file:///index.html", site_settings;
  std::map<std::string, std::string> storage;
  bool embedded = false, share_sheet = false;

  // What the interface asked for, the last of each.
  std::optional<TextEntry> text_entry;  ///< empty after end_text()
  std::string clipboard, opened_address, shared;
  std::vector<std::string> warnings;
  std::uint32_t accent = 0;
  float content_height = 0;
  std::optional<SavedFile> saved_file;
  std::vector<ReadRequest> reads;
  std::vector<FetchRequest> fetches;  ///< on their way
  int saved_pages = 0, file_pickers = 0, pastes = 0, closed_files = 0, text_versions = 0, prints = 0;
  int results_changes = 0;
  std::string document_language, document_title;
  bool document_dark = false;
  bool wants_work = false;
  int wanted_frames = 0;  ///< as after wake(); a test that draws frames counts it down
};

Record& record();

}  // namespace platform::null
