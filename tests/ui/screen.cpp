#include "tests/ui/screen.h"

#include <gtest/gtest.h>

#include "imgui.h"
#include "imgui_internal.h"

namespace ui::test {
namespace {

/// The renderer's part of the bargain, without pictures.
void satisfy_textures() {
  for (ImTextureData* texture : *ImGui::GetDrawData()->Textures) {
    if (texture->Status == ImTextureStatus_WantCreate || texture->Status == ImTextureStatus_WantUpdates) {
      texture->SetTexID(1);
      texture->SetStatus(ImTextureStatus_OK);
    } else if (texture->Status == ImTextureStatus_WantDestroy) {
      texture->SetTexID(ImTextureID_Invalid);
      texture->SetStatus(ImTextureStatus_Destroyed);
    }
  }
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

Screen::Screen(const Setting& setting) {
  platform() = {};
  platform().preferences.language = setting.language;
  platform().preferences.dark = setting.dark;
  platform().preferences.coarse_pointer = setting.coarse;
  platform().link = setting.link;
  platform().site_settings = setting.site_settings;
  platform().embedded = setting.embedded;
  IMGUI_CHECKVERSION();
  context_ = ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures;
  io.DisplaySize = ImVec2(setting.width, setting.height);
  app_ = std::make_unique<App>();
  app_->start();
  settle();
}

const std::string& Screen::results() {
  if (results_seen_ != platform().results_changes) {
    results_seen_ = platform().results_changes;
    results_ = app_->results_json();
  }
  return results_;
}

Screen::~Screen() {
  app_.reset();
  for (ImTextureData* texture : ImGui::GetPlatformIO().Textures) texture->SetStatus(ImTextureStatus_Destroyed);
  ImGui::DestroyContext(context_);
}

void Screen::frame() {
  ImGuiIO& io = ImGui::GetIO();
  io.DeltaTime = 1.0f / 60;
  if (platform().wanted_frames > 0) --platform().wanted_frames;
  ImGui::NewFrame();
  app_->frame();
  ImGui::Render();
  satisfy_textures();
}

/// A search goes on for as many turns as it takes; a page that never rests is a defect.
constexpr int kMostFrames = 3000;

void Screen::settle() {
  for (int i = 0; i < 3; ++i) frame();  // what a platform draws after an event
  int more = 0;
  while ((platform().wanted_frames > 0 || platform().wants_work) && more < kMostFrames) {
    if (platform().wants_work) platform().wants_work = app_->work();
    if (platform().wanted_frames > 0) frame();
    ++more;
  }
  EXPECT_LT(more, kMostFrames) << "the page never comes to rest";
}

void Screen::resize(float width, float height) {
  ImGui::GetIO().DisplaySize = ImVec2(width, height);
  settle();
}

void Screen::scroll_to_end() {
  ImGuiWindow* page = ImGui::FindWindowByName("page");
  ImGui::SetScrollY(page, page->ScrollMax.y);
  settle();
}

vram::Json Screen::state() const {
  auto parsed = vram::parse_json(app_->state_json());
  if (!parsed) {
    ADD_FAILURE() << "state_json is not JSON: " << parsed.error().key;
    return vram::Json::object();
  }
  return std::move(parsed).value();
}

const vram::Json* Screen::find(const vram::Json& items, std::string_view name) const {
  for (const char* key : {"id", "label"}) {
    for (const vram::Json& item : items) {
      if (vram::text(item, key) == std::string(name)) return &item;
    }
  }
  return nullptr;
}

bool Screen::has(std::string_view name) const {
  const vram::Json all = items();
  return find(all, name) != nullptr;
}

bool Screen::shows(std::string_view part) const {
  for (const vram::Json& item : items()) {
    if (contains(vram::text(item, "label").value_or(""), part)) return true;
    if (contains(vram::text(item, "value").value_or(""), part)) return true;
  }
  return false;
}

namespace {

/// The row that holds what lies beyond the window's sides scrolls as a finger would make it.
void scroll_row_to(float x, float y, float width) {
  for (ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
    const bool here = window->Active && window->ScrollMax.x > 0 && window->Rect().Min.y <= y && y <= window->Rect().Max.y;
    if (here) ImGui::SetScrollX(window, window->Scroll.x + x - width / 2);
  }
}

}  // namespace

void Screen::press(std::string_view name) {
  const ImVec2 view = ImGui::GetIO().DisplaySize;
  float x = 0, y = 0;
  for (int attempt = 0; attempt < 3; ++attempt) {
    const vram::Json all = items();
    const vram::Json* item = find(all, name);
    if (item == nullptr) {
      ADD_FAILURE() << "nothing on the page is called " << name;
      return;
    }
    const vram::Json& rect = (*item)["rect"];
    x = rect[0].get<float>() + rect[2].get<float>() / 2;
    y = rect[1].get<float>() + rect[3].get<float>() / 2;
    const bool in_page = item->find("layer") == item->end();
    const bool beside = x <= 0 || x >= view.x, seen = y > 0 && y < view.y - 90;
    if (!in_page || (seen && !beside)) break;
    ImGuiWindow* page = ImGui::FindWindowByName("page");
    if (seen) scroll_row_to(x, y, view.x);
    else ImGui::SetScrollY(page, page->Scroll.y + y - view.y / 2);
    settle();
  }
  press_at(x, y);
}

void Screen::press_at(float x, float y) {
  ImGuiIO& io = ImGui::GetIO();
  io.AddMousePosEvent(x, y);
  frame();
  io.AddMouseButtonEvent(ImGuiMouseButton_Left, true);
  frame();
  io.AddMouseButtonEvent(ImGuiMouseButton_Left, false);
  settle();
}

void Screen::key(int imgui_key) {
  ImGuiIO& io = ImGui::GetIO();
  io.AddKeyEvent(static_cast<ImGuiKey>(imgui_key), true);
  frame();
  io.AddKeyEvent(static_cast<ImGuiKey>(imgui_key), false);
  settle();
}

void Screen::type(const std::string& text) {
  ASSERT_TRUE(platform().text_entry) << "no text field is open";
  platform().text_entry->text = text;
  app_->text_changed(platform().text_entry->id, text);
  settle();
}

void Screen::end_typing(TextEnd how) {
  ASSERT_TRUE(platform().text_entry) << "no text field is open";
  const auto entry = *platform().text_entry;
  platform().text_entry.reset();
  app_->text_ended(entry.id, entry.text, how);
  settle();
}

void Screen::open_file(const std::string& name, const std::string& content) {
  static std::uint32_t next = 1;
  const std::uint32_t id = next++;
  platform().reads.clear();
  app_->files_opened({OpenedFile{id, name, content.size()}});
  settle();
  for (std::size_t i = 0; i < platform().reads.size(); ++i) {
    const platform::null::ReadRequest request = platform().reads[i];
    const auto bytes = std::as_bytes(std::span(content)).subspan(std::min<std::size_t>(request.offset, content.size()));
    app_->bytes_read(id, request.offset, bytes.first(std::min<std::size_t>(request.length, bytes.size())));
  }
  settle();
}

}  // namespace ui::test
