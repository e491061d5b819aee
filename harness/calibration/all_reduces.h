#pragma once

#include <vector>

#include "harness/calibration/measure.h"

namespace pacbench::calibration {

/// Times all-reduces with the real worker, one in each slot (role measure): a row for each test,
/// all of one rate, and the scheduling floors with and without the real-time class.
/// Throws ProtocolError naming the rank when a worker fails, Interrupted on Ctrl-C.
struct AllReduces {
  std::vector<Row> rows;
  bool real_time = false;  ///< communication threads were in a real-time class
};
AllReduces time_all_reduces(Subjected network, const Network& shape, const std::vector<Test>& tests,
                            const std::string& worker, const Interrupt& interrupt);

}  // namespace pacbench::calibration
