#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json/json_reader.h"

namespace pacbench::store {

/// A file recorded for a cell, as it was when the cell's numbers were computed. All members
/// describe the plain text, so they stay true when the file is compressed or decompressed.
struct RecordedFile {
  std::string name;  ///< path from the cell's folder
  std::int64_t bytes = 0;
  std::int64_t lines = 0;
  std::string sha256;

  bool operator==(const RecordedFile&) const = default;
};

Json to_json(const std::vector<RecordedFile>& files);
/// Throws ConfigError naming `source` when the document is no list of recorded files.
std::vector<RecordedFile> recorded_files_from_json(const std::string& source, const Json& files);

/// The recorded files of a cell: its .jsonl files, its worker.log, and its run's probes.jsonl.
/// Throws as TextReader does.
std::vector<RecordedFile> recorded_files(const std::string& cell_folder);

/// Lists the files that are no longer as they were recorded or were added later, each with what was
/// found and expected. Lines that the run added to probes.jsonl since are no change.
std::vector<Issue> changed_files(const std::string& cell_folder,
                                 const std::vector<RecordedFile>& recorded);

/// Returns `recorded` without the missing files that no continuation needs: those with a line for
/// each iteration and rank or each tenth of a second, and outputs. A repository may have no room
/// for such files.
std::vector<RecordedFile> needed_to_go_on(const std::string& cell_folder,
                                          std::vector<RecordedFile> recorded);

/// Waits until all that was recorded of a cell is on the disk. Throws std::system_error.
void sync_recorded(const std::string& cell_folder);

/// Writes compressed copies of the files that get many lines. Where a copy cannot be written, as on
/// a full disk, there is none afterwards.
void compress_lines(const std::string& cell_folder);

/// Deletes each uncompressed file of lines that has a compressed copy. Returns the names of the
/// deleted files.
std::vector<std::string> remove_compressed_lines(const std::string& cell_folder);

/// Deletes compressed copies of files that are also there uncompressed and may still grow.
void remove_copies(const std::string& cell_folder);

}  // namespace pacbench::store
