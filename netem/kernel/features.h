#pragma once

#include <string>
#include <vector>

#include "contract/fabric/netd_protocol.h"

namespace pacbench::netem {

/// Tries each kernel feature that links may need, each in a network namespace of its own that is
/// removed afterwards. The calling thread then is in its earlier namespace again. `refusal` says
/// why no namespace can be made; it is empty when one can. With a refusal, nothing is tried and
/// every feature is reported as missing for this reason.
std::vector<netd::Feature> try_features(const std::string& refusal);

/// Throws std::runtime_error when one of the features in `names` cannot be used. The message has
/// the reason, as a rule in the kernel's words, and the cure.
void require_features(const std::vector<std::string>& names);

}  // namespace pacbench::netem
