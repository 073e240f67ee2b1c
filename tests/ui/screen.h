// A page on a null platform: no browser, no GPU. It is pressed by name, as a person would.
//
//   Screen screen({.width = 390, .language = "ru"});
//   screen.press("KV-кэш");
//   EXPECT_TRUE(screen.shows("80 × 8 × …"));
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/units/json.h"
#include "web/platform/null.h"
#include "web/ui/app.h"

struct ImGuiContext;

namespace ui::test {

struct Setting {
  float width = 1440, height = 900;
  std::string language = "en", link, site_settings;
  bool dark = false, coarse = false, embedded = false;
};

class Screen {
 public:
  explicit Screen(const Setting& setting = {});
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  App& app() { return *app_; }
  platform::null::Record& platform() { return platform::null::record(); }

  void frame();
  void settle();                                   ///< frames until nothing asks for one; fails after a hundred
  void resize(float width, float height);
  void scroll_to_end();

  /// The text version as the platform would show it: what was said when it last changed.
  const std::string& results();
  vram::Json state() const;
  vram::Json items() const { return state()["items"]; }
  /// Items whose id, or else whose label, is `name`.
  const vram::Json* find(const vram::Json& items, std::string_view name) const;
  bool has(std::string_view name) const;
  bool shows(std::string_view part) const;         ///< some text or value on the page has it in it

  /// Presses the middle of the item called `name`, scrolling to it where needed; fails the test when there is none.
  void press(std::string_view name);
  void press_at(float x, float y);
  void key(int imgui_key);
  void type(const std::string& text);              ///< into the open text field
  void end_typing(TextEnd how = TextEnd::accepted);
  void open_file(const std::string& name, const std::string& content);

 private:
  std::unique_ptr<App> app_;
  std::string results_;
  int results_seen_ = 0;
  ImGuiContext* context_ = nullptr;
};

}  // namespace ui::test
