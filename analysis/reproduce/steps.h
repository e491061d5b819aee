#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/reproduce/contrast.h"
#include "analysis/reproduce/method_facts.h"

namespace pacbench::reproduce {

/// Time per iteration of one method over one link.
struct StepTime {
  std::string label;
  statistics::Spread seconds;
  /// The number of steps of the cell with the fewest. A cell's first step does not count, unless it
  /// is the cell's only one.
  std::int64_t steps = 0;
  std::optional<Estimate> speed_up;  ///< against the link's first all-reduce
  MethodFacts facts;
  bool suspect = false;
  bool cpu_bound = false;
};

struct StepColumn {
  Setting setting;
  std::string link;  ///< its name in the scenario
  std::string name;  ///< of the scenario
  std::vector<StepTime> times;
};

/// Links with the same network, data set, mode, computing, workers and batch, side by side.
struct StepMatrix {
  std::string network;
  std::string dataset;
  Mode mode = Mode::kEmulate;
  std::string computing;
  int workers = 0;
  int batch_per_worker = 0;
  std::vector<StepColumn> columns;
};

/// Groups all timed links into matrices, without those at half and double speed. Columns are in the
/// order of topology, then rate.
std::vector<StepMatrix> step_matrices(const std::vector<MeasuredLink>& links,
                                      const Catalogue& catalogue);

}  // namespace pacbench::reproduce
