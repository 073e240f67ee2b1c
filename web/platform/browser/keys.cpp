// Keys while the canvas has the focus: ImGui's keyboard navigation and the page's own shortcuts. Typing goes to the
// real <input> of text.cpp.
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "web/platform/browser/browser.h"
#include "web/platform/platform.h"

namespace platform::browser {
namespace {

struct NamedKey {
  std::string_view name;
  ImGuiKey key;
};

/// Keys that mean the same on every layout, by KeyboardEvent.key.
constexpr std::array kNamed{
    NamedKey{"ArrowLeft", ImGuiKey_LeftArrow},
    NamedKey{"ArrowRight", ImGuiKey_RightArrow},
    NamedKey{"ArrowUp", ImGuiKey_UpArrow},
    NamedKey{"ArrowDown", ImGuiKey_DownArrow},
    NamedKey{"PageUp", ImGuiKey_PageUp},
    NamedKey{"PageDown", ImGuiKey_PageDown},
    NamedKey{"Home", ImGuiKey_Home},
    NamedKey{"End", ImGuiKey_End},
    NamedKey{"Insert", ImGuiKey_Insert},
    NamedKey{"Delete", ImGuiKey_Delete},
    NamedKey{"Backspace", ImGuiKey_Backspace},
    NamedKey{" ", ImGuiKey_Space},
    NamedKey{"Enter", ImGuiKey_Enter},
    NamedKey{"Escape", ImGuiKey_Escape},
    NamedKey{"Tab", ImGuiKey_Tab},
    NamedKey{"ContextMenu", ImGuiKey_Menu},
};

ImGuiKey letter_or_digit(char c) {
  if (c >= 'a' && c <= 'z') return static_cast<ImGuiKey>(ImGuiKey_A + (c - 'a'));
  if (c >= 'A' && c <= 'Z') return static_cast<ImGuiKey>(ImGuiKey_A + (c - 'A'));
  if (c >= '0' && c <= '9') return static_cast<ImGuiKey>(ImGuiKey_0 + (c - '0'));
  return ImGuiKey_None;
}

/// What the key says first; where it says a letter that is not Latin, where it lies ("KeyC"): so Ctrl+C is Ctrl+с too
/// (https://github.com/ocornut/imgui/issues/7672).
ImGuiKey key_of(std::string_view key, std::string_view code) {
  const auto found = std::find_if(kNamed.begin(), kNamed.end(), [&](const NamedKey& k) { return k.name == key; });
  if (found != kNamed.end()) return found->key;
  if (key.size() == 1) return letter_or_digit(key[0]);
  if (code.size() == 4 && code.substr(0, 3) == "Key") return letter_or_digit(code[3]);
  return ImGuiKey_None;
}

bool scrolls_or_presses(ImGuiKey key) {
  return (key >= ImGuiKey_LeftArrow && key <= ImGuiKey_End) || key == ImGuiKey_Space || key == ImGuiKey_Enter ||
         key == ImGuiKey_Backspace;
}

}  // namespace
}  // namespace platform::browser

using namespace platform::browser;

extern "C" {

/// `text` holds KeyboardEvent.key and .code, separated by a line end. True when the browser must not act on the key
/// as well: only for keys that ImGui uses, never with Ctrl, Alt or Meta. `typing`: it comes from the text entry, for
/// the list that belongs to it; ImGui's own navigation must not move or press anything by it.
EMSCRIPTEN_KEEPALIVE bool browser_key(bool down, bool repeated, bool ctrl, bool shift, bool alt, bool meta,
                                      bool typing) {
  const std::string text = taken();
  const std::size_t middle = text.find('\n');
  const std::string_view name = std::string_view(text).substr(0, middle);
  const ImGuiKey key = key_of(name, std::string_view(text).substr(middle + 1));

  ImGuiIO& io = ImGui::GetIO();
  io.AddKeyEvent(ImGuiMod_Ctrl, ctrl);
  io.AddKeyEvent(ImGuiMod_Shift, shift);
  io.AddKeyEvent(ImGuiMod_Alt, alt);
  io.AddKeyEvent(ImGuiMod_Super, meta);
  // Browsers send no keyup for a letter that is released after its Ctrl or Meta.
  if (!down && (name == "Meta" || name == "Control")) io.ClearInputKeys();
  if (key == ImGuiKey_None) return false;
  if (down && repeated) io.AddKeyEvent(key, false);  // ImGui's own repeat needs frames, and an idle page draws none
  io.AddKeyEvent(key, down);
  if (typing && down) ImGui::SetKeyOwner(key, ImHashStr("text entry"));
  return !ctrl && !alt && !meta && scrolls_or_presses(key);
}

/// After the frame in which Tab was pressed: is there nothing further in its direction? ImGui would begin again at the
/// other end; here the focus goes on to what follows the canvas (WCAG 2.1.2, no keyboard trap).
EMSCRIPTEN_KEEPALIVE bool browser_tab_leaves() {
  ImGuiContext& g = *ImGui::GetCurrentContext();
  const bool tabbing = g.NavMoveSubmitted && (g.NavMoveFlags & ImGuiNavMoveFlags_IsTabbing) != 0;
  const bool found = g.NavMoveResultLocal.ID != 0 || g.NavMoveResultOther.ID != 0;
  // Backwards ImGui looks on past the start while it has not found a predecessor.
  const bool wraps_back = g.NavTabbingDir < 0 && g.NavMoveScoringItems && g.NavId != 0;
  const bool wraps_on = g.NavTabbingDir > 0 && !found;
  if (tabbing && !wraps_back && !wraps_on && (found || g.NavTabbingResultFirst.ID != 0)) return false;

  ImGui::NavMoveRequestCancel();
  ImGui::SetNavID(0, g.NavLayer, g.NavFocusScopeId, ImRect());
  ImGui::SetNavCursorVisible(false);
  return true;
}

EMSCRIPTEN_KEEPALIVE void browser_focus(bool focused) {
  ImGui::GetIO().AddFocusEvent(focused);
  // Tab works in the window that has ImGui's focus; after a click into the void there is none.
  if (focused && ImGui::GetCurrentContext()->NavWindow == nullptr) {
    ImGui::FocusTopMostWindowUnderOne(nullptr, nullptr, nullptr, ImGuiFocusRequestFlags_None);
  }
}

}  // extern "C"
