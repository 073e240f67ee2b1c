#include "web/ui/form.h"

#include <algorithm>
#include <utility>

#include "web/platform/platform.h"
#include "web/ui/beside.h"
#include "web/ui/exports.h"
#include "web/ui/hub.h"
#include "web/ui/measuring.h"
#include "web/ui/words.h"

namespace ui {
namespace {

using vram::FieldKind;
using vram::Json;

Json action(std::string id, std::string label) { return {{"id", std::move(id)}, {"label", std::move(label)}}; }

std::string kind_of(const vram::Field& field) {
  switch (field.kind) {
    case FieldKind::integer: return "integer";
    case FieldKind::real: return "decimal";
    case FieldKind::choice:
    case FieldKind::platform: return "choice";
    case FieldKind::model:
    case FieldKind::accelerator: return "list";
    default: return "text";
  }
}

/// As the reader writes a number; what is typed may have either sign.
std::string value_text(const Session& session, const vram::Field& field, std::size_t deployment) {
  if (field.kind == FieldKind::cards) return cards_word(session);
  std::string text = vram::text_of(vram::get(session.scenario, field, deployment));
  if (field.kind == FieldKind::real && session.tongue != vram::Tongue::en) {
    std::replace(text.begin(), text.end(), '.', ',');
  }
  return text;
}

Json field_json(const Session& session, const vram::Field& field, std::size_t deployment) {
  Json json = {{"key", std::string(field.key)},
               {"deployment", deployment},
               {"label", field_word(session, field)},
               {"kind", kind_of(field)},
               {"value", value_text(session, field, deployment)}};
  if (field.expert) json["expert"] = true;
  for (Choice& choice : choices_of(session, field)) {
    json["choices"].push_back({std::move(choice.id), std::move(choice.words)});
  }
  if (field.kind == FieldKind::model || field.kind == FieldKind::accelerator) {
    json["list"] = field.kind == FieldKind::model ? "model" : "accelerator";
    const auto& models = session.answered->inputs.models;
    if (json["value"] == "" && deployment < models.size()) json["none"] = models[deployment].name;
  }
  const std::string hint = field_hint(session, field);
  if (!hint.empty()) json["hint"] = hint;
  const auto error = session.field_errors.find(error_place(field, deployment));
  if (error != session.field_errors.end()) json["error"] = session.say(error->second);
  return json;
}

bool of_deployments(vram::Group group) {
  return std::any_of(vram::fields().begin(), vram::fields().end(), [&](const vram::Field& field) {
    return field.group == group && field.scope() == vram::Scope::deployment;
  });
}

Json group_json(const Session& session, vram::Group group, std::size_t deployment) {
  std::string id(vram::group_key(group)), legend = session.word("group." + id);
  const std::size_t models = session.scenario.deployments.size();
  if (of_deployments(group) && models > 1) {
    if (deployment > 0) id += "." + std::to_string(deployment + 1);
    legend = session.say(vram::Message("form.group_of_model")
                             .with("group", legend)
                             .with("number", static_cast<std::int64_t>(deployment + 1)));
  }
  Json json = {{"id", id}, {"legend", legend}, {"fields", Json::array()}};
  for (const vram::Field& field : vram::fields()) {
    if (field.group != group || field.kind == FieldKind::config || !field.shown(session.scenario)) continue;
    json["fields"].push_back(field_json(session, field, deployment));
  }
  if (group == vram::Group::model) {
    json["actions"] = Json::array();
    if (deployment == 0) json["actions"].push_back(action("open_file", session.word("page.open_file")));
    if (deployment == 0) add_hub(session, json);
    if (models > 1) {
      json["actions"].push_back(
          action("remove_model." + std::to_string(deployment), session.word("page.remove_model")));
    }
    if (deployment + 1 == models && models < vram::kMaxDeployments && !vram::trains(session.scenario)) {
      json["actions"].push_back(action("add_model", session.word("page.add_model")));
    }
  }
  return json;
}

/// What the supplier asks for: known things ticked, the others to be filled in; and who asks.
Json request_json(const Session& session) {
  Json json = {{"id", "request"},
               {"legend", session.word("request.heading")},
               {"hint", session.word("request.hint")},
               {"items", Json::array()},
               {"fields", Json::array()}};
  const auto line = [&](std::string_view key, std::string label, const char* kind) {
    json["fields"].push_back({{"key", "contact." + std::string(key)},
                              {"deployment", 0},
                              {"label", std::move(label)},
                              {"kind", kind},
                              {"value", *vram::contact_line(session.contact, key)}});
  };
  for (const vram::ChecklistItem& item : vram::checklist(session.answered->inputs)) {
    const std::string key(vram::request_item_key(item.item));
    const std::string asked = session.word(vram::request_string("request.", item.item, session.scenario));
    if (!item.known.empty()) {
      json["items"].push_back({{"text", asked + ": " +
                                            vram::known_words(item, session.language())},
                               {"known", true}});
    } else {
      line("added." + key, asked, "text");
    }
  }
  for (const char* key : {"name", "company", "phone", "city", "date", "note"}) {
    line(key, session.word("contact." + std::string(key)), std::string_view(key) == "note" ? "multiline" : "text");
  }
  return json;
}

Json lists_json(const Session& session) {
  Json models = Json::array(), cards = Json::array();
  for (const vram::CatalogueModel& model : session.library.models) models.push_back({model.id, model.name});
  for (const vram::Accelerator* card : vram::search_accelerators(session.library.accelerators, "")) {
    cards.push_back({card->id, card->name});
  }
  cards.push_back({"custom", session.word("form.custom_card")});
  return {{"model", std::move(models)}, {"accelerator", std::move(cards)}};
}

/// A language is called by its own name, whatever the page's language.
std::string own_name(vram::Tongue tongue) {
  switch (tongue) {
    case vram::Tongue::ru: return "Русский";
    case vram::Tongue::kk: return "Қазақша";
    default: return "English";
  }
}

Json tools_json(const Session& session) {
  Json tools = Json::array();
  for (const vram::Tongue tongue : session.site.languages) {
    const std::string code(vram::tongue_code(tongue));
    Json one = action("language." + code, own_name(tongue));
    one["lang"] = code;
    one["chosen"] = tongue == session.tongue;
    tools.push_back(std::move(one));
  }
  tools.push_back(action("theme", session.word(session.ui.dark ? "page.theme_light" : "page.theme_dark")));
  return tools;
}

}  // namespace

vram::Json form_json(const Session& session) {
  Json json = {{"heading", session.word("page.task")},
               {"more", session.word("page.more")},
               {"tools_label", session.word("form.view")},
               {"tools", tools_json(session)},
               {"notices", Json::array()},
               {"groups", Json::array()},
               {"lists", lists_json(session)}};
  for (std::size_t i = 0; i < session.notices.size(); ++i) {
    json["notices"].push_back({{"text", session.say(session.notices[i])},
                               {"action", action("dismiss." + std::to_string(i), session.word("page.dismiss"))}});
  }
  const auto add = [&](vram::Group group, std::size_t deployment) {
    Json made = group_json(session, group, deployment);
    if (!made["fields"].empty()) json["groups"].push_back(std::move(made));
  };
  // Groups in their order; those of the deployments together, one model after the other, where the first of them stands.
  bool deployments_shown = false;
  for (int i = 0; i < static_cast<int>(vram::Group::count_); ++i) {
    const auto group = static_cast<vram::Group>(i);
    if (!of_deployments(group)) {
      add(group, 0);
    } else if (!std::exchange(deployments_shown, true)) {
      for (std::size_t d = 0; d < session.scenario.deployments.size(); ++d) {
        for (int j = i; j < static_cast<int>(vram::Group::count_); ++j) {
          if (of_deployments(static_cast<vram::Group>(j))) add(static_cast<vram::Group>(j), d);
        }
      }
    }
  }
  json["groups"].push_back(beside_group(session));
  if (!vram::trains(session.scenario)) json["groups"].push_back(paste_json(session));
  json["groups"].push_back(request_json(session));
  return json;
}

void change_field(Session& session, std::string_view key, std::size_t deployment, std::string_view text) {
  constexpr std::string_view kContact = "contact.";
  if (key.starts_with(kContact)) {
    std::string* const line = vram::contact_line(session.contact, key.substr(kContact.size()));
    if (line == nullptr) return;
    *line = std::string(text.substr(0, 2000));
    session.publish();
    platform::wake();
    return;
  }
  if (key == kHubName) {
    session.hub.name = std::string(text.substr(0, 2000));
    return session.publish();
  }
  if (const auto index = numbered(key, "kept.")) return session.rename_kept(*index, text);
  const vram::Field* const field = vram::find_field(key);
  if (field != nullptr && field->shown(session.scenario)) session.set_text(*field, text, deployment);
}

}  // namespace ui
