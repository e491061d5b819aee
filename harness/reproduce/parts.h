#pragma once

#include <string>

#include "harness/reproduce/reproduction.h"

namespace pacbench::reproduce {

/// Parts of the Markdown document, each ending in a newline: what each arm says of a claim, why it
/// is another number, and all measurements folded away;
std::string claim_markdown(const ClaimAnswer& answer);

/// times per iteration, a table for each network.
std::string steps_markdown(const std::vector<StepMatrix>& matrices);

/// Table 1, one for each link.
std::string table_1_markdown(const std::vector<Table1>& tables);

}  // namespace pacbench::reproduce
