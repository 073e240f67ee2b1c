// platform.h without a browser, see null.h.
#include "web/platform/null.h"

#include <algorithm>

namespace platform {

namespace null {

Record& record() {
  static Record instance;
  return instance;
}

}  // namespace null

using null::record;

Preferences preferences() { return record().preferences; }
std::string link() { return record().link; }
void set_link(const std::string& fragment) { record().link = fragment; }
std::string page_address() { return record().page_address; }
bool embedded() { return record().embedded; }
std::string site_settings() { return record().site_settings; }

std::string stored(const std::string& key) {
  const auto found = record().storage.find(key);
  return found == record().storage.end() ? std::string() : found->second;
}

void store(const std::string& key, const std::string& value) { record().storage[key] = value; }

void edit_text(const TextEntry& entry) {
  auto& current = record().text_entry;
  const bool moved = current && current->id == entry.id;
  const std::string text = moved ? current->text : entry.text;
  current = entry;
  current->text = text;
}

void end_text() { record().text_entry.reset(); }

void copy_text(const std::string& text) { record().clipboard = text; }
bool can_share() { return record().share_sheet; }

void share(const std::string&, const std::string& text) {
  (record().share_sheet ? record().shared : record().clipboard) = text;
}

void print_page() { ++record().prints; }
void open_address(const std::string& address) { record().opened_address = address; }

void save_file(const std::string& name, const std::string& mime, const std::string& content) {
  record().saved_file = null::SavedFile{name, mime, content};
}

void save_page() { ++record().saved_pages; }
void pick_files() { ++record().file_pickers; }
void paste() { ++record().pastes; }

void read_file(std::uint32_t file, std::uint64_t offset, std::uint32_t length) {
  record().reads.push_back({file, offset, length});
}

void close_files() { ++record().closed_files; }

void fetch(std::uint32_t id, const std::string& address, std::uint64_t offset, std::uint32_t length) {
  record().fetches.push_back({id, address, offset, length});
}

void stop_fetches() { record().fetches.clear(); }

void results_changed() { ++record().results_changes; }

void set_document(const std::string& language, const std::string& title, bool dark) {
  record().document_language = language;
  record().document_title = title;
  record().document_dark = dark;
}

void show_text_version() { ++record().text_versions; }
void set_accent(std::uint32_t rgb) { record().accent = rgb; }
void content_height(float height) { record().content_height = height; }
void warn(const std::string& text) { record().warnings.push_back(text); }
void work() { record().wants_work = true; }
void wake(int frames) { record().wanted_frames = std::max(record().wanted_frames, frames); }

}  // namespace platform
