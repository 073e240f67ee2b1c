// A card for whoever buys it: what it is, whether it is still made, and what has to be known of it.
#include "core/report/advise.h"

namespace vram {
namespace {

constexpr const char* kDot = " \xC2\xB7 ";

std::string_view link_name(LinkKind kind) {
  switch (kind) {
    case LinkKind::nvlink: return "NVLink";
    case LinkKind::metaxlink: return "MetaXLink";
    case LinkKind::xgmi: return "Infinity Fabric";
    case LinkKind::hccs: return "HCCS";
    case LinkKind::ub: return "UB";
    case LinkKind::roce: return "RoCE";
  }
  return "";
}

std::string_view form_name(FormFactor form) {
  switch (form) {
    case FormFactor::pcie: return "PCIe";
    case FormFactor::sxm: return "SXM";
    case FormFactor::oam: return "OAM";
    case FormFactor::soc: return "SoC";
    default: return "";
  }
}

std::string amount(double value, std::string_view unit, const Language& language) {
  return language.number(value, 0) + "\xC2\xA0" + language.word(unit);
}

std::string joined(std::string first, const std::string& second) {
  return first.empty() || second.empty() ? first + second : std::move(first) + kDot + second;
}

std::string memory_of(const Accelerator& card, const Language& language) {
  if (!card.bandwidth_gbs) return card.memory_type;
  return joined(card.memory_type, amount(*card.bandwidth_gbs, "speed.unit.gb_per_second", language));
}

std::string compute_of(const Accelerator& card, const Language& language) {
  std::string words;
  const auto add = [&](std::string_view format, const std::optional<double>& rate) {
    if (rate) words = joined(words, std::string(format) + "\xC2\xA0" + amount(*rate, "speed.unit.tflops", language));
  };
  add("BF16", card.tflops.bf16);
  if (!card.tflops.bf16) add("FP16", card.tflops.fp16);
  add("FP8", card.tflops.fp8);
  add("FP4", card.tflops.fp4);
  return words;
}

std::string link_of(const Accelerator& card, const Language& language) {
  if (card.link) {
    const std::string name(link_name(card.link->kind));
    return card.link->gbs ? joined(name, amount(*card.link->gbs, "speed.unit.gb_per_second", language)) : name;
  }
  if (!card.pcie || card.pcie->generation == 0) return "";
  return "PCIe " + std::to_string(card.pcie->generation) + ".0 \xC3\x97" + std::to_string(card.pcie->lanes);
}

}  // namespace

Section card_section(const Accelerator& card, const Language& language) {
  Section section{.heading = language.text(Message("accelerator.about").with("gpu", card.name)),
                  .paragraphs = {},
                  .table = {},
                  .depth = true};
  section.table.caption = section.heading;
  section.table.head = {language.word("report.field"), language.word("report.value")};
  const auto row = [&](std::string_view key, std::string value, std::string_view field = {}) {
    if (value.empty()) return;
    if (!field.empty() && !card.verified(field)) value += ", " + language.word("accelerator.unverified");
    section.table.rows.push_back({capitalised(language.word(key)), std::move(value)});
  };
  row("accelerator.memory", memory_of(card, language), "bandwidth_gbs");
  row("accelerator.compute", compute_of(card, language));
  row("accelerator.link", link_of(card, language), card.link ? "link.gbs" : "pcie");
  row("facility.aspect.form", card.profile.empty() ? std::string(form_name(card.form)) : card.profile);
  if (card.tdp_w) row("facility.aspect.card_power", amount(*card.tdp_w, "facility.unit.w", language));
  if (card.cooling != Cooling::unknown) {
    row("facility.aspect.cooling", language.word("accelerator.cooling." + std::string(cooling_key(card.cooling))),
        "cooling");
  }
  if (card.status != Status::unknown) {
    row("accelerator.status", language.word("accelerator.status." + std::string(status_key(card.status))), "status");
  }
  for (const std::string& note : card.notes) section.paragraphs.push_back(language.word("accelerator.note." + note));
  return section;
}

}  // namespace vram
