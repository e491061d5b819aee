#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/reproduce/evidence.h"

namespace pacbench::reproduce {

/// One setting that a claim speaks of, with one of its baselines.
struct Need {
  std::string network;
  std::string dataset;  ///< empty: any, since nothing depends on it
  std::optional<double> rate_mbit;
  std::string baseline;
};

/// Every combination; none for a claim that speaks of no setting in particular.
std::vector<Need> needs_of(const Claim& claim);

/// The place of the evidence that answers it best, of what counts: measured before out of reach
/// before open, then by the number of seeds, then the first. All that answer go into `answering`.
std::optional<std::size_t> best_answer(const Need& need, const Claim& claim,
                                       const std::vector<Evidence>& evidence,
                                       std::set<std::size_t>& answering);

}  // namespace pacbench::reproduce
