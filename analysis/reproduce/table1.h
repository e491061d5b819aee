#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/reproduce/contrast.h"
#include "analysis/reproduce/method_facts.h"

namespace pacbench::reproduce {

/// The iterations and the time that a method takes to one target.
struct Table1Time {
  std::optional<double> iterations;        ///< median; absent: half or more never got there
  std::optional<double> iterations_ratio;  ///< all-reduce's over the method's: convergence speed
  std::optional<double> tta_s;             ///< median
  std::optional<Estimate> speed_up;        ///< of time to accuracy, against all-reduce
};

/// One method: the columns of PacTrain's Table 1, and others that the paper lacks.
struct Table1Row {
  std::string label;
  std::vector<Table1Time> times;  ///< to each target of the table
  MethodFacts facts;
  bool suspect = false;
  bool cpu_bound = false;
};

/// Table 1 of the PacTrain paper (section IV), measured over one link.
struct Table1 {
  Setting setting;
  std::string link;  ///< its name in the scenario
  std::string name;  ///< of the scenario
  int workers = 0;
  int batch_per_worker = 0;
  std::vector<double> targets;  ///< accuracies that all-reduce reached, at least one
  std::vector<Table1Row> rows;
};

/// A table for every timed link over which all-reduce reached an accuracy, in the order given,
/// without those at half and double speed.
std::vector<Table1> tables_1(const std::vector<MeasuredLink>& links, const Catalogue& catalogue);

}  // namespace pacbench::reproduce
