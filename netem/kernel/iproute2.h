#pragma once

#include <string>
#include <vector>

#include "contract/fabric/netd_protocol.h"
#include "netem/plan/fabric_plan.h"

namespace pacbench::netem {

/// Feeds a batch to its program in the calling thread's namespace. Errors call this namespace
/// `where`.
/// Throws CommandFailed with the line that failed, as one could type it, and the program's own
/// words. Throws std::runtime_error with the package to install when the program is missing.
void run_batch(const Batch& batch, const std::string& where);

/// Tries each kernel feature that links may need, each in a network namespace of its own that is
/// removed afterwards. The calling thread then is in its earlier namespace again. `refusal` says
/// why no namespace can be made; it is empty when one can. With a refusal, nothing is tried and
/// every feature is reported as missing for this reason.
std::vector<netd::Feature> try_features(const std::string& refusal);

/// Throws std::runtime_error when one of the features in `names` cannot be used. The message has
/// the reason, as a rule in the kernel's words, and the cure.
void require_features(const std::vector<std::string>& names);

}  // namespace pacbench::netem
