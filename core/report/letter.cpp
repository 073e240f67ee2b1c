// The letter to sales: short enough for every mail program, complete enough to answer.
#include <string_view>

#include "core/report/report.h"

namespace vram {
namespace {

// Practical ceilings of mailto: links: Outlook with browsers 2,046, Chrome about 2,000 (facts: web.md, 2.8). A Cyrillic
// letter costs six characters, so the essentials come first and lines that do not fit are left out.
constexpr std::size_t kMostEncoded = 1900;

/// RFC 6068: everything but unreserved characters is percent-encoded; a line break is %0D%0A. Nothing from a model's
/// name can add a header, because & and = and line breaks are encoded like everything else.
std::string encoded(std::string_view text) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string result;
  for (const char c : text) {
    if (c == '\n') {
      result += "%0D%0A";
    } else if (kPlain.find(c) != std::string_view::npos) {
      result += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      result += '%';
      result += kHex[byte >> 4];
      result += kHex[byte & 15];
    }
  }
  return result;
}

std::string encoded_address(std::string_view address) {
  std::string result;
  for (const char c : address) {
    const bool allowed = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                         std::string_view("@.+-_").find(c) != std::string_view::npos;
    if (allowed) result += c;
  }
  return result;
}

/// One line: no breaks or control characters from a file's name.
std::string one_line(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  return text;
}

}  // namespace

std::string mailto(const Letter& letter) {
  return "mailto:" + encoded_address(letter.to) + "?subject=" + encoded(letter.subject) +
         "&body=" + encoded(letter.body);
}

Letter letter(const Inputs& inputs, const Plan& plan, const Limits& limits, const Language& language,
              const std::string& to, const std::string& link) {
  const Answer said = answer(inputs, plan, limits, language);
  const Deployment& deployment = inputs.scenario.deployments.front();
  const std::string model = one_line(inputs.models.front().name);
  const std::string gpus = std::to_string(inputs.scenario.devices) + " \xC3\x97 " + inputs.accelerator.name;

  Letter made;
  made.to = to;
  made.subject = language.text(Message("letter.subject").with("model", model).with("gpu", gpus));

  // In the order of how much the reader would miss them.
  std::vector<std::string> lines;
  lines.push_back(language.text(Message("letter.model").with("model", model)));
  const Scenario& scenario = inputs.scenario;
  if (trains(scenario)) {
    const bool tunes = scenario.task == "tune";
    lines.push_back(language.text(
        Message("letter.training")
            .with("task", MessageKey{tunes ? "training_method." + scenario.method : "choice.task." + scenario.task})
            .with("micro", language.number(scenario.micro_batch))
            .with("tokens", language.number(scenario.sequence))));
  } else {
    lines.push_back(language.text(Message("letter.use").with("users", language.number(deployment.users))
                                      .with("context", language.number(deployment.context))));
  }
  lines.push_back(said.verdict + ".");
  lines.push_back(said.summary);
  if (!trains(scenario)) {
    lines.push_back(language.text(
        Message("letter.formats")
            .with("weights", MessageKey{"choice.weights." + deployment.weights})
            .with("kv", MessageKey{"choice.kv." + deployment.kv})));
  }
  for (const std::string& sentence : limit_sentences(inputs, limits, language)) lines.push_back(sentence);

  const std::string link_line = "\n" + language.text(Message("letter.link").with("link", link));
  made.body = language.word("letter.greeting") + "\n";
  const std::string with_link_only = made.body + link_line;
  const bool link_fits = mailto({to, made.subject, with_link_only}).size() + 200 < kMostEncoded;
  const std::string ending = link_fits ? link_line : "\n" + language.word("letter.link_too_long");
  for (const std::string& line : lines) {
    const std::string longer = made.body + line + "\n";
    if (mailto({to, made.subject, longer + ending}).size() <= kMostEncoded) made.body = longer;
  }
  made.body += ending;
  return made;
}

}  // namespace vram
