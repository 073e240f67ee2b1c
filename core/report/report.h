// A plan in words: the sentences, rows and the letter that page, text version and command line share.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/advise/fixes.h"
#include "core/advise/limits.h"
#include "core/advise/rule_of_thumb.h"
#include "core/plan/plan.h"
#include "core/plan/support.h"
#include "core/report/command.h"
#include "core/report/language.h"
#include "core/report/request.h"

namespace vram {

/// "2 × 80 × 8 × … = 80.0 GiB": the derivation of an entry with its values.
std::string explain(const Entry& entry, const Language& language);
/// One row a value: its meaning and its number ("KV heads", "8").
struct ExplainedValue {
  std::string meaning, number;
};
std::vector<ExplainedValue> explain_values(const Entry& entry, const Language& language);

struct Table {
  std::string caption;
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;   ///< first column is text, the others are right-aligned numbers
};
struct Section {
  std::string heading;
  std::vector<std::string> paragraphs;
  Table table;                                  ///< empty rows = no table
  bool depth = false;                           ///< for who wants to know why: not in a printed report
  std::vector<std::string> lines = {};          ///< of a program, to be copied or found again: commands, log lines

  bool empty() const { return paragraphs.empty() && table.rows.empty() && lines.empty(); }
};

struct Headline {
  std::string verdict;                          ///< "Fits on 2 × H100 80 GB"
  std::string summary;                          ///< "131–139 of 158 GiB used, 12 % free on the fullest GPU"
};
Headline headline(const Inputs& inputs, const Plan& plan, const Language& language);

/// The whole answer in words: scenario, per device, limits, fixes, `advice`, placement, ledger, …, notes.
struct Answer : Headline {
  std::vector<Section> sections;
};
Answer answer(const Inputs& inputs, const Plan& plan, const Limits& limits, const Language& language,
              const std::vector<Fix>& fixes = {}, std::vector<Section> advice = {});

/// Part → where → bytes, for each group of devices that hold the same and for host memory.
Section placement_section(const Inputs& inputs, const Plan& plan, const Language& language);
/// Which formats the engine runs on these cards, and who says so. No rows: nothing to say.
Section support_section(const Inputs& inputs, const Plan& plan, const Language& language);
Section rules_section(const std::vector<RuleOfThumb>& rules, const Language& language);
Section fixes_section(const Plan& plan, const std::vector<Fix>& fixes, const Language& language);
/// Commands ("$ …"), what they cannot say, and the log lines that follow ("> …"). No paragraphs: nothing to say.
/// The command that starts it, and the lines that its log will say.
std::vector<Section> start_sections(const Inputs& inputs, const Plan& plan, const Language& language);

/// The plan at normal use beside the one at the busiest time.
struct NormalAndPeak {
  Plan normal, peak;
};
/// Nothing when no deployment has a peak above its normal use.
std::optional<NormalAndPeak> normal_and_peak(const Inputs& inputs);
Section normal_and_peak_section(const Inputs& inputs, const NormalAndPeak& plans, const Language& language);

/// Sentences for the limits: longest context and most users, of training longest sequence and micro-batch; least devices.
std::vector<std::string> limit_sentences(const Inputs& inputs, const Limits& limits, const Language& language);
/// "2 × H100 80GB + 1 × L4": all cards of a scenario.
std::string cards_name(const Inputs& inputs, const Language& language);
/// What an accelerator offers: usable, driver's figure, label, each with its unit and where it is from.
std::string accelerator_memory(const Accelerator& accelerator, const Language& language);

constexpr const char* kScenarioFile = "gpu-memory.json";  ///< what a saved scenario is called
/// core/advise/reference.h as a table, for one kind of card.
Section reference_section(const Library& library, std::string_view accelerator, const Language& language);
/// docs/REFERENCE.md
std::string reference_markdown(const Library& library, std::span<const std::string_view> accelerators,
                               const Language& language);

/// What the letter says besides the plan, in the order of how much sales would miss it.
struct LetterAdds {
  std::vector<std::string> to_buy;              ///< `buying_notes` in words
  std::vector<std::string> pace;                ///< how fast it will be
};

struct Letter {
  std::string to, subject, body;
  bool attach_scenario = false;                 ///< the link has no room: the body asks to attach kScenarioFile
};
/// The letter to sales: who asks, scenario, answer, what is added or missing, link, and
/// `origin`: what calculated it. Bounded so that its mailto: stays
/// under 1,900 encoded characters in every language, whatever the names in it.
Letter letter(const Inputs& inputs, const Plan& plan, const Limits& limits, const Language& language,
              const std::string& to, const std::string& link, const Contact& contact = {},
              const std::string& origin = "", const LetterAdds& adds = {});
/// The lines of the letter between greeting and link, all of them and whole: for a file, the clipboard, a share sheet.
std::vector<std::string> letter_lines(const Inputs& inputs, const Plan& plan, const Limits& limits,
                                      const Language& language, const Contact& contact,
                                      const LetterAdds& adds = {});
/// How to open the scenario from a letter.
std::string link_words(const std::string& link, const Language& language);
std::string mailto(const Letter& letter);

/// The plan for machines (`vram plan`): scenario, verdict, devices, deployments with engine figures, support and command,
/// the phases of a training job, ledger with derivations, limits, fixes, rules of thumb.
Json plan_json(const Inputs& inputs, const Plan& plan, const Limits& limits, const std::vector<Fix>& fixes = {});

}  // namespace vram
