// The built-in catalogue of models: assets/models.json, one model a line, edited by hand.
//
//   { "id": "Qwen/Qwen3-32B", "name": "Qwen3 32B", "family": "Qwen3",
//     "config": { …the fields of that model's config.json that the importer reads… },
//     "total": 32762123264, "total_status": "computed", "counts": ["text"], "source": "config; computed", … }
//
// A row's `config` is read by the same importer as an opened file: there is no second path to a model. Rows whose
// dimensions nobody published have a "size" instead and become a model of known size and unknown shape.
//
// Left out: total_status "exact", counts ["text"], verified true.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/import/config.h"
#include "core/model/model.h"
#include "core/units/json.h"
#include "core/units/result.h"

namespace vram {

enum class TotalStatus : std::uint8_t {
  exact,     ///< published to the last parameter, and counted independently of our rules
  computed,  ///< our own sum: says nothing about itself
  fitted,    ///< published, but a part nobody described was sized by it: says nothing either
  label,     ///< a rounded figure
};

struct CatalogueModel {
  std::string id, name, family;
  std::vector<std::string> aliases;
  Json config;       ///< null when only the size is known
  Count size;        ///< of a model without config; 0 otherwise
  Count parameters;  ///< as published or computed, over `counts`; of a row without config its size
  TotalStatus total_status = TotalStatus::exact;
  std::vector<Part> counts;  ///< the parts that `parameters` counts
  Count active;              ///< for one token, of models with experts; 0 = all
  std::int64_t context = 0;  ///< tokens the config allows; 0 = not known
  bool verified = true;      ///< dimensions were read in a source, not recalled or derived
  std::vector<std::string> unverified_fields;
  std::string source, release, license;

  std::vector<std::string> words;  ///< what a search looks at: lower case, Latin letters, numbers apart from names
};

/// Errors: what parse_json says, and catalogue.bad_row {row, field}.
Result<std::vector<CatalogueModel>> models_from_json(std::string_view json);

/// The row with this id; nullptr when there is none.
const CatalogueModel* find_model(std::span<const CatalogueModel> models, std::string_view id);

/// The row as a model. Its notes say what nobody confirmed.
Result<Model> model_of(const CatalogueModel& row);

/// A model of which only the number of parameters is known. With a number of active ones it is given a shape that has
/// both: experts of which one is used. No layer, no cache.
Model size_only_model(std::string name, Count parameters, Count active);

/// Rows that the query names, the best first; all of them, in their order, when it names nothing. Understands Latin and
/// Cyrillic spelling: "qwen3 32b" and "квен 3 32б" find the same.
std::vector<const CatalogueModel*> search_models(std::span<const CatalogueModel> models, std::string_view query);

/// The words of a text as a search compares them (catalogue_search.cpp).
std::vector<std::string> search_words(std::string_view text);

}  // namespace vram
