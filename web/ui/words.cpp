#include "web/ui/words.h"

#include <cmath>

#include "core/advise/facility_plan.h"
#include "core/advise/option_formats.h"

namespace ui {
namespace {

/// "70.6 billion", "494 million".
std::string parameters_word(vram::Count count, const vram::Language& language) {
  const auto number = static_cast<double>(count.value());
  const bool billions = number >= 1e9;
  const double shown = number / (billions ? 1e9 : 1e6);
  return language.text(vram::Message(billions ? "number.billion" : "number.million")
                           .with("n", language.number(shown, shown < 100 ? 1 : 0)));
}

std::string facts(vram::Count total, vram::Count active, std::int64_t context, const vram::Language& language) {
  vram::Message message("page.model_facts");
  message.with("parameters", parameters_word(total, language)).with("context", language.number(context));
  if (context == 0) message.key = "page.model_size";
  else if (active.value() > 0 && active.value() < total.value() / 10 * 8) message.key = "page.model_facts_active";
  message.with("active", parameters_word(active, language));
  return language.text(message);
}

}  // namespace

std::string card_name(const Session& session, const vram::Accelerator& card) {
  return card.id == "custom" ? session.word("form.custom_card") : card.name;
}

std::string cards_word(const Session& session) {
  std::string words;
  for (const vram::CardGroup& one : session.answered->inputs.others) {
    words += (words.empty() ? "" : ", ") + std::to_string(one.count) + " \xC3\x97 " + card_name(session, one.card);
  }
  return words;
}

std::string unbroken(std::string words) {
  for (std::size_t at = words.find(' '); at != std::string::npos; at = words.find(' ', at)) {
    words.replace(at, 1, "\xC2\xA0");
  }
  return words;
}

std::string field_word(const Session& session, const vram::Field& field) {
  return session.word("field." + std::string(field.key));
}

std::vector<Choice> choices_of(const Session& session, const vram::Field& field) {
  std::vector<Choice> choices;
  for (const std::string_view choice : field.choices) {
    choices.push_back({std::string(choice), choice_word(session, field, choice)});
  }
  if (field.kind != vram::FieldKind::platform) return choices;
  choices.push_back({"auto", session.word("form.usual_node")});
  for (const vram::Platform* platform :
       vram::platforms_for(session.answered->inputs.accelerator, session.library.platforms)) {
    choices.push_back({platform->id, platform->name});
  }
  return choices;
}

std::string choice_word(const Session& session, const vram::Field& field, std::string_view choice) {
  return session.word(field.words_of(choice));
}

std::string zero_word(const Session& session, const vram::Field& field) {
  const std::string key = "zero." + std::string(field.key);
  return session.strings.find(key, session.tongue) != nullptr ? session.word(key) : std::string();
}

std::string field_hint(const Session& session, const vram::Field& field) {
  const std::string key = "hint." + std::string(field.key), zero = zero_word(session, field);
  std::string words = session.strings.find(key, session.tongue) != nullptr ? session.word(key) : std::string();
  if (zero.empty()) return words;
  return words + (words.empty() ? "" : " ") + session.say(vram::Message("field.zero").with("what", zero));
}

std::string value_word(const Session& session, const vram::Field& field) {
  const vram::Language language = session.language();
  const vram::Value value = session.value(field);
  if (vram::text_of(value) == "0") {
    if (std::string words = zero_word(session, field); !words.empty()) return words;
  }
  switch (field.kind) {
    case vram::FieldKind::integer: return language.number(*std::get_if<std::int64_t>(&value));
    case vram::FieldKind::real: {
      const double real = *std::get_if<double>(&value);
      const bool whole = real == static_cast<double>(static_cast<std::int64_t>(real));
      return language.number(real, whole ? 0 : 1);
    }
    case vram::FieldKind::choice: return choice_word(session, field, *std::get_if<std::string>(&value));
    case vram::FieldKind::model: return session.model().name;
    case vram::FieldKind::accelerator: return session.answered->inputs.accelerator.name;
    case vram::FieldKind::platform:
      for (const Choice& choice : choices_of(session, field)) {
        if (choice.id == *std::get_if<std::string>(&value)) return choice.words;
      }
      [[fallthrough]];
    case vram::FieldKind::cards: return cards_word(session);
    case vram::FieldKind::text: return *std::get_if<std::string>(&value);
    case vram::FieldKind::config: break;
  }
  return "";
}

std::string model_facts(const vram::CatalogueModel& model, const vram::Language& language) {
  return facts(model.parameters, model.active, model.context, language);
}

std::string model_facts(const Answered& answered, std::size_t which, const vram::Language& language) {
  const std::int64_t context = answered.inputs.models[which].dims.max_position_embeddings;
  std::string words = facts(answered.parameters.total, answered.parameters.active, context, language);
  if (answered.inputs.scenario.deployments[which].weights != "stored") return words;  // the field says which
  const double bits = vram::stored_bits(answered.inputs.models[which]);
  const bool whole = bits == std::floor(bits);
  return words + " \xC2\xB7 " +
         language.text(vram::Message("page.stored_bits").with("bits", language.number(bits, whole ? 0 : 2)));
}

std::string card_facts(const vram::Accelerator& card, const vram::Language& language) {
  vram::Message message(card.label_gb ? "page.card_facts" : "page.card_usable");
  message.with("usable", card.usable());
  message.with("how", vram::MessageKey{"usable_is." + std::string(vram::usable_is_key(card.usable_is()))});
  if (card.label_gb) message.with("label", *card.label_gb);
  return language.text(message);
}

std::string category_word(const Session& session, vram::Category category) {
  return session.word("category." + std::string(vram::category_key(category)));
}

std::string device_name(const vram::DeviceGroup& group) {
  if (group.first == group.last) return "GPU " + std::to_string(group.first);
  return "GPU " + std::to_string(group.first) + "–" + std::to_string(group.last);
}

std::string device_name(int device, const Session& session) {
  return device == vram::kHost ? session.word("report.host") : "GPU " + std::to_string(device);
}

std::string accuracy_address(const Session& session, const vram::AccuracyFigure& figure) {
  return session.site.accuracy.empty() ? "" : session.site.accuracy + "#" + std::string(figure.anchor());
}

}  // namespace ui
