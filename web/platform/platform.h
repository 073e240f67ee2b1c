// The one seam between the page's user interface (web/ui) and what it runs in.
//
// Two implementations: browser (SDL2, WebGL2, DOM; every browser quirk lives there) and null (native, for tests).
// web/ui knows nothing of the browser but this file. Lengths are CSS pixels, which are also ImGui's units.
// What the platform tells the interface (files, typed text, a changed link) arrives at ui::App, see web/ui/app.h.
#pragma once
#include <cstdint>
#include <string>

namespace platform {

struct Preferences {
  std::string language = "en";  ///< first of the browser's languages that is ru, kk or en
  bool dark = false, reduced_motion = false, more_contrast = false;
  bool coarse_pointer = false;  ///< a finger: targets of at least 44 px
};

enum class TextKind : std::uint8_t { text, search, integer, decimal, multiline };

/// A field being edited: one real <input> (or <textarea>) is laid over it, so that soft keyboards, input methods,
/// paste and selection are the browser's own. Calling again with the same `id` moves it and leaves its text alone.
struct TextEntry {
  std::uint32_t id = 0;
  float x = 0, y = 0, width = 0, height = 0, font_size = 16;
  TextKind kind = TextKind::text;
  std::string text, label;                       ///< `label` is its accessible name
  std::uint32_t text_rgb = 0, background_rgb = 0xffffff;
};

Preferences preferences();
std::string link();                              ///< what follows '#' in the address, as it stands there
void set_link(const std::string& fragment);      ///< replaces it without a history entry; may be throttled
std::string page_address();                      ///< address without '#…' and without the mark of an embedded page
bool embedded();                                 ///< the address has "?embed": the page lies in another one
std::string site_settings();                     ///< text of <script type="application/json" id="site">
std::string stored(const std::string& key);      ///< "" when absent or storage is blocked
void store(const std::string& key, const std::string& value);

void edit_text(const TextEntry& entry);
void end_text();

// These act at once and are allowed because a frame that follows a press runs inside the browser's own event handler.
void copy_text(const std::string& text);
bool can_share();                                ///< there is a share sheet; otherwise share() copies
void share(const std::string& title, const std::string& text);
void print_page();                               ///< what is printed is the text version
void open_address(const std::string& address);   ///< mailto: or https:
void save_file(const std::string& name, const std::string& mime, const std::string& content);
void save_page();                                ///< downloads the page as it was delivered
void pick_files();                               ///< chosen files arrive at ui::App::files_opened
/// Takes the text of the clipboard, which arrives at ui::App::files_opened like a file; where the browser does not hand
/// it out, the text version opens with its field for it.
void paste();

/// Asks for bytes [offset, offset + length) of an opened file; they arrive at ui::App::bytes_read.
void read_file(std::uint32_t file, std::uint64_t offset, std::uint32_t length);
void close_files();                              ///< forgets every opened file

/// Asks a hub for bytes [offset, offset + length) of what is at `address`, without cookies and without saying who asks;
/// the answer arrives at ui::App::fetched. The page's policy lets only the site's `hub_hosts` be asked (web/boot.js).
void fetch(std::uint32_t id, const std::string& address, std::uint64_t offset, std::uint32_t length);
void stop_fetches();                             ///< nothing of what is on its way arrives any more

/// The page's text version is out of date: the platform asks ui::App::results_json() when there is time, or it is seen.
void results_changed();
void set_document(const std::string& language, const std::string& title, bool dark);
void show_text_version();                        ///< brings the text version into view and focus
void set_accent(std::uint32_t rgb);              ///< of the text version's links and buttons; 0 = as it comes
void content_height(float height);               ///< tells an embedding page how much there is to see
void warn(const std::string& text);              ///< for the web master: one line in the console
void wake(int frames = 3);                       ///< draw again; nothing is drawn while nothing asks for it
void work();                                     ///< calls ui::App::work() between frames until it has nothing to do

}  // namespace platform
