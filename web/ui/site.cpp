#include "web/ui/site.h"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr std::string_view kDefaultAddress = "sale@tkasiatorg.ru";
constexpr double kLeastContrast = 3;  // of what is not text against its ground: WCAG 2.2, 1.4.11

bool is_address(std::string_view text) {
  const std::size_t at = text.find('@');
  return at != std::string_view::npos && at > 0 && at + 1 < text.size() &&
         text.find_first_of(" ,;?&<>\"\r\n") == std::string_view::npos;
}

bool is_https(std::string_view text) {
  return (text.starts_with("https://") || text.starts_with("http://")) && text.size() > 8 &&
         text.find_first_of(" <>\"#\r\n") == std::string_view::npos;
}

/// "hub.example.org", "localhost:8080": what the policy takes (web/boot.js); after the first one also "*.example.org".
bool is_host(std::string_view text, bool first) {
  if (!first && text.starts_with("*.")) text.remove_prefix(2);
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string_view name = text.substr(0, colon), port = text.substr(std::min(colon + 1, text.size()));
  const auto edge = [](char c) { return c == '.' || c == '-'; };
  return !name.empty() && !edge(name.front()) && !edge(name.back()) && (colon == text.size() || !port.empty()) &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789.-") == std::string_view::npos &&
         port.find_first_not_of("0123456789") == std::string_view::npos;
}

std::optional<std::uint32_t> colour(std::string_view text) {
  if (text.size() != 7 || text[0] != '#') return std::nullopt;
  std::uint32_t value = 0;
  for (const char c : text.substr(1)) {
    const bool digit = c >= '0' && c <= '9';
    const char lower = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
    if (!digit && (lower < 'a' || lower > 'f')) return std::nullopt;
    value = value * 16 + static_cast<std::uint32_t>(digit ? c - '0' : lower - 'a' + 10);
  }
  return value;
}

std::optional<vram::Tongue> tongue(std::string_view code) {
  for (const vram::Tongue one : vram::kTongues) {
    if (vram::tongue_code(one) == code) return one;
  }
  return std::nullopt;
}

class Reader {
 public:
  Reader(SiteReading& reading, vram::Library& library) : reading_(reading), library_(library) {}

  void read(const vram::Json& settings) {
    for (const auto& [key, value] : settings.items()) member(key, value);
  }

 private:
  void wrong(std::string name) { reading_.mistakes.push_back(vram::Message("site.wrong").with("name", std::move(name))); }

  void member(const std::string& key, const vram::Json& value) {
    Site& site = reading_.site;
    if (key == "email") return addresses(value);
    if (key == "company") return words(key, value, site.company);
    if (key == "phone") return words(key, value, site.phone);
    if (key == "legal_note") return words(key, value, site.legal_note);
    if (key == "public_url") return address(key, value, site.public_url);
    if (key == "accuracy") return address(key, value, site.accuracy);
    if (key == "languages") return languages(value);
    if (key == "language") {
      const auto one = value.is_string() ? tongue(value.get<std::string>()) : std::nullopt;
      if (one) site.language = one;
      else wrong(key);
      return;
    }
    if (key == "theme") {
      if (value == "light" || value == "dark") site.dark = value == "dark";
      else if (value != "auto") wrong(key);
      return;
    }
    if (key == "accent") return accent(key, value, site.accent, 0xFFFFFF);
    if (key == "accent_dark") return accent(key, value, site.accent_dark, 0x161B21);
    if (key == "hub_hosts") {
      for (const std::string& host : texts(key, value)) {
        if (is_host(host, site.hub_hosts.empty())) site.hub_hosts.push_back(host);
        else wrong("hub_hosts: " + host);
      }
      return;
    }
    if (key == "accelerators" || key == "models") return rows(key, value);
    reading_.mistakes.push_back(vram::Message("site.unknown").with("name", key));
  }

  void address(const std::string& key, const vram::Json& value, std::string& into) {
    std::string url;
    words(key, value, url);
    if (url.empty() || is_https(url)) into = url;
    else wrong(key);
  }

  void words(const std::string& key, const vram::Json& value, std::string& into) {
    if (value.is_string()) into = value.get<std::string>();
    else wrong(key);
  }

  std::vector<std::string> texts(const std::string& key, const vram::Json& value) {
    std::vector<std::string> list;
    if (value.is_string()) return {value.get<std::string>()};
    if (!value.is_array()) wrong(key);
    else {
      for (const vram::Json& one : value) {
        if (one.is_string()) list.push_back(one.get<std::string>());
        else wrong(key);
      }
    }
    return list;
  }

  void addresses(const vram::Json& value) {
    std::vector<std::string> good;
    for (const std::string& one : texts("email", value)) {
      if (is_address(one)) good.push_back(one);
      else wrong("email: " + one);
    }
    if (!good.empty()) reading_.site.emails = std::move(good);
  }

  void languages(const vram::Json& value) {
    std::vector<vram::Tongue> list;
    for (const std::string& code : texts("languages", value)) {
      const auto one = tongue(code);
      if (one && std::find(list.begin(), list.end(), *one) == list.end()) list.push_back(*one);
      else wrong("languages: " + code);
    }
    if (!list.empty()) reading_.site.languages = std::move(list);
  }

  void accent(const std::string& key, const vram::Json& value, std::optional<std::uint32_t>& into,
              std::uint32_t ground) {
    const auto read = value.is_string() ? colour(value.get<std::string>()) : std::nullopt;
    if (!read) return wrong(key);
    if (contrast(*read, ground) < kLeastContrast) {
      reading_.mistakes.push_back(vram::Message("site.pale").with("name", key));
    } else {
      into = read;
    }
  }

