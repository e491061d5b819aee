#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/reproduce/measured.h"
#include "contract/catalogue/catalogue.h"

namespace pacbench::reproduce {

/// The facts about a method that our tables show beside its times. Some are columns of Table 1 of
/// the PacTrain paper (section IV) too. All values are ours.
struct MethodFacts {
  std::optional<double> ring_traffic;  ///< see Quantity::kRingTraffic
  std::optional<MethodTraits> traits;  ///< absent for a method that this build does not have

  /// Whether a worker sends at most twice what a ring all-reduce of the same payload would; absent
  /// when nothing was counted.
  std::optional<bool> all_reduce_compatible() const;
};

MethodFacts facts_of(const MeasuredLink& link, const report::ReportRow& row,
                     const Catalogue& catalogue);

/// Add "ring_traffic", "all_reduce_compatible" and "traits" to a node, and their schema to
/// properties.
void add_facts(Json& node, const MethodFacts& facts);
void add_facts_schema(Json& properties);

}  // namespace pacbench::reproduce
