#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "spec/scenario.h"

namespace pacbench::cell {

/// A state of all ranks that a worker of role learn has left.
struct SavedState {
  std::string path;
  std::int64_t iteration = 0;  ///< after which it was saved
};

/// The states in a cell's folder, the newest first.
std::vector<SavedState> saved_states(const std::string& cell_folder);

/// Removes all states, and what was left of one.
void remove_states(const std::string& cell_folder);

/// The first line of each of a cell's files that is no event or not whole, in words.
std::vector<std::string> broken_lines(const std::string& cell_folder);

/// What a cell in `cell_folder` can go on from: the newest state of which every line up to it was
/// recorded, of each rank, and the evaluation and the sample of gradients when they were due. Lines
/// after it, and those about the cell's end, are then cut off its files, each in one step. An empty
/// path when there is no such state, or when a worker reported a failure, which would come again;
/// nothing is then touched. A broken line ends what was recorded in its file.
SavedState rewind_cell(const std::string& cell_folder, const Scenario& scenario);

}  // namespace pacbench::cell
