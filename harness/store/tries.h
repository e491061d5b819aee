#pragma once

#include <string>
#include <vector>

namespace pacbench::store {

/// The earlier tries of a cell that was run again: folders tries/NAME.1, tries/NAME.2, ... of the
/// run, each as the cell's own folder was. In the order in which they were made.
std::vector<std::string> earlier_tries(const std::string& run_folder, const std::string& cell_name);

/// Moves what was recorded of a cell to the next of these folders. Throws std::system_error.
void set_aside(const std::string& run_folder, const std::string& cell_name);

/// Makes an earlier try the cell's own, and what was the cell's own takes its place.
/// Throws std::system_error.
void bring_back(const std::string& run_folder, const std::string& cell_name,
                const std::string& earlier_try);

}  // namespace pacbench::store
