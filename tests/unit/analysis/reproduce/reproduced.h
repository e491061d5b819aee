#pragma once

#include "analysis/reproduce/reproduction.h"
#include "tests/unit/analysis/reproduce/paper_run.h"

namespace pacbench::reproduce {

/// The shipped claims of PacTrain's paper, claims/pactrain.json.
const Claims& pactrain();

/// Compares the runs with pactrain()'s claims, with the methods of example_catalogue().
Reproduction reproduced(const std::vector<store::NamedResult>& runs);

/// Compares the run with the shipped claims of a paper, such as "exdyna".
Reproduction reproduced(const std::string& paper, const RunResult& run);

/// The answer to the claim of that name. Throws std::out_of_range when there is none.
const ClaimAnswer& claim(const Reproduction& reproduction, const std::string& id);

/// The arm of that label. Throws std::out_of_range when there is none.
const ArmAnswer& arm(const Judgement& judgement, const std::string& label);

}  // namespace pacbench::reproduce
