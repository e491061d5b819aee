#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "contract/profile/profile.h"

namespace pacbench {

/// The key of a random draw for a rank's iteration (from 1), in modes compose and simulate. The
/// same key gives the same draw. `place` separates the draws of one iteration.
std::uint64_t draw_key(std::uint64_t seed, int rank, std::int64_t iteration, std::size_t place);

/// Draws one of the profile's iterations for each iteration of a rank. The rank then computes for
/// as long as the drawn iteration says.
class DrawnIterations {
 public:
  DrawnIterations(const Profile& profile, std::int64_t seed, int rank);

  const Profile::Iteration& of(std::int64_t iteration) const;

 private:
  std::uint64_t seed_;
  int rank_;
  std::size_t place_;  ///< the place of these draws, after those of the sample's parameters
  std::vector<Profile::Iteration> iterations_;
};

}  // namespace pacbench
