// docs/MODELS.md: every model of the catalogue with what the importer makes of it, beside what is known of it.
//
// The text is a function of assets/models.json and tests/data/models_expected.json alone, so that a check can compare
// the published page with a fresh one.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/import/catalogue.h"

namespace vram {

/// Numbers known of a model from elsewhere; nothing where they are not known. Caches in values, not bytes.
struct KnownModel {
  std::string id;
  std::optional<double> kv_per_token, windowed_per_token, indexer_per_token, state_per_sequence;
};
/// Reads tests/data/models_expected.json. Errors: what parse_json says, and models_table.no_columns.
Result<std::vector<KnownModel>> known_models_from_json(std::string_view json);

struct ModelTableRow {
  const CatalogueModel* model = nullptr;
  Origin origin = Origin::config;
  Count text, vision, audio, mtp, total, active;
  Count counted;  ///< over the parts that the published total counts
  Bytes weights;  ///< as the checkpoint stores them
  Count kv_per_token, windowed_per_token, indexer_per_token, state_per_sequence;  ///< values
  std::uint32_t window = 0;
  const KnownModel* known = nullptr;  ///< nullptr: nothing known

  double deviation() const;  ///< counted / published − 1
};
std::vector<ModelTableRow> models_table(std::span<const CatalogueModel> models, std::span<const KnownModel> known);

/// The page, in Markdown.
std::string models_markdown(std::span<const ModelTableRow> rows);

}  // namespace vram
