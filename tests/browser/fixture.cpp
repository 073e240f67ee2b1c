// A page of a few widgets at fixed places, to try the platform without the product: tests/browser/platform_test.mjs
// presses, types and drags here and reads state_json().
#include <imgui.h>

#include <nlohmann/json.hpp>

#include "web/platform/platform.h"
#include "web/ui/app.h"
#include "web/ui/font.h"

namespace ui {

struct App::State {
  nlohmann::json log = nlohmann::json::array();  ///< what the platform reported, in order
  std::string text = "Қазақша 42";
  bool editing = false;
  int presses = 0, slider = 5;
  float scroll = 0;
};

App::App() : state_(std::make_unique<State>()) {}
App::~App() = default;

void App::start() {
  ImGuiIO& io = ImGui::GetIO();
  io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
  ImFontConfig config;
  config.FontDataOwnedByAtlas = false;
  const auto bytes = font();
  io.Fonts->AddFontFromMemoryTTF(const_cast<std::byte*>(bytes.data()), static_cast<int>(bytes.size()),
                                 16 * kFontLineHeight, &config);
  platform::set_document(platform::preferences().language, "Fixture", platform::preferences().dark);
  platform::results_changed();
}

void App::frame() {
  State& s = *state_;
  ImGui::SetNextWindowPos(ImVec2(0, 0));
  ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
  ImGui::Begin("##page", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove);

  const ImVec2 size(90, 40);
  ImGui::SetCursorPos(ImVec2(10, 10));
  if (ImGui::Button("Copy", size)) {
    ++s.presses;
    platform::copy_text("Көшірілді");
  }
  ImGui::SameLine(0, 10);
  if (ImGui::Button("Letter", size)) platform::open_address("mailto:sale@example.org?subject=Hi");
  ImGui::SameLine(0, 10);
  if (ImGui::Button("Save", size)) platform::save_page();

  ImGui::SetCursorPos(ImVec2(10, 60));
  if (ImGui::Button((s.text + "###field").c_str(), ImVec2(280, 40))) s.editing = true;
  if (s.editing) {
    platform::TextEntry entry;
    entry.id = 7;
    entry.x = 20;
    entry.y = 61;
    entry.width = 260;
    entry.height = 38;
    entry.font_size = ImGui::GetFontSize();
    entry.kind = platform::TextKind::search;
    entry.text = s.text;
    entry.label = "Field";
    platform::edit_text(entry);
  }

  ImGui::SetCursorPos(ImVec2(10, 110));
  ImGui::SetNextItemWidth(280);
  if (ImGui::SliderInt("##slider", &s.slider, 0, 10)) platform::set_link("v=1&slider=" + std::to_string(s.slider));

  ImGui::SetCursorPos(ImVec2(10, 150));
  ImGui::BeginChild("list", ImVec2(280, 300), ImGuiChildFlags_NavFlattened | ImGuiChildFlags_Borders);
  for (int i = 0; i < 60; ++i) {
    ImGui::PushItemFlag(ImGuiItemFlags_NoTabStop, i >= 2);
    if (ImGui::Selectable(("Row " + std::to_string(i)).c_str())) s.log.push_back("row");
    ImGui::PopItemFlag();
  }
  s.scroll = ImGui::GetScrollY();
  ImGui::EndChild();

  if (ImGui::GetIO().KeyCtrl && ImGui::IsKeyPressed(ImGuiKey_C)) s.log.push_back("ctrl+c");
  ImGui::End();
}

bool App::work() { return false; }

void App::link_changed(const std::string& fragment) { state_->log.push_back("link " + fragment); }
void App::preferences_changed() { state_->log.push_back("preferences"); }

void App::text_changed(std::uint32_t id, const std::string& text) {
  state_->text = text;
  state_->log.push_back("changed " + std::to_string(id) + " " + text);
}

void App::text_ended(std::uint32_t id, const std::string& text, TextEnd how) {
  state_->editing = false;
  state_->log.push_back("ended " + std::to_string(id) + " " + text + " " + std::to_string(static_cast<int>(how)));
}

void App::files_opened(std::vector<OpenedFile> files) {
  for (const OpenedFile& file : files) {
    state_->log.push_back("file " + file.name + " " + std::to_string(file.size));
    platform::read_file(file.id, file.size - 4, 16);
  }
}

void App::bytes_read(std::uint32_t, std::uint64_t offset, std::span<const std::byte> bytes) {
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  state_->log.push_back("bytes " + std::to_string(offset) + " " + text);
}

void App::fetched(std::uint32_t, const Fetched&) {}

void App::field_changed(const std::string& key, std::size_t deployment, const std::string& text) {
  state_->log.push_back("field " + key + " " + std::to_string(deployment) + " " + text);
}

void App::act(const std::string& id) { state_->log.push_back("act " + id); }

void App::print_begins() { state_->log.push_back("print begins"); }

std::string App::results_json() const {
  return R"json({"title": "Results", "verdict": "It fits.", "summary": "Well.", "sections": [{"heading": "Table",
    "paragraphs": ["<b>not bold</b>"], "table": {"caption": "c", "head": ["a", "b"], "rows": [["x", "1"]]},
    "links": [{"text": "mail", "href": "mailto:a@b.c"}, {"text": "bad", "href": "javascript:alert(1)"}]}]})json";
}

std::string App::state_json() const {
  return nlohmann::json{{"log", state_->log},         {"text", state_->text},     {"editing", state_->editing},
                        {"presses", state_->presses}, {"slider", state_->slider}, {"scroll", state_->scroll}}
      .dump();
}

}  // namespace ui
