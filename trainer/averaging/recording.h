#pragma once

#include <cstdint>

namespace pacbench::trainer {

/// What a recording of a method's exchanges must know (modes compose and simulate replay it). The
/// defaults suit a method whose ranks all do the same in every iteration.
struct Recording {
  /// Whether all ranks make the same calls with equal payloads, and treat all other ranks alike, so
  /// that one rank's calls show those of all. If not, every rank is recorded.
  bool ranks_are_alike = true;
  /// Whether a bucket's exchange can end before another one of the iteration has begun.
  bool ends_alone = true;
  /// The number of iterations at the start whose exchanges differ from those of later iterations. A
  /// measurement leaves them out. It skips them, except the first iterations_to_decide, which it
  /// must run: these tell the method what the later exchanges are.
  std::int64_t iterations_to_settle = 0;
  std::int64_t iterations_to_decide = 0;
  /// The number of iterations after which the calls repeat.
  std::int64_t period = 1;
};

}  // namespace pacbench::trainer
