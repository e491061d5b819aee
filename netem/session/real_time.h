#pragma once

namespace pacbench::netem {

/// While one lives, and where it is allowed, this process runs before all workers, their real-time
/// threads included, so that it acts at the moment it has to. Processes that it starts meanwhile
/// begin in the ordinary class.
class BeforeWorkers {
 public:
  BeforeWorkers();
  BeforeWorkers(const BeforeWorkers&) = delete;
  BeforeWorkers& operator=(const BeforeWorkers&) = delete;
  ~BeforeWorkers();
};

}  // namespace pacbench::netem
