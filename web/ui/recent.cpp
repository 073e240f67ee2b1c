#include "web/ui/recent.h"

#include <algorithm>

#include "core/report/request.h"
#include "web/platform/platform.h"

namespace ui {
namespace {

constexpr std::size_t kMost = 6, kLongest = 8000;  // of a link: an imported model's may have tens of thousands of signs
constexpr const char* kStored = "recent";

std::vector<std::string> stored_links() {
  std::vector<std::string> links;
  const vram::Result<vram::Json> json = vram::parse_json(platform::stored(kStored));
  if (!json || !json.value().is_array()) return links;
  for (const vram::Json& one : json.value()) {
    const auto* const link = one.get_ptr<const std::string*>();
    if (link != nullptr && link->size() <= kLongest && links.size() < kMost) links.push_back(*link);
  }
  return links;
}

}  // namespace

std::vector<Recent> recents(const Session& session) {
  std::vector<Recent> found;
  for (std::string& link : stored_links()) {
    const vram::ScenarioReading reading = vram::from_link(link);
    if (!reading.problems.empty() || reading.scenario == session.scenario) continue;
    const vram::Result<vram::Inputs> inputs = vram::resolve(reading.scenario, session.library);
    if (!inputs) continue;
    const vram::Inputs& what = inputs.value();
    const auto load = vram::checklist(what)[static_cast<std::size_t>(vram::RequestItem::load)];
    found.push_back({std::move(link),
                     what.models.front().name + " · " + std::to_string(reading.scenario.devices) + " × " +
                         what.accelerator.name,
                     vram::known_words(load, session.language())});
  }
  return found;
}

void keep_recent(Session& session) {
  const std::string link = vram::to_link(session.scenario);
  if (link.size() > kLongest) return;
  std::vector<std::string> links = stored_links();
  if (!links.empty() && links.front() == link) {
    session.recent = link;
    return;
  }
  std::erase_if(links, [&](const std::string& one) { return one == link || one == session.recent; });
  links.insert(links.begin(), link);
  if (links.size() > kMost) links.resize(kMost);
  session.recent = link;
  session.has_recent = links.size() > 1;
  platform::store(kStored, vram::to_text(vram::Json(links)));
}

}  // namespace ui
