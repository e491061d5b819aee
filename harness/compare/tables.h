#pragma once

#include <string>
#include <vector>

#include "harness/compare/comparison.h"
#include "harness/table.h"

namespace pacbench::compare {

/// The checks of the gate that are broken or inconclusive.
Table gate_table(const Comparison& comparison);

/// One row for each time that was tested.
Table times_table(const Comparison& comparison);

/// One row for each number that carries over between machines.
Table carried_table(const Comparison& comparison);

/// What the sides are: scenario, machine, runs and commits.
std::vector<std::string> heading_lines(const Comparison& comparison);

/// What the gate came to, and what it was not asked and why.
std::vector<std::string> gate_lines(const Comparison& comparison);

/// How the times were tested, and what was left out.
std::vector<std::string> times_lines(const Comparison& comparison);

/// The outcome, with what led to it, and what to do.
std::vector<std::string> verdict_lines(const Comparison& comparison);

}  // namespace pacbench::compare
