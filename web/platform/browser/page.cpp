// The page around the canvas: address, storage, preferences, clipboard, downloads, the text version.
#include "web/platform/browser/browser.h"
#include "web/platform/platform.h"

extern "C" {
void js_link();
void js_set_link(const char* fragment);
void js_page_address();
void js_site_settings();
void js_stored(const char* key);
void js_store(const char* key, const char* value);
void js_language();
int js_preferences();
void js_copy_text(const char* text);
void js_open_address(const char* address);
void js_save_file(const char* name, const char* mime, const char* content, std::size_t size);
void js_save_page();
void js_share(const char* title, const char* text);
bool js_can_share();
void js_print_page();
void js_warn(const char* text);
bool js_embedded();
void js_content_height(float height);
void js_set_accent(std::uint32_t rgb);
void js_results_changed();
void js_set_document(const char* language, const char* title, bool dark);
void js_show_text_version();
}

namespace platform {

using browser::taken;

Preferences preferences() {
  Preferences result;
  js_language();
  result.language = taken();
  const int bits = js_preferences();
  result.dark = (bits & 1) != 0;
  result.reduced_motion = (bits & 2) != 0;
  result.more_contrast = (bits & 4) != 0;
  result.coarse_pointer = (bits & 8) != 0;
  return result;
}

std::string link() {
  js_link();
  return taken();
}

void set_link(const std::string& fragment) { js_set_link(fragment.c_str()); }

std::string page_address() {
  js_page_address();
  return taken();
}

bool embedded() { return js_embedded(); }

std::string site_settings() {
  js_site_settings();
  return taken();
}

std::string stored(const std::string& key) {
  js_stored(key.c_str());
  return taken();
}

void store(const std::string& key, const std::string& value) { js_store(key.c_str(), value.c_str()); }
void copy_text(const std::string& text) { js_copy_text(text.c_str()); }
bool can_share() { return js_can_share(); }
void share(const std::string& title, const std::string& text) { js_share(title.c_str(), text.c_str()); }
void print_page() { js_print_page(); }
void open_address(const std::string& address) { js_open_address(address.c_str()); }

void save_file(const std::string& name, const std::string& mime, const std::string& content) {
  js_save_file(name.c_str(), mime.c_str(), content.data(), content.size());
}

void save_page() { js_save_page(); }
void results_changed() { js_results_changed(); }

void set_document(const std::string& language, const std::string& title, bool dark) {
  js_set_document(language.c_str(), title.c_str(), dark);
}

void set_accent(std::uint32_t rgb) { js_set_accent(rgb); }
void content_height(float height) { js_content_height(height); }
void warn(const std::string& text) { js_warn(text.c_str()); }
void show_text_version() { js_show_text_version(); }

}  // namespace platform
