#pragma once

#include <optional>
#include <string>

#include "base/subprocess.h"
#include "harness/machine/disturbance.h"
#include "harness/machine/process_channel.h"

namespace pacbench {

/// A `pacbench-probe meter` that watches this machine as long as the object lives.
class Meter {
 public:
  /// Starts `program`, the path of pacbench-probe. Where it cannot be started, or ends, nothing is
  /// measured from then on, and failure() says why.
  explicit Meter(const std::string& program);

  /// Takes in what it has reported, without waiting.
  void read();

  /// Waits until everything before now has been reported, at most 2 s, and returns what was
  /// measured from `from_ns` (CLOCK_MONOTONIC) until now.
  MachineTrace since(std::int64_t from_ns);

  /// Forgets what ended before `at_ns`.
  void forget_before(std::int64_t at_ns) { lines_.forget_before(at_ns); }

  const std::string& failure() const { return failure_; }

 private:
  ProcessChannel channel_;
  std::optional<ChildProcess> process_;
  MeterLines lines_;
  std::string failure_;
};

}  // namespace pacbench
