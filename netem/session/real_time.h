#pragma once

namespace pacbench::netem {

/// While one lives, and where it is allowed, this process runs before all workers, whose threads
/// in real-time classes included, so that what it has to do at a moment is done at that moment.
/// What it starts meanwhile begins in the ordinary class.
class BeforeWorkers {
 public:
  BeforeWorkers();
  BeforeWorkers(const BeforeWorkers&) = delete;
  BeforeWorkers& operator=(const BeforeWorkers&) = delete;
  ~BeforeWorkers();
};

}  // namespace pacbench::netem
