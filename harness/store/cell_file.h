#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "contract/result/result.h"

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

/// cell.json: the numbers of a cell that has ended, and what they were computed from.
struct CellFile {
  CellResult result;
  std::optional<std::vector<RecordedFile>> files;  ///< absent when an earlier pacbench wrote it
};

/// Returns the cell's numbers alone, without the file list and the checksum.
Json numbers_in(Json document);

/// Reads a cell.json. Throws std::system_error when the file cannot be read, and ConfigError naming
/// file and place when it is invalid or does not match its checksum. Files of an earlier pacbench
/// have no checksum.
CellFile read_cell_file(const std::string& path);

/// Lists those files of an ended cell that are missing, no longer match their checksums in
/// cell.json or were added later; none when an earlier pacbench wrote cell.json without checksums.
/// Throws std::system_error when cell.json cannot be read, and ConfigError when it is invalid.
std::vector<Issue> changed_lines(const std::string& cell_folder);

/// Lists changes to cell.json itself and those of changed_lines(), without missing files that no
/// continuation needs.
std::vector<Issue> changed_cell(const std::string& cell_folder);

/// Writes an ended cell so that it survives a crash: first its lines, then cell.json with the
/// checksums of all its files. The files with many lines of a done cell are compressed before
/// cell.json is written (compress_lines), and what only an unfinished cell needs is deleted
/// afterwards (tidy_done_cell). Throws std::system_error.
void finish_cell(const std::string& cell_folder, const CellResult& result);

/// Deletes what only an unfinished cell needs: saved states, and lines of which there is a
/// compressed copy. Returns the names of the files.
std::vector<std::string> tidy_done_cell(const std::string& cell_folder);

/// Writes compressed copies of the files that get many lines. Where a copy cannot be written, as on
/// a full disk, there is none afterwards.
void compress_lines(const std::string& cell_folder);

/// Deletes each uncompressed file of lines that has a compressed copy. Returns the names of the
/// deleted files.
std::vector<std::string> remove_compressed_lines(const std::string& cell_folder);

/// Deletes compressed copies of files that are also there uncompressed and may still grow.
void remove_copies(const std::string& cell_folder);

}  // namespace pacbench::store
