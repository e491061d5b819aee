#pragma once

#include <cstdint>
#include <vector>

#include "base/cpu_times.h"
#include "harness/calibration/plan.h"
#include "harness/calibration/result.h"
#include "harness/links/fabric.h"
#include "harness/links/probing.h"
#include "harness/machine/interrupt.h"

namespace pacbench::calibration {

/// Watches the CPUs that this process may use and a fabric's counters, from its construction on.
class Watch {
 public:
  explicit Watch(links::Fabric& fabric);

  /// The circumstances since the construction.
  Circumstances circumstances();

 private:
  struct State {
    std::int64_t at_ns = 0;
    CpuTimes cpus;
    std::int64_t pressed_us = 0;  ///< in which some task waited for a CPU
    std::int64_t dropped = 0;
    std::int64_t retransmits = 0;
  };

  State look();

  links::Fabric* fabric_;
  std::vector<int> cpus_;
  State start_;
};

/// Carries out a test of flows, messages or rate steps on a network of this shape, and returns its
/// rows. Throws what Probing throws, and ProtocolError when the daemon made a rate change of the
/// test too late.
std::vector<Row> run_test(const Test& test, const Network& shape, links::Fabric& fabric,
                          links::Probing& probing);

struct AllReduces {
  std::vector<Row> rows;
  bool real_time = false;  ///< communication threads were in a real-time class
};

/// How long the workers of time_all_reduces may all write nothing: a worker writes only when all
/// rounds of one test have ended.
double longest_silence_s(const Network& shape, const std::vector<Test>& tests);

/// Times all-reduces with the pacbench-worker at the path `worker` (role measure), one process for
/// each worker of `shape`. All tests must have the same rate. Returns a row for each test. A test
/// of kFloorBytes gives one more row, Quantity::kFloor. The last row is Quantity::kOrdinaryFloor.
/// Throws ProtocolError when a worker ends early, naming its rank, or when all workers are silent
/// for longer than longest_silence_s; Interrupted on Ctrl-C.
AllReduces time_all_reduces(links::Fabric& fabric, const Network& shape,
                            const std::vector<Test>& tests, const std::string& worker,
                            const Interrupt& interrupt);

}  // namespace pacbench::calibration
