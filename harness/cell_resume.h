#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "spec/scenario.h"

namespace pacbench {

/// A state of all ranks that a worker of role learn has left.
struct SavedState {
  std::string path;
  std::int64_t iteration = 0;  ///< after which it was saved
};

/// The states in a cell's folder, the newest first.
std::vector<SavedState> saved_states(const std::string& cell_folder);

/// Removes all states, and what was left of one.
void remove_states(const std::string& cell_folder);

/// What a cell in `cell_folder` can go on from: the newest state of which every line up to it was
/// recorded, of each rank, and the evaluation and the sample of gradients when they were due. Lines
/// after it, and those about the cell's end, are then cut off its files, each in one step. An empty
/// path when there is no such state, or when the cell failed and would do so again; nothing is then
/// touched.
SavedState rewind_cell(const std::string& cell_folder, const Scenario& scenario);

}  // namespace pacbench
