#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/reproduce/evidence.h"

namespace pacbench::reproduce {

/// One setting that a claim is about, with one of its baselines.
struct Need {
  std::string network;
  std::string dataset;              ///< empty: any, since the time of a step hardly depends on it
  std::optional<double> rate_mbit;  ///< absent: any
  std::string baseline;             ///< kind of arm
};

/// Every combination of a claim's settings and baselines; none for a claim without workloads or
/// without baselines.
std::vector<Need> needs_of(const Claim& claim);

/// The index of the evidence that answers the need best, among evidence that counts. Evidence with
/// a value is best, then evidence with a limit, then the rest. Among equals, more seeds are better,
/// then the first is taken. Nothing when no evidence answers. Adds the indices of all answers to
/// `answering`.
std::optional<std::size_t> best_answer(const Need& need, const Claim& claim,
                                       const std::vector<Evidence>& evidence,
                                       std::set<std::size_t>& answering);

}  // namespace pacbench::reproduce
