#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/report/report.h"
#include "contract/scenario/target.h"

namespace pacbench::adapt {

/// How long one way of training takes to a target over links of constant rates.
struct Arm {
  std::string label;
  std::map<double, double> tta_s;  ///< by the rate in Mbit/s, at least one

  /// Between two measured rates a constant and a part in proportion to 1 / rate, as computing and
  /// bytes are; below the lowest the same line goes on; above the highest the time stays as it is.
  /// Throws std::invalid_argument without a time, or for a rate that is not above 0.
  double tta_at(double rate_mbit) const;
};

/// The arms of a report: rows that reached the target with all seeds at every rate, over links
/// that were as declared.
struct Arms {
  Target target;
  std::vector<double> rates_mbit;          ///< ascending
  std::vector<Arm> medians;                ///< over the seeds
  std::vector<std::vector<Arm>> of_seeds;  ///< of each seed, in the order of `medians`
  std::vector<std::string> left_out;       ///< labels of the other rows
};

/// Finds the arms of a section whose links differ in nothing but a constant rate; `target` is a
/// place among its targets. Throws ConfigError naming `source` when the links are not such, when
/// there is no such target, and when no row is an arm.
Arms arms_of(const std::string& source, const report::ReportSection& section, std::size_t target);

}  // namespace pacbench::adapt
