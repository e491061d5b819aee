#pragma once

#include <vector>

#include "harness/calibration/measure.h"

namespace pacbench::calibration {

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
