#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/subprocess.h"
#include "harness/machine/disturbance.h"
#include "harness/machine/process_channel.h"

namespace pacbench {

/// A `pacbench-probe meter` that watches this machine as long as the object lives. A thread reads
/// its lines, so that they never wait.
class Meter {
 public:
  /// Starts `program`, the path of pacbench-probe. Where it cannot be started, or ends, nothing is
  /// watched from then on.
  explicit Meter(const std::string& program);
  ~Meter();
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;

  /// Waits until everything before now has been reported, at most 2 s, and returns what was
  /// measured from `from_ns` (CLOCK_MONOTONIC) until now.
  MachineTrace since(std::int64_t from_ns);

  void forget_before(std::int64_t at_ns);

 private:
  void listen();
  void read();

  ProcessChannel channel_;
  std::optional<ChildProcess> process_;
  std::atomic<bool> ends_ = false;
  std::mutex mutex_;  ///< of channel_, lines_ and works_
  std::condition_variable has_read_;
  MeterLines lines_;
  bool works_ = true;
  std::thread reader_;
};

}  // namespace pacbench
