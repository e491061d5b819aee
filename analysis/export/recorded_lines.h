#pragma once

#include <functional>
#include <string>

#include "contract/result/result.h"
#include "harness/store/files.h"

namespace pacbench::exports {

/// Whether a cell's files may end in half a line: no where the cell is done, yes otherwise.
store::Broken broken_lines_of(const CellResult& cell);

/// Hands over the events of one kind in a file, one after the other. Throws as for_each_event
/// does, and ConfigError naming file and line when `take` throws Json::exception.
void for_each_of(const std::string& path, const char* kind, store::Broken broken,
                 const std::function<void(const Json& event)>& take);

}  // namespace pacbench::exports
