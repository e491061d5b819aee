#include "harness/statistics/spread_json.h"

namespace pacbench::statistics {
namespace {

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

}  // namespace

Json to_json(const std::optional<Spread>& value) {
  if (!value) return nullptr;
  return {{"median", value->median}, {"minimum", value->minimum}, {"maximum", value->maximum}};
}

Json to_json(const CensoredSpread& value) {
  return {{"median", or_null(value.median)},
          {"minimum", or_null(value.minimum)},
          {"maximum", or_null(value.maximum)},
          {"reached", value.reached},
          {"total", value.total}};
}

Json to_json(const std::optional<MedianInterval>& interval) {
  if (!interval) return nullptr;
  return {{"low", or_null(interval->low)},
          {"high", or_null(interval->high)},
          {"coverage", interval->coverage}};
}

}  // namespace pacbench::statistics
