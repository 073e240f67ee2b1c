// The page: its whole state and one function that draws a frame of it. Everything that is not drawn is in core/.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ui {

struct OpenedFile {
  std::uint32_t id = 0;        ///< for platform::read_file
  std::string name;            ///< as the user's system names it (with its folder when a folder was dropped); "" = pasted
  std::uint64_t size = 0;      ///< bytes
};

/// What a hub answered, see vram::HubAnswer.
struct Fetched {
  enum class End : std::uint8_t { whole, unreachable, slow, cut } end = End::whole;
  int status = 0;
  std::uint64_t size = 0;
  std::string commit{}, code{};
  std::span<const std::byte> bytes{};
};

enum class TextEnd : std::uint8_t { accepted, cancelled, next, previous };  ///< Enter or blur, Escape, Tab, Shift+Tab

class App {
 public:
  App();
  ~App();

  void start();                                              ///< after the ImGui context exists; reads link and settings
  void frame();                                              ///< between ImGui::NewFrame and ImGui::Render
  bool work();                                               ///< between frames, see platform::work(); false: all done

  // What the platform reports. Each may change state; the platform draws a frame afterwards.
  void link_changed(const std::string& fragment);
  void preferences_changed();
  void text_changed(std::uint32_t id, const std::string& text);
  void text_ended(std::uint32_t id, const std::string& text, TextEnd how);
  void files_opened(std::vector<OpenedFile> files);
  /// `bytes` shorter than asked for: the file ended or could not be read.
  void bytes_read(std::uint32_t file, std::uint64_t offset, std::span<const std::byte> bytes);

  void fetched(std::uint32_t id, const Fetched& answer);

  // The text version: a field of its form changed, a button was pressed (web/ui/form.h).
  void field_changed(const std::string& key, std::size_t deployment, const std::string& text);
  void act(const std::string& id);

  void print_begins();                                       ///< what is printed has to be found first
  std::string results_json() const;                          ///< the text version, see web/ui/results.h
  std::string state_json() const;                            ///< inputs and results, for tests

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ui
