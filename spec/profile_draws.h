#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "spec/profile.h"

namespace pacbench {

/// What mode compose draws from a profile for a rank's iteration (from 1) is the same every time it
/// is asked; `place` tells apart what is drawn for one iteration.
std::uint64_t draw_key(std::uint64_t seed, int rank, std::int64_t iteration, std::size_t place);

/// How long each iteration of a rank computes: one of the profile's, drawn for it.
class DrawnIterations {
 public:
  DrawnIterations(const Profile& profile, std::int64_t seed, int rank);

  const Profile::Iteration& of(std::int64_t iteration) const;

 private:
  std::uint64_t seed_;
  int rank_;
  std::size_t place_;  ///< beyond those of the sample's parameters
  std::vector<Profile::Iteration> iterations_;
};

}  // namespace pacbench
