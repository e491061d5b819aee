#pragma once

#include <string>

#include "analysis/compare/gate.h"

namespace pacbench::compare {

/// Why equal bits are not promised between these cells. They computed on GPUs, or another CPU
/// model, number of cores or torch version adds floats in another order. Empty where equal bits are
/// promised.
std::string why_no_bits(const std::vector<RecordedCell>& base,
                        const std::vector<RecordedCell>& next);

/// Checks that the learning curves of all cells equal that of the first base cell bit by bit:
/// iteration, accuracy and loss of each evaluation. The check is not asked where why_no_bits()
/// gives a reason.
void check_curve(const std::vector<RecordedCell>& base, const std::vector<RecordedCell>& next,
                 GateCheck& check);

}  // namespace pacbench::compare
