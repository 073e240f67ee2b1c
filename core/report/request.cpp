#include "core/report/request.h"

#include <algorithm>
#include <utility>

namespace vram {
namespace {

constexpr std::array<std::string_view, kRequestItems> kItems = {"model", "mode", "load", "format", "speed", "room"};

struct Line {
  std::string_view key;
  std::string Contact::* member;
};
constexpr Line kLines[] = {{"name", &Contact::name}, {"company", &Contact::company}, {"phone", &Contact::phone},
                           {"city", &Contact::city}, {"date", &Contact::date},       {"note", &Contact::note}};
constexpr std::array<std::string_view, kRequestItems> kAdded = {"added.model",  "added.mode",  "added.load",
                                                                "added.format", "added.speed", "added.room"};

std::vector<Message> model_known(const Inputs& inputs) {
  const Model& model = inputs.models.front();
  if (model.dims.num_hidden_layers == 0) return {};  // a size without a shape: the architecture is still to be told
  const auto billions = static_cast<double>(count_parameters(model).total.value()) / 1e9;
  return {Message("request.model_is").with("model", model.name).with("billions", billions)};
}

std::vector<Message> load_known(const Inputs& inputs) {
  const Scenario& scenario = inputs.scenario;
  if (trains(scenario)) {
    return {Message("request.load_train").with("sequence", scenario.sequence).with("batch", scenario.micro_batch)};
  }
  const Deployment& deployment = scenario.deployments.front();
  return {Message("request.load_is").with("users", deployment.users).with("context", deployment.context)};
}

/// Weights as the checkpoint has them say nothing of what would be allowed; a format or a floor that was chosen does.
std::vector<Message> format_known(const Inputs& inputs) {
  static const Scenario defaults;
  const Scenario& scenario = inputs.scenario;
  std::vector<Message> known;
  const std::string& weights = scenario.deployments.front().weights;
  if (weights != defaults.deployments.front().weights) known.emplace_back("choice.weights." + weights);
  if (scenario.least_bits != defaults.least_bits) {
    known.push_back(Message("request.least_bits").with("bits", scenario.least_bits));
  }
  return known;
}

std::vector<Message> speed_known(const Inputs& inputs) {
  const Scenario& scenario = inputs.scenario;
  const Deployment& deployment = scenario.deployments.front();
  std::vector<Message> known;
  if (trains(scenario)) return known;
  if (scenario.want_first_token_s > 0) {
    known.push_back(Message("request.first_token").with("seconds", scenario.want_first_token_s));
  }
  if (scenario.want_tokens_s > 0) known.push_back(Message("request.tokens_s").with("rate", scenario.want_tokens_s));
  if (deployment.rate > 0) known.push_back(Message("request.rate").with("rate", deployment.rate));
  return known;
}

/// Both halves of the question have to be answered.
std::vector<Message> room_known(const Inputs& inputs) {
  const Scenario& scenario = inputs.scenario;
  if (scenario.node == "auto" || scenario.rack_kw <= 0) return {};
  return {Message("request.room_is").with("node", scenario.node).with("kw", scenario.rack_kw)};
}

}  // namespace

std::string request_string(std::string_view prefix, RequestItem item, const Scenario& scenario) {
  const bool of_job = trains(scenario) && (item == RequestItem::load || item == RequestItem::speed);
  return std::string(prefix) + std::string(request_item_key(item)) + (of_job ? "_job" : "");
}

std::string_view request_item_key(RequestItem item) { return kItems[static_cast<std::size_t>(item)]; }

bool Contact::empty() const { return *this == Contact{}; }

std::vector<std::string_view> contact_keys() {
  std::vector<std::string_view> keys(kAdded.begin(), kAdded.end());
  for (const Line& line : kLines) keys.push_back(line.key);
  return keys;
}

std::string* contact_line(Contact& contact, std::string_view key) {
  return const_cast<std::string*>(contact_line(std::as_const(contact), key));
}

const std::string* contact_line(const Contact& contact, std::string_view key) {
  for (const Line& line : kLines) {
    if (line.key == key) return &(contact.*line.member);
  }
  for (std::size_t i = 0; i < kRequestItems; ++i) {
    if (kAdded[i] == key) return &contact.added[i];
  }
  return nullptr;
}

std::vector<ChecklistItem> checklist(const Inputs& inputs) {
  return {{RequestItem::model, model_known(inputs)},
          {RequestItem::mode, {Message("choice.task." + inputs.scenario.task)}},
          {RequestItem::load, load_known(inputs)},
          {RequestItem::format, format_known(inputs)},
          {RequestItem::speed, speed_known(inputs)},
          {RequestItem::room, room_known(inputs)}};
}

std::string known_words(const ChecklistItem& item, const Language& language) {
  std::string line;
  for (const Message& known : item.known) line += (line.empty() ? "" : ", ") + language.text(known);
  return line;
}

}  // namespace vram
