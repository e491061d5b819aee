#pragma once

#include <string>
#include <vector>

#include "contract/fabric/netd_protocol.h"

namespace pacbench::netem {

/// Tries everything that links can be made of, each in a namespace of its own that is gone
/// afterwards. The calling thread's namespace is as before. `refusal` is why there can be no
/// namespaces at all; then nothing is tried and every feature is missing for this reason. It is
/// empty when namespaces can be made.
std::vector<netd::Feature> try_features(const std::string& refusal);

/// Throws std::runtime_error with the kernel's words and the cure when one of the features `names`
/// is missing.
void require_features(const std::vector<std::string>& names);

}  // namespace pacbench::netem
