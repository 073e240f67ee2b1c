// Advice in words: how fast, what holds back, growth, the room, what to buy. And the same for machines.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/advise/bottleneck.h"
#include "core/advise/facility_plan.h"
#include "core/advise/growth.h"
#include "core/advise/options.h"
#include "core/advise/sensitivity.h"
#include "core/advise/workload.h"
#include "core/report/language.h"
#include "core/report/report.h"
#include "core/speed/training_time.h"

namespace vram {

/// "3.2–4.1"; one number where both would read the same.
std::string range_text(double low, double high, int decimals, const Language& language);
/// A speed or a time with as many digits as it deserves: 0.42, 8.1, 36.
std::string rate_text(double value, const Language& language);
/// "2.6–11": both ends by `rate_text`, one where they read the same.
std::string rate_range(double low, double high, const Language& language);

/// Time to first token, tokens a second, what limits; hours and energy of a training job. A sentence where the speed is
/// not known.
Section speed_section(const Inputs& inputs, const Plan& plan, const Interconnect& interconnect,
                      const Language& language);
/// How fast it will be and what holds it back, a sentence each: of the answer and of the letter.
std::vector<std::string> pace_sentences(const Plan& plan, const std::optional<speed::Speed>& speed,
                                        const std::optional<speed::TrainingTime>& time, const Language& language);
/// "60 requests a minute, each 12 s: 12 at the same time"; nothing when no rate is stated.
std::optional<std::string> workload_sentence(const Inputs& inputs, const Interconnect& interconnect,
                                             const Language& language);
std::vector<std::string> growth_sentences(const Inputs& inputs, const Growth& growth, const Language& language);
/// The first `most` of them.
std::vector<std::string> sensitivity_sentences(const std::vector<Moved>& moved, std::size_t most,
                                               const Language& language);

/// Speed, growth and what moves the answer most: for the answer's `advice`.
std::vector<Section> advice_sections(const Inputs& inputs, const Plan& plan, const Library& library,
                                     const Language& language);

/// Where a request's time goes: parts, their shares, the calculation of each. Without rows where the speed is not known.
Section speed_terms_section(const speed::Speed& speed, const Language& language);

/// What a buyer has to know of a card: memory, compute, link, form, power, cooling, whether it is still made, and notes.
Section card_section(const Accelerator& card, const Language& language);

/// The room of a plan, or why there is none to tell; with it the cards.
std::vector<Section> room_sections(const Inputs& inputs, const Platforms& platforms, const Language& language);
/// Nodes, power, heat, air, racks; whether the cards fit; what a rack could serve.
std::vector<Section> facility_sections(const FacilityPlan& plan, const RackAnswer& rack, const Language& language);

/// Three figures that count: power, heat and air are known no better.
double three_figures(double value);

/// "2 × H200 SXM".
std::string option_name(const Option& option, const Language& language);
/// A row of the table of options; `options_head` names its columns.
std::vector<std::string> options_head(const Language& language);
std::vector<std::string> option_row(const Option& option, const Language& language);
/// The column of `options_head` that shows what options are sorted by.
std::size_t column_of(OptionOrder order);
/// That so many options are not listed because they write slower than people read; nothing when all are.
std::optional<std::string> slow_options_words(const OptionSearch& search, const Language& language);
/// Suggestions; in depth the makers side by side, the table (its caption is "options.all"), what is ruled out. Before
/// the search has ended only the suggestions.
std::vector<Section> options_sections(const OptionSearch& search, const Language& language, OptionSort sort = {});

Json speed_json(const Inputs& inputs, const Plan& plan, const Interconnect& interconnect);
Json facility_json(const FacilityPlan& plan, const RackAnswer& rack);
Json options_json(const OptionSearch& search);

}  // namespace vram
