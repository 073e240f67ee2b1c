// The field being edited is one real <input>, so that soft keyboards, input methods, paste, undo and selection are the
// browser's own. ImGui draws the field; the element lies over it only while it is edited.
#include "web/platform/browser/browser.h"
#include "web/platform/platform.h"
#include "web/ui/font.h"

extern "C" {
void js_load_font(const void* bytes, std::size_t size);
void js_edit_text(std::uint32_t id, double x, double y, double width, double height, double font_size, int kind,
                  const char* text, const char* label, std::uint32_t text_rgb, std::uint32_t background_rgb);
void js_end_text();
}

namespace platform {

void edit_text(const TextEntry& entry) {
  static const bool font_loaded = [] {
    const auto bytes = ui::font();
    js_load_font(bytes.data(), bytes.size());
    return true;
  }();
  static_cast<void>(font_loaded);
  const double font_size = static_cast<double>(entry.font_size) / ui::kFontLineHeight;
  js_edit_text(entry.id, entry.x, entry.y, entry.width, entry.height, font_size, static_cast<int>(entry.kind),
               entry.text.c_str(), entry.label.c_str(), entry.text_rgb, entry.background_rgb);
}

void end_text() { js_end_text(); }

}  // namespace platform

using namespace platform::browser;

extern "C" {

EMSCRIPTEN_KEEPALIVE void browser_text_changed(std::uint32_t id) { app().text_changed(id, taken()); }

EMSCRIPTEN_KEEPALIVE void browser_text_ended(std::uint32_t id, int how) {
  app().text_ended(id, taken(), static_cast<ui::TextEnd>(how));
}

}  // extern "C"
