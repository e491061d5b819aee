#pragma once

namespace pacbench::netem {

/// While an object lives, and where it is allowed, this process has a higher priority than all
/// workers, their real-time threads included, so that it acts on time. Processes that it starts
/// meanwhile begin in the ordinary class.
class BeforeWorkers {
 public:
  BeforeWorkers();
  BeforeWorkers(const BeforeWorkers&) = delete;
  BeforeWorkers& operator=(const BeforeWorkers&) = delete;
  ~BeforeWorkers();
};

}  // namespace pacbench::netem
