#pragma once

#include <cstddef>
#include <cstdint>

namespace pacbench::statistics {

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014, figure 14). The distributions of the standard
/// library are each implementation's own; what is drawn here is the same on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_{seed} {}

  std::uint64_t next() {
    auto bits = (state_ += 0x9E3779B97F4A7C15);
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB;
    return bits ^ (bits >> 31);
  }

  /// A number in [0, bound), `bound` from 1 to 2^32; off from uniform by less than bound / 2^32.
  std::size_t below(std::size_t bound) { return ((next() >> 32) * bound) >> 32; }

 private:
  std::uint64_t state_;
};

}  // namespace pacbench::statistics
