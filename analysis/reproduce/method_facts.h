#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/reproduce/measured.h"
#include "contract/catalogue/catalogue.h"

namespace pacbench::reproduce {

/// The facts of Table 1 (section IV) about a method beside its times, the paper's and ours.
struct MethodFacts {
  std::optional<double> ring_traffic;  ///< see Quantity::kRingTraffic
  std::optional<MethodTraits> traits;  ///< absent of a method that this build does not have

  /// A worker sends at most twice what a ring all-reduce of the same payload would.
  std::optional<bool> all_reduce_compatible() const;
};

MethodFacts facts_of(const MeasuredLink& link, const report::ReportRow& row,
                     const Catalogue& catalogue);

/// "ring_traffic", "all_reduce_compatible" and "traits", and their schema.
void add_facts(Json& node, const MethodFacts& facts);
void add_facts_schema(Json& properties);

}  // namespace pacbench::reproduce
