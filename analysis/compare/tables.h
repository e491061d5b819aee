#pragma once

#include <string>
#include <vector>

#include "analysis/compare/comparison.h"
#include "harness/text/table.h"

namespace pacbench::compare {

/// The checks of the gate that are broken or inconclusive.
Table gate_table(const Comparison& comparison);

/// One row for each time whose verdict is not kUntested.
Table times_table(const Comparison& comparison);

/// One row for each number that is compared in place of times, where the machines differ.
Table carried_table(const Comparison& comparison);

/// The two sides: scenario, machine, runs and commits.
std::vector<std::string> heading_lines(const Comparison& comparison);

/// The outcome of the gate, and the checks that it left out, with the reasons.
std::vector<std::string> gate_lines(const Comparison& comparison);

/// Says how the times were tested, and what was left out.
std::vector<std::string> times_lines(const Comparison& comparison);

/// The outcome, with what led to it, and what to do.
std::vector<std::string> verdict_lines(const Comparison& comparison);

}  // namespace pacbench::compare
