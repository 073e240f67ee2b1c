// Accelerators: what the driver and a program find on a card, not what its label says.
//
// A memory size has three names, and they differ by up to seven per cent:
//   label     on the box; decimal GB or binary GiB, as marketing pleased (B200: "192" GB and "180" GiB are one part)
//   driver    what nvidia-smi or mx-smi prints, MiB; inline ECC of GDDR6 takes a sixteenth (48 GB → 46,068 MiB)
//   program   what a CUDA program sees (torch's total_memory), GiB; the budget of every plan
//
// Where nobody measured the program's figure it is derived from the driver's:
//   program = driver − (0.42 GiB + 0.18 % of driver)
// which is the line through the measured cards (16 GB: −0.45, 48 GB: −0.50, 141 GB: −0.67, B300: −0.90 GiB) and meets
// each of them within 0.3 GiB. Where there is no driver's figure either, the label is read as decimal GB, the smaller
// reading, and the same reserve is taken off. `usable_is` tells which of these it was, or that the user gave it.
//
//   Accelerator h100: label 80 GB, driver 81,559 MiB, program 79.19 GiB  → usable() = 79.19 GiB, measured
//
// An optional field that is empty is not known. It is never zero, and a page says "ask the supplier".
// Rates are dense (no sparsity) in TFLOPS or TOPS; GeForce cards have the halved 16-bit rate that they really run at.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/units/bytes.h"
#include "core/units/result.h"

namespace vram {

enum class FormFactor : std::uint8_t { unknown, pcie, sxm, oam, superchip, soc, custom };
enum class LinkKind : std::uint8_t { nvlink, metaxlink, xgmi, hccs, ub, roce };
/// How two cards reach each other outside a link: over PCIe, only over the link, or by way of host memory.
enum class PeerAccess : std::uint8_t { unknown, pcie, link_only, none };
enum class Cooling : std::uint8_t { unknown, passive, active, blower, liquid, passive_or_liquid };
enum class Status : std::uint8_t { unknown, current, ramping, previous, eol, regional, announced };
enum class UsableIs : std::uint8_t { measured, derived, from_label, given };

std::string_view form_factor_key(FormFactor form);  ///< "pcie", "sxm", …
std::string_view link_kind_key(LinkKind kind);      ///< "nvlink", "metaxlink", …
std::string_view peer_access_key(PeerAccess access);
std::string_view cooling_key(Cooling cooling);
std::string_view status_key(Status status);
std::string_view usable_is_key(UsableIs how);  ///< "measured", "derived", "from_label", "given"

/// Dense TFLOPS (int8: TOPS).
struct Rates {
  std::optional<double> fp32, tf32, bf16, fp16, fp8, fp4, int8;
  friend bool operator==(const Rates&, const Rates&) = default;
};

/// Number formats the tensor cores compute in. Storing in a format needs none of them.
struct HardwareFormats {
  bool bf16 = false, fp8 = false, fp4 = false, int8 = false;
  friend bool operator==(const HardwareFormats&, const HardwareFormats&) = default;
};

/// A link between cards that is not PCIe.
struct Link {
  LinkKind kind = LinkKind::nvlink;
  std::optional<double> gbs;            ///< GB/s of one card, both directions together
  std::optional<std::uint32_t> domain;  ///< cards that reach one another over it
  bool bridge = false;                  ///< joined by a bridge that is ordered with the cards
  friend bool operator==(const Link&, const Link&) = default;
};

struct Pcie {
  std::uint32_t generation = 0, lanes = 0;
  friend bool operator==(const Pcie&, const Pcie&) = default;
};

struct Accelerator {
  std::string id, vendor, name, architecture;
  std::uint32_t featured = 0;  ///< place in the short list, from 1; 0 = not in it

  std::string memory_type;              ///< "HBM3e"; "" = not known
  std::optional<double> label_gb;       ///< the number on the box
  std::optional<double> driver_mib;     ///< what the driver prints
  std::optional<double> program_gib;    ///< what a program sees, where somebody looked
  std::optional<double> bandwidth_gbs;  ///< peak, decimal GB/s
  Rates tflops;
  std::optional<HardwareFormats> formats;
  std::optional<double> measured_bf16_tflops;    ///< best matrix product anyone reported
  std::optional<double> measured_bandwidth_gbs;  ///< best stream anyone reported
  std::optional<double> compute_capability;      ///< CUDA's; NVIDIA only

  std::optional<Link> link;
  std::optional<Pcie> pcie;
  PeerAccess peer_access = PeerAccess::unknown;

  FormFactor form = FormFactor::unknown;
  std::string profile;          ///< "FHFL", "HHHL", "SXM5", "OAM 2.0"; "" = not known
  std::optional<double> tdp_w;  ///< of the card
  std::optional<double> cap_w;  ///< a higher limit seen in a driver
  Cooling cooling = Cooling::unknown;
  std::optional<double> slots;            ///< width
  std::string connector;                  ///< "slot" = fed by the slot; "" = not known
  std::uint32_t devices_on_card = 1;      ///< accelerators that share card, slot and power (A16: 4)
  std::optional<std::uint32_t> per_node;  ///< cards in a usual node
  std::optional<std::uint32_t> mig;       ///< most parts it can be cut into

  Status status = Status::unknown;
  std::optional<std::uint32_t> year;
  std::vector<std::string> notes;       ///< keys of strings: "accelerator.note.<key>"
  std::vector<std::string> unverified;  ///< fields as the file names them: "tflops.fp8", "memory.program_gib"
  std::vector<std::string> sources;     ///< full text of each

  /// What a program can hold: the budget of a plan. 0 when nothing at all is known of the memory.
  Bytes usable() const;
  UsableIs usable_is() const;
  bool verified(std::string_view field) const;
  /// Dense rate of a format by its name ("fp8"); nothing when not known or not there.
  std::optional<double> rate(std::string_view format) const;
  friend bool operator==(const Accelerator&, const Accelerator&) = default;
};

/// What a program sees of a card whose driver prints `driver`; the rule at the top.
Bytes program_from_driver(Bytes driver);

/// Reads assets/accelerators.json. Errors: those of parse_json, and
/// accelerators.malformed {id, field}: a row without an id, a second row of that id, or a field of the wrong kind.
Result<std::vector<Accelerator>> accelerators_from_json(std::string_view text);

const Accelerator* find_accelerator(std::span<const Accelerator> all, std::string_view id);
/// Those of the short list, in its order.
std::vector<const Accelerator*> featured_accelerators(std::span<const Accelerator> all);
/// Best matches first: every word of `query` begins or is within a word of name, vendor, id or architecture. An empty
/// query finds all, the short list first.
std::vector<const Accelerator*> search_accelerators(std::span<const Accelerator> all, std::string_view query);

/// A card that is in no list: only its memory for programs is known, until more is typed in.
Accelerator custom_accelerator(double usable_gib);

}  // namespace vram
