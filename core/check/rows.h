// One row of measurements, of whichever kind, to its predictions. The kinds are told by their fields and stand in one
// table (rows.cpp); a kind that is added is one row there.
#pragma once
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "core/check/check.h"
#include "core/hardware/accelerator.h"
#include "core/hardware/platform.h"
#include "core/import/catalogue.h"

namespace vram::check {

/// What rows name. Models are made when first asked for and kept: many rows are of few models.
class Library {
 public:
  Library(std::span<const CatalogueModel> models, std::span<const Accelerator> accelerators,
          const Interconnect& interconnect)
      : models_(models), accelerators_(accelerators), interconnect_(&interconnect) {}

  const Model* model(std::string_view id) const;        ///< null = not known
  std::string_view release(std::string_view id) const;  ///< "2025-04"; "" = not known
  std::span<const Accelerator> accelerators() const { return accelerators_; }
  const Interconnect& interconnect() const { return *interconnect_; }

 private:
  std::span<const CatalogueModel> models_;
  std::span<const Accelerator> accelerators_;
  const Interconnect* interconnect_;
  mutable std::map<std::string, Model, std::less<>> made_;
};

/// Adds the predictions of one row, or the reason why there are none.
void check_row(const Json& row, const Library& library, Outcome& outcome);

/// A file of rows, one JSON object a line; a line that cannot be read is skipped with its number.
Outcome check_lines(std::string_view text, const Library& library);

}  // namespace vram::check
