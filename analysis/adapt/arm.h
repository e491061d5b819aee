#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/report/report.h"
#include "contract/scenario/target.h"

namespace pacbench::adapt {

/// The time that one way of training takes to a target over links of constant rates.
struct Arm {
  std::string label;
  std::map<double, double> tta_s;  ///< by the rate in Mbit/s, at least one

  /// Returns the time at a rate. Between two measured rates the time is a + b / rate, a line
  /// through both: a is the time for computing, b / rate that for bytes. Below the lowest rate the
  /// line through the two lowest goes on, but not below the time at the lowest. Above the highest
  /// rate, and everywhere if only one rate was measured, the time is constant. Throws
  /// std::invalid_argument when no time was measured, or for a rate that is not above 0.
  double tta_at(double rate_mbit) const;
};

/// The arms of a section. An arm is a row whose cells are all done over links as declared, and
/// whose seeds all reached the target at every rate. All arms have the same seeds: a row with other
/// seeds than the first arm is left out.
struct Arms {
  Target target;
  std::vector<double> rates_mbit;          ///< ascending
  std::vector<Arm> medians;                ///< over the seeds
  std::vector<std::vector<Arm>> of_seeds;  ///< for each seed its arms, in the order of `medians`
  std::vector<std::string> left_out;       ///< labels of the rows that are no arms
};

/// Finds the arms of a section whose links differ in nothing but a constant rate. `target` is an
/// index into the targets of the section's rows. Throws ConfigError naming `source` in mode learn,
/// when the links differ in more than a constant rate or have fewer than two rates, when the target
/// does not exist, and when no row is an arm as `Arms` says.
Arms arms_of(const std::string& source, const report::ReportSection& section, std::size_t target);

}  // namespace pacbench::adapt
