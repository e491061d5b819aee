#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/report/report.h"
#include "harness/text/table.h"

namespace pacbench::report {

/// The numbers of a simulated method at one number of workers.
struct ScalingPoint {
  int workers = 0;
  double mean_iteration_s = 0;
  /// Samples per second and worker, divided by the same quantity at the fewest workers;
  /// docs/STATISTICS.md, "Scaling".
  double efficiency = 1;
  double speed_up = 1;  ///< samples per second, divided by those of the fewest workers
  std::optional<double> busiest_link_bytes;  ///< per iteration
};

/// A simulated method with one workload over one kind of links, by the number of workers,
/// ascending.
struct ScalingSeries {
  std::string label;
  std::string workload;  ///< as workload_words() says it, which leaves out the batch
  std::string link;      ///< its name in the scenarios
  std::string topology;
  double rate_mbit = 0;  ///< of the link's slower direction
  std::vector<ScalingPoint> points;
};

/// The series of a report's simulated sections. A series needs a method and workload over links of
/// one name, topology and rate with two numbers of workers or more. Where sections repeat a number
/// of workers, the first is taken.
std::vector<ScalingSeries> scaling(const std::vector<ReportSection>& sections);

Json to_json(const std::vector<ScalingSeries>& all);

/// One row for each point; no rows without series. Its title is kScalingTitle.
Table scaling_table(const std::vector<ScalingSeries>& all);
inline constexpr const char* kScalingTitle =
    "Simulated scaling: mean time per iteration by number of workers; speed-up and efficiency "
    "compare samples per second with those of the fewest workers";

}  // namespace pacbench::report
