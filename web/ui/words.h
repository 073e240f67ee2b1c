// Small sentences that several panels say.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "web/ui/session.h"

namespace ui {

std::string card_name(const Session& session, const vram::Accelerator& card);
/// The scenario's cards beside its own: "2 × RTX 4090, 1 × L4".
std::string cards_word(const Session& session);
/// With spaces that do not break.
std::string unbroken(std::string words);

std::string field_word(const Session& session, const vram::Field& field);
/// What a field can be chosen from, each with its words: its own choices, or the platforms for the scenario's card.
struct Choice {
  std::string id, words;
};
std::vector<Choice> choices_of(const Session& session, const vram::Field& field);
std::string choice_word(const Session& session, const vram::Field& field, std::string_view choice);
/// Under a field: what it is for, what 0 stands for.
std::string field_hint(const Session& session, const vram::Field& field);
/// What the field holds, as a person reads it.
std::string value_word(const Session& session, const vram::Field& field);

/// "70.6 billion parameters · up to 131,072 tokens"
std::string model_facts(const vram::CatalogueModel& model, const vram::Language& language);
std::string model_facts(const Answered& answered, std::size_t which, const vram::Language& language);

/// "Label 80 GB; programs can use 79.2 GiB (measured)"
std::string card_facts(const vram::Accelerator& card, const vram::Language& language);

std::string category_word(const Session& session, vram::Category category);
std::string device_name(const vram::DeviceGroup& group);
std::string device_name(int device, const Session& session);

/// Of the figure's table in docs/ACCURACY.md; "" where the site does not say where that is published.
std::string accuracy_address(const Session& session, const vram::AccuracyFigure& figure);

}  // namespace ui
