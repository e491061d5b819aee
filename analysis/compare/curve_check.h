#pragma once

#include <string>

#include "analysis/compare/gate.h"

namespace pacbench::compare {

/// Returns why equal bits are not promised between these cells; empty where they are promised. The
/// reason is that cells computed on GPUs, or that another CPU model, number of cores or torch
/// version adds floats in another order.
std::string why_no_bits(const std::vector<RecordedCell>& base,
                        const std::vector<RecordedCell>& next);

/// Checks that the learning curves of all cells equal that of the first base cell bit by bit:
/// iteration, accuracy and loss of each evaluation. Another base cell that differs makes the check
/// kUnstable, a new cell that differs makes it kBroken. Nothing shows of a single base run of a
/// user's own program that seeds decide its curve; there a difference is kUnstable too. Where
/// why_no_bits() gives a reason, the check becomes kNotAsked.
void check_curve(const std::vector<RecordedCell>& base, const std::vector<RecordedCell>& next,
                 GateCheck& check);

}  // namespace pacbench::compare
