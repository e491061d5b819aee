#pragma once

#include <string>
#include <vector>

#include "harness/store/recorded_run.h"

namespace pacbench::verify {

/// The findings about the recorded numbers of a run.
struct NumbersCheck {
  int cells = 0;  ///< recomputed
  /// Recomputed cells that were kept without the lines of their iterations: of these, only numbers
  /// from curve and events were checked.
  int without_iterations = 0;
  /// Folders of cells that have not ended, or that a killed run left out of result.json.
  std::vector<std::string> missing;
  std::vector<std::string> findings;  ///< file, place, found, expected
};

/// Recomputes each of `cells` from its raw lines and compares each number with cell.json and with
/// result.json, and reports the first difference in each file. Also compares the times of
/// evaluations in modes compose and simulate, and reports entries of result.json that are no cell
/// of the scenario or repeat one. A cell of mode learn may be kept without the lines of its
/// iterations; then only the numbers that follow from its curve and events are compared. The
/// scenario and hash in result.json, and the hashes in the manifest, are compared with the
/// manifest's scenario. Cells that have not come to their end are listed as missing, even where one
/// of these files has them.
NumbersCheck verify_numbers(const store::RecordedRun& run, const std::vector<plan::Cell>& cells);

/// Returns `expected`, the numbers of a cell, with the reasons of verdicts in the words of `found`
/// where both reasons have the same numbers in them: a later pacbench may word a reason better.
Json in_recorded_words(const Json& found, Json expected);

}  // namespace pacbench::verify
