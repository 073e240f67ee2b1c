#include "web/ui/hub.h"

#include "web/platform/platform.h"
#include "web/ui/editing.h"
#include "web/ui/widgets.h"

namespace ui {
namespace {

/// The hub itself; the hosts behind it are those that it redirects to.
const std::string& host(const Session& session) { return session.site.hub_hosts.front(); }

bool absent(const Session& session) { return session.site.hub_hosts.empty(); }

/// "https://huggingface.co/org/…"; what runs on the visitor's own machine has no certificate.
std::string address(const Session& session, const std::string& path) {
  const std::string& name = host(session);
  const bool own_machine = name == "localhost" || name.starts_with("localhost:");
  return (own_machine ? "http://" : "https://") + name + path;
}

std::string words(const Session& session, std::string_view key) {
  return session.say(vram::Message(key).with("host", host(session)));
}

std::string progress_words(const Session& session) {
  const vram::HubOpening::Fetched fetched = session.hub.opening->progress();
  return session.say(vram::Message("hub.progress")
                         .with("here", fetched.here)
                         .with("files", fetched.files)
                         .with("bytes", fetched.bytes));
}

void end(Session& session, std::optional<vram::Message> error) {
  session.hub.opening.reset();
  session.hub.error = std::move(error);
  platform::stop_fetches();
}

void go_on(Session& session) {
  for (const vram::HubOpening::Request& one : session.hub.opening->requests()) {
    platform::fetch(one.id, address(session, one.path), one.range.begin, static_cast<std::uint32_t>(one.range.size()));
  }
  if (const auto outcome = session.hub.opening->take()) {
    end(session, *outcome ? session.use(outcome->value()) : std::optional(outcome->error()));
  }
  session.publish();
  platform::wake();
}

}  // namespace

void hub_open(Session& session) {
  if (absent(session) || session.hub.opening) return;
  const vram::Result<vram::HubName> name = vram::parse_hub_name(session.hub.name, host(session));
  session.hub.error.reset();
  if (name) {
    session.hub.opening.emplace(name.value());
    return go_on(session);
  }
  session.hub.error = name.error();
  session.publish();
  platform::wake();
}

void hub_stop(Session& session) {
  end(session, std::nullopt);
  session.publish();
  platform::wake();
}

void hub_fetched(Session& session, std::uint32_t id, const Fetched& answer) {
  if (!session.hub.opening) return;
  session.hub.opening->give(id, {.end = static_cast<vram::HubAnswer::End>(answer.end),
                                 .status = answer.status,
                                 .size = answer.size,
                                 .commit = answer.commit,
                                 .code = answer.code,
                                 .bytes = answer.bytes});
  go_on(session);
}

void draw_hub(Session& session, Column& column) {
  if (absent(session)) return;
  Ui& ui = session.ui;
  const std::string label = words(session, "hub.label");
  column.gap(14);
  paragraph(ui, column, label, caption(ui));
  column.gap(4);
  const TextField what{.id = kHubName, .label = label, .shown = session.hub.name,
                       .text = session.hub.name};
  text_field(session, column.take(ui.sizes.field), what);
  column.gap(8);
  if (session.hub.opening) {
    if (button(ui, "hub_stop", column.take(ui.sizes.field), session.word("hub.stop"))) return hub_stop(session);
    column.gap(4);
    paragraph(ui, column, progress_words(session), caption(ui));
  } else if (button(ui, "hub_open", column.take(ui.sizes.field), session.word("hub.open"))) {
    hub_open(session);
  }
  if (!session.hub.error) return;
  column.gap(4);
  paragraph(ui, column, session.say(*session.hub.error), caption(ui).with(ui.palette.no));
}

void add_hub(const Session& session, vram::Json& group) {
  if (absent(session)) return;
  const bool running = session.hub.opening.has_value();
  vram::Json field = {{"key", std::string(kHubName)}, {"deployment", 0},
                      {"label", words(session, "hub.label")}, {"kind", "text"},
                      {"value", session.hub.name},
                      {"hint", running ? progress_words(session) : words(session, "hub.hint")}};
  if (session.hub.error) field["error"] = session.say(*session.hub.error);
  group["fields"].push_back(std::move(field));
  group["actions"].push_back({{"id", running ? "hub_stop" : "hub_open"},
                              {"label", running ? session.word("hub.stop") : session.word("hub.open")}});
}

std::string promise(const Session& session) {
  return absent(session) ? session.word("page.promise") : words(session, "hub.promise");
}

}  // namespace ui
