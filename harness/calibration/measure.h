#pragma once

#include <vector>

#include "harness/calibration/plan.h"
#include "harness/calibration/result.h"
#include "harness/links/fabric.h"
#include "harness/links/probing.h"

namespace pacbench::calibration {

/// Carries out tests of flows, messages and rate steps, on one network, one after another.
class Measurer {
 public:
  /// `probe`: the path of pacbench-probe.
  Measurer(links::Fabric& fabric, const Network& shape, const std::string& probe,
           const Interrupt& interrupt);

  /// Runs a test and returns its rows. Throws what Probing throws, and ProtocolError when the
  /// daemon made a rate change of the test too late.
  std::vector<Row> run(const Test& test);

 private:
  std::vector<Row> flow(const Test& test);
  std::vector<Row> ring(const Test& test);
  std::vector<Row> messages(const Test& test);
  std::vector<Row> incast(const Test& test);
  std::vector<Row> rate_steps(const Test& test);

  links::Fabric& fabric_;
  Network shape_;
  links::Probing probing_;
};

}  // namespace pacbench::calibration
