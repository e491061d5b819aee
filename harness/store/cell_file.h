#pragma once

#include <optional>
#include <string>
#include <vector>

#include "contract/result/result.h"
#include "harness/store/recorded_files.h"

namespace pacbench::store {

/// cell.json: the numbers of a cell that has ended, and what they were computed from.
struct CellFile {
  CellResult result;
  std::optional<std::vector<RecordedFile>> files;  ///< absent when an earlier pacbench wrote it
};

/// The cell's numbers alone, as its file has them.
Json numbers_in(Json document);

/// Throws ConfigError naming file and place when it is none, or not as it was written.
CellFile read_cell_file(const std::string& path);

/// Says what is not as it was recorded of a cell that has ended: its files, as cell.json has their
/// checksums. Throws ConfigError when cell.json cannot be read.
std::vector<Issue> changed_lines(const std::string& cell_folder);

/// Checks what a run needs to go on (needed_to_go_on), and cell.json itself.
std::vector<Issue> changed_cell(const std::string& cell_folder);

/// Makes that a cell has ended, and what was recorded of it, outlast a crash: its lines, then
/// cell.json with the checksums of all that tells of it, and only then goes what an unfinished cell
/// needed. The lines of one that is done are compressed. Throws std::system_error.
void finish_cell(const std::string& cell_folder, const CellResult& result);

/// Deletes what an unfinished cell needed and one that is done does not: saved states, and lines
/// of which there is a compressed copy. Returns the names of the files.
std::vector<std::string> tidy_done_cell(const std::string& cell_folder);

}  // namespace pacbench::store
