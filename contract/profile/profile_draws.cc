#include "contract/profile/profile_draws.h"

namespace pacbench {

std::uint64_t draw_key(std::uint64_t seed, int rank, std::int64_t iteration, std::size_t place) {
  auto key = seed;
  for (const auto part : {static_cast<std::uint64_t>(rank), static_cast<std::uint64_t>(iteration),
                          static_cast<std::uint64_t>(place)}) {
    key = (key ^ part) * 0x9E3779B97F4A7C15U;
    key ^= key >> 29;
  }
  return key;
}

DrawnIterations::DrawnIterations(const Profile& profile, std::int64_t seed, int rank)
    : seed_{static_cast<std::uint64_t>(seed)},
      rank_{rank},
      place_{profile.sample.counts.size()},
      iterations_{profile.iterations_of(rank)} {}

const Profile::Iteration& DrawnIterations::of(std::int64_t iteration) const {
  return iterations_[draw_key(seed_, rank_, iteration, place_) % iterations_.size()];
}

}  // namespace pacbench
