#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "contract/scenario/scenario.h"

namespace pacbench::store {

/// A state of all ranks that a worker of role learn has left.
struct SavedState {
  std::string path;
  std::int64_t iteration = 0;  ///< after which it was saved
};

/// The states in a cell's folder, the newest first.
std::vector<SavedState> saved_states(const std::string& cell_folder);

/// Deletes all saved states, also unfinished ones; returns the names of the files.
std::vector<std::string> remove_states(const std::string& cell_folder);

/// The first line that is no event or is incomplete, in words, for each of a cell's events.jsonl,
/// iterations.jsonl and curve.jsonl that has such a line.
std::vector<std::string> broken_lines(const std::string& cell_folder);

/// A cell that goes on from a state, or from the beginning where there is none.
struct Rewound {
  SavedState state;
  std::vector<std::string> deleted;  ///< in words: "2 lines of curve.jsonl"
};

/// Takes a cell in `cell_folder` back to the newest state from which it can go on. Up to this state
/// every line of each rank was recorded; so were the evaluation and the gradient sample of the
/// state's iteration, if due. The cell's numbers are deleted; then lines after the state and those
/// about the cell's end are cut off its files, each file in one step. All states stay. Without such
/// a state the returned state's path is empty and nothing is touched. A broken line ends what was
/// recorded in its file. A failure that a worker reported does not matter: a state is written in
/// one step, so an existing state is whole.
Rewound rewind_cell(const std::string& cell_folder, const Scenario& scenario);

/// Deletes all that was recorded of a cell, its numbers first; returns what that was, in words.
std::vector<std::string> delete_cell(const std::string& cell_folder);

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
