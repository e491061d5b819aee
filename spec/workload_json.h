#pragma once

#include "spec/scenario.h"

namespace pacbench {

/// The canonical JSON of a choice: its options and "name" in one object.
Json choice_to_json(const Choice& choice);

/// The canonical JSON of a workload: every default filled in.
Json workload_to_json(const Workload& workload);

/// The inverse, for documents that pacbench itself wrote: everything must be there, nothing is
/// checked again. Throw nlohmann::json::exception.
Choice choice_from_canonical_json(const Json& node);
Workload workload_from_canonical_json(const Json& node);

}  // namespace pacbench
