// A table of contents of the page: what happens at the start, in a frame, and when the platform reports something.
#include "web/ui/app.h"

#include "imgui_internal.h"
#include "web/platform/platform.h"
#include "web/ui/buying.h"
#include "web/ui/editing.h"
#include "web/ui/exports.h"
#include "web/ui/font.h"
#include "web/ui/form.h"
#include "web/ui/hub.h"
#include "web/ui/overlay.h"
#include "web/ui/panels.h"
#include "web/ui/results.h"
#include "web/ui/session.h"

namespace ui {
namespace {

ImFont* add_font(std::span<const std::byte> bytes) {
  ImFontConfig config;
  config.FontDataOwnedByAtlas = false;
  // ImGui wants a pointer it may write to; it does not, unless it owns the memory.
  void* const data = const_cast<std::byte*>(bytes.data());
  return ImGui::GetIO().Fonts->AddFontFromMemoryTTF(data, static_cast<int>(bytes.size()), 0, &config);
}

/// Of the page, however much of it the window shows.
float content_height() {
  const ImGuiWindow* const page = ImGui::FindWindowByName("page");
  return page == nullptr ? 0 : page->ContentSize.y;
}

}  // namespace

struct App::State {
  Session session;
};

App::App() : state_(std::make_unique<State>()) {}
App::~App() = default;

void App::start() {
  ImGuiIO& io = ImGui::GetIO();
  io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
  io.ConfigInputTextCursorBlink = false;
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
  state_->session.ui.regular = add_font(font());
  state_->session.ui.semibold = add_font(font_semibold());
  state_->session.start();
}

void App::frame() {
  Session& session = state_->session;
  session.ui.items.clear();
  session.ui.width = width_class(ImGui::GetIO().DisplaySize.x);
  session.ui.sizes = sizes(session.ui.width, session.ui.coarse);
  draw_page(session);
  settle_editing(session);
  if (session.embedded) platform::content_height(content_height());
}

bool App::work() { return go_on_buying(state_->session); }

void App::link_changed(const std::string& fragment) { state_->session.open_link(fragment); }

void App::preferences_changed() {
  state_->session.follow_preferences();
  state_->session.publish();
}

void App::text_changed(std::uint32_t id, const std::string& text) { ui::text_changed(state_->session, id, text); }

void App::text_ended(std::uint32_t id, const std::string& text, TextEnd how) {
  ui::text_ended(state_->session, id, text, how);
}

void App::files_opened(std::vector<OpenedFile> files) {
  Session& session = state_->session;
  for (OpenedFile& file : files) {
    if (file.name.empty()) file.name = session.word("paste.name");
  }
  session.opened(session.file.begin(files));
}

void App::bytes_read(std::uint32_t file, std::uint64_t offset, std::span<const std::byte> bytes) {
  Session& session = state_->session;
  session.opened(session.file.arrived(file, offset, bytes));
}

void App::fetched(std::uint32_t id, const Fetched& answer) { hub_fetched(state_->session, id, answer); }

void App::field_changed(const std::string& key, std::size_t deployment, const std::string& text) {
  change_field(state_->session, key, deployment, text);
}

void App::act(const std::string& id) { perform(state_->session, id); }

void App::print_begins() { find_at_once(state_->session, false); }
std::string App::results_json() const { return ui::results_json(state_->session); }
std::string App::state_json() const { return ui::state_json(state_->session); }

}  // namespace ui
