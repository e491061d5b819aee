#include "analysis/report/schema_values.h"

namespace pacbench::report {

using namespace schema;

Json spread_schema() {
  return or_null(whole_object(
      {{"median", any_number()}, {"minimum", any_number()}, {"maximum", any_number()}}));
}

Json censored_schema() {
  return whole_object(
      {{"median",
        described(number_or_null(), "null: half or more never reached the target, or total is 0")},
       {"minimum", number_or_null()},
       {"maximum",
        described(number_or_null(), "null: some never reached the target, or total is 0")},
       {"reached", integer_from(0)},
       {"total", integer_from(0)}});
}

Json interval_schema() {
  return or_null(whole_object({{"low", described(number_or_null(), "null: not reached")},
                               {"high", described(number_or_null(), "null: not reached")},
                               {"coverage", schema::ratio()}}));
}

}  // namespace pacbench::report
