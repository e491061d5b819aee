#pragma once

#include <string>

namespace pacbench::store {

/// Whether a cell failed because training diverged. Such a cell would diverge again; a cell that
/// failed for any other reason (a time-out, no memory, a full disk) says nothing of its method.
/// Throws as for_each_event does.
bool has_diverged(const std::string& cell_folder);

}  // namespace pacbench::store
