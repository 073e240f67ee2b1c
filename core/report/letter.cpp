// The letter to sales: short enough for every mail program, complete enough to answer.
#include <string_view>

#include "core/report/report.h"
#include "core/report/request.h"

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
                         std::string_view("@.+-_,").find(c) != std::string_view::npos;
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

namespace {

/// At most `most` characters (not bytes), the last of them an ellipsis when something was cut off.
std::string shortened(std::string_view text, std::size_t most) {
  std::size_t characters = 0, end = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) == 0x80) continue;  // within a character
    if (characters + 1 == most) end = i;
    if (++characters > most) return std::string(text.substr(0, end)) + "\xE2\x80\xA6";
  }
  return std::string(text);
}

std::string load_words(const Inputs& inputs, const Language& language) {
  const Scenario& scenario = inputs.scenario;
  if (trains(scenario)) {
    const bool tunes = scenario.task == "tune";
    return language.text(
        Message("letter.training")
            .with("task", MessageKey{tunes ? "training_method." + scenario.method : "choice.task." + scenario.task})
            .with("micro", language.number(scenario.micro_batch))
            .with("tokens", language.number(scenario.sequence)));
  }
  const Deployment& deployment = scenario.deployments.front();
  return language.text(Message("letter.use")
                           .with("users", language.number(deployment.users))
                           .with("context", language.number(deployment.context)));
}

std::string formats_words(const Inputs& inputs, const Language& language) {
  const Deployment& deployment = inputs.scenario.deployments.front();
  return language.text(Message("letter.formats")
                           .with("weights", MessageKey{"choice.weights." + deployment.weights})
                           .with("kv", MessageKey{"choice.kv." + deployment.kv}));
}

/// Who writes, on as few lines as it takes: without these nobody can be answered.
std::vector<std::string> sender_lines(const Contact& contact) {
  std::vector<std::string> lines;
  const auto joined = [&](const std::string& first, const std::string& second) {
    const std::string line = first.empty() || second.empty() ? first + second : first + ", " + second;
    if (!line.empty()) lines.push_back(one_line(line));
  };
  joined(contact.name, contact.company);
  joined(contact.phone, contact.city);
  return lines;
}

/// What the sender added in words, and what is still to be asked.
std::vector<std::string> request_lines(const Inputs& inputs, const Contact& contact, const Language& language) {
  std::vector<std::string> lines;
  const auto add = [&](const std::string& label, const std::string& words) {
    if (!words.empty()) lines.push_back(label + ": " + one_line(words));
  };
  add(language.word("contact.date"), contact.date);
  std::string missing;
  for (const ChecklistItem& item : checklist(inputs)) {
    const std::string label = language.word(request_string("request_short.", item.item, inputs.scenario));
    const std::string& added = contact.added[static_cast<std::size_t>(item.item)];
    const std::string known = item.item == RequestItem::speed || item.item == RequestItem::room
                                  ? known_words(item, language)
                                  : "";  // the others stand in the letter's own lines
    add(label, known.empty() || added.empty() ? known + added : known + "; " + added);
    if (item.known.empty() && added.empty()) missing += (missing.empty() ? "" : ", ") + label;
  }
  add(language.word("contact.note"), contact.note);
  if (!missing.empty()) lines.push_back(language.text(Message("letter.missing").with("what", missing)));
  return lines;
}

}  // namespace

std::string link_words(const std::string& link, const Language& language) {
  // A page on a disk has no address that others could open.
  return language.text(Message(link.starts_with('#') ? "letter.link_part" : "letter.link").with("link", link));
}

std::vector<std::string> letter_lines(const Inputs& inputs, const Plan& plan, const Limits& limits,
                                      const Language& language, const Contact& contact, const LetterAdds& adds) {
  const Headline said = headline(inputs, plan, language);
  std::vector<std::string> lines = sender_lines(contact);
  for (const Model& model : inputs.models) {
    lines.push_back(language.text(Message("letter.model").with("model", one_line(model.name))));
  }
  lines.push_back(load_words(inputs, language));
  lines.push_back(said.verdict + ".");
  lines.push_back(language.text(Message("letter.memory")
                                    .with("used", language.memory_range(plan.of(plan.fullest)))
                                    .with("usable", plan.usable())));
  lines.insert(lines.end(), adds.to_buy.begin(), adds.to_buy.end());
  if (!trains(inputs.scenario)) lines.push_back(formats_words(inputs, language));
  for (std::string& line : request_lines(inputs, contact, language)) lines.push_back(std::move(line));
  for (std::string& sentence : limit_sentences(inputs, limits, language)) lines.push_back(std::move(sentence));
  lines.insert(lines.end(), adds.pace.begin(), adds.pace.end());
  return lines;
}

Letter letter(const Inputs& inputs, const Plan& plan, const Limits& limits, const Language& language,
              const std::string& to, const std::string& link, const Contact& contact, const std::string& origin,
              const LetterAdds& adds) {
  constexpr std::size_t kMostOfName = 60, kMostOfLine = 120;  // characters
  const std::string model = shortened(one_line(inputs.models.front().name), kMostOfName);
  const std::string gpus = std::to_string(inputs.scenario.devices) + "\xC2\xA0\xC3\x97\xC2\xA0" +
                           shortened(one_line(inputs.accelerator.name), kMostOfName);

  Letter made;
  made.to = to;
  made.subject = language.text(Message("letter.subject").with("model", model).with("gpu", gpus));
  made.body = language.word("letter.greeting") + "\n";
  const auto size_with = [&](const std::string& body) { return mailto({to, made.subject, body, false}).size(); };

  const std::string link_line = "\n" + link_words(link, language);
  made.attach_scenario = size_with(made.body + link_line) + 200 >= kMostEncoded;
  const std::string ending = made.attach_scenario
                                 ? "\n" + language.text(Message("letter.link_too_long").with("file", kScenarioFile))
                                 : link_line;
  // In the order of how much the reader would miss them; what has no room is cut, and left out when even that is long.
  std::vector<std::string> lines = letter_lines(inputs, plan, limits, language, contact, adds);
  if (!origin.empty()) lines.push_back(origin);
  for (const std::string& line : lines) {
    for (std::size_t most : {line.size() + 1, kMostOfLine, kMostOfLine / 3}) {
      const std::string longer = made.body + shortened(line, most) + "\n";
      if (size_with(longer + ending) > kMostEncoded) continue;
      made.body = longer;
      break;
    }
  }
  made.body += ending;
  return made;
}

}  // namespace vram
