#include "tests/unit/contract/schema_check.h"

#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

namespace pacbench::testing {

std::string first_schema_error(const Json& schema, const Json& document) {
  using valijson::adapters::NlohmannJsonAdapter;
  valijson::Schema parsed;
  valijson::SchemaParser parser;
  parser.populateSchema(NlohmannJsonAdapter{schema}, parsed);
  // With strong types "8" does not pass for the number 8.
  valijson::Validator validator{valijson::Validator::kStrongTypes};
  valijson::ValidationResults results;
  if (validator.validate(parsed, NlohmannJsonAdapter{document}, &results)) return "";
  valijson::ValidationResults::Error error;
  results.popError(error);
  std::string where;
  for (const auto& step : error.context) where += step;
  return where + ": " + error.description;
}

}  // namespace pacbench::testing
