// What a web master wrote into the page, and what a browser kept of the last visit: whatever it is, the page has an
// address, a language, and an answer to begin with.
//
// The input: settings, what was kept as the language and the saved link, apart by lines of "----".
#include <array>
#include <string>

#include "tests/fuzz/drive.h"
#include "tests/library.h"
#include "web/ui/site.h"

namespace {

std::array<std::string_view, 3> parts_of(std::string_view text) {
  std::array<std::string_view, 3> parts;
  constexpr std::string_view kApart = "\n----\n";
  for (std::string_view& part : parts) {
    const std::size_t end = text.find(kApart);
    part = text.substr(0, end);
    text = end == std::string_view::npos ? "" : text.substr(end + kApart.size());
  }
  return parts;
}

bool can_be_answered(const vram::Scenario& scenario, const vram::Library& library) {
  const auto inputs = vram::resolve(scenario, library);
  if (!inputs) return false;
  vram::fuzz::require(!vram::make_plan(inputs.value()).ledger.empty());
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vram;
  const auto [settings, language, link] = parts_of({reinterpret_cast<const char*>(data), size});
  Library library = shipped::library();
  const ui::SiteReading read = ui::read_site(settings, library);
  const ui::Site& site = read.site;
  fuzz::require(!site.emails.empty() && !site.languages.empty() && !site.to().empty());
  for (const char wrong : {'\r', '\n', '?', '&'}) fuzz::require(site.to().find(wrong) == std::string::npos);
  fuzz::require(!site.language || site.offers(*site.language));
  const Language words(shipped::strings(), tongue_from(language));
  for (const Message& mistake : read.mistakes) fuzz::require(!words.text(mistake).empty());
  fuzz::require(can_be_answered(Scenario{}, library));
  (void)can_be_answered(from_link(link).scenario, library);
  return 0;
}