  /// {"hide": ["id"], "feature": ["id"], "add": [row]} of accelerators; models have no short list.
  void rows(const std::string& list, const vram::Json& value) {
    if (!value.is_object()) return wrong(list);
    const auto place_of = [&](const char* key) { return list + "." + key; };
    if (const vram::Json* added = vram::find(value, "add")) {  // first: a row of the site may be featured
      if (!added->is_array()) wrong(place_of("add"));
      else for (const vram::Json& row : *added) add(list, place_of("add"), row);
    }
    if (const vram::Json* hidden = vram::find(value, "hide")) {
      for (const std::string& id : texts(place_of("hide"), *hidden)) hide(list, place_of("hide"), id);
    }
    for (const auto& [key, ids] : value.items()) {
      if (key == "feature" && list == "accelerators") feature(texts(place_of("feature"), ids));
      else if (key != "add" && key != "hide") wrong(list + "." + key);
    }
  }

  /// A row is read by the reader of the catalogue, alone, so that a mistake costs only itself.
  void add(const std::string& list, const std::string& place, const vram::Json& row) {
    const std::string document = vram::to_text(vram::Json{{list, vram::Json::array({row})}});
    const auto take = [&](auto read, auto& into) {
      if (!read || read.value().size() != 1) {
        return wrong(place + (read ? "" : ": " + vram::text(row, "id").value_or("?") + ", " + field_of(read.error())));
      }
      auto one = std::move(read).value().front();
      const std::string id = one.id;
      const auto before = into;
      std::erase_if(into, [&](const auto& other) { return other.id == one.id; });  // the site's row replaces ours
      into.push_back(std::move(one));
      if (const auto problem = problem_with(list, id)) {
        into = before;
        wrong(place + ": " + id + ", " + field_of(*problem));
      }
    };
    if (list == "models") take(vram::models_from_json(document), library_.models);
    else take(vram::accelerators_from_json(document), library_.accelerators);
  }

  /// Why an added row would leave the page without an answer: a model that cannot be made of it, or the card that the
  /// page begins with, of unknown memory.
  std::optional<vram::Message> problem_with(const std::string& list, const std::string& id) const {
    vram::Scenario scenario;
    if (list == "models") scenario.deployments.front().model = id;
    const auto inputs = vram::resolve(scenario, library_);
    return inputs ? std::nullopt : std::optional(inputs.error());
  }

  static std::string field_of(const vram::Message& problem) {
    for (const auto& [name, value] : problem.parameters) {
      if (const auto* words = std::get_if<std::string>(&value); name == "field" && words != nullptr) return *words;
    }
    return problem.key;
  }

  void hide(const std::string& list, const std::string& place, const std::string& id) {
    static const vram::Scenario example;  // the page begins with it, so its model and card stay
    const bool needed = id == example.accelerator || id == example.deployments.front().model;
    const auto from = [&](auto& rows) { return !needed && std::erase_if(rows, [&](auto& r) { return r.id == id; }) > 0; };
    if (!(list == "models" ? from(library_.models) : from(library_.accelerators))) wrong(place + ": " + id);
  }

  /// Those named become the short list, in this order.
  void feature(const std::vector<std::string>& ids) {
    std::uint32_t next = 0;
    for (vram::Accelerator& one : library_.accelerators) one.featured = 0;
    for (const std::string& id : ids) {
      bool found = false;
      for (vram::Accelerator& one : library_.accelerators) {
        if (one.id != id) continue;
        one.featured = ++next;
        found = true;
      }
      if (!found) wrong("accelerators.feature: " + id);
    }
  }

  SiteReading& reading_;
  vram::Library& library_;
};

}  // namespace

std::string Site::to() const {
  std::string list;
  for (const std::string& one : emails) list += (list.empty() ? "" : ",") + one;
  return list;
}

bool Site::offers(vram::Tongue one) const {
  return std::find(languages.begin(), languages.end(), one) != languages.end();
}

SiteReading read_site(std::string_view json, vram::Library& library) {
  SiteReading reading;
  reading.site.emails = {std::string(kDefaultAddress)};
  reading.site.languages = {vram::Tongue::ru, vram::Tongue::kk, vram::Tongue::en};
  if (json.find_first_not_of(" \t\r\n") == std::string_view::npos) return reading;
  const vram::Result<vram::Json> settings = vram::parse_json(json);
  if (!settings) {
    reading.mistakes.push_back(settings.error());
    return reading;
  }
  Reader(reading, library).read(settings.value());
  Site& site = reading.site;
  if (site.language && !site.offers(*site.language)) {
    reading.mistakes.push_back(vram::Message("site.wrong").with("name", "language"));
    site.language.reset();
  }
  return reading;
}

double contrast(std::uint32_t first_rgb, std::uint32_t second_rgb) {
  const auto luminance = [](std::uint32_t rgb) {
    double sum = 0;
    constexpr double kWeights[] = {0.2126, 0.7152, 0.0722};
    for (int i = 0; i < 3; ++i) {
      const double value = static_cast<double>(rgb >> (16 - 8 * i) & 255U) / 255;
      sum += kWeights[i] * (value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4));
    }
    return sum + 0.05;
  };
  const double a = luminance(first_rgb), b = luminance(second_rgb);
  return a > b ? a / b : b / a;
}

Palette with_accent(Palette palette, const Site& site, bool dark) {
  const std::optional<std::uint32_t> accent = dark ? site.accent_dark : site.accent;
  if (!accent) return palette;
  palette.accent = rgb(*accent);
  palette.on_accent = contrast(*accent, 0xFFFFFF) >= contrast(*accent, 0x10161C) ? rgb(0xFFFFFF) : rgb(0x10161C);
  return palette;
}

}  // namespace ui
