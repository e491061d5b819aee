#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/files.h"

struct archive;  // libarchive's

namespace pacbench::store {

/// The suffix of an archive of files: a tar that xz has compressed.
inline constexpr const char* kArchive = ".tar.xz";

/// Writes an archive. The same files in the same order give the same bytes: neither times nor
/// owners are kept. All functions throw std::runtime_error naming the archive when it cannot be
/// written.
class ArchiveWriter {
 public:
  explicit ArchiveWriter(const std::string& path);

  void add(const std::string& name, const std::string& text);
  /// Ends the archive. Without this call it is not complete.
  void finish();

 private:
  void require(int status) const;

  std::unique_ptr<archive, int (*)(archive*)> archive_;
  std::string path_;
};

/// Reads an archive from its beginning. Functions throw ConfigError naming the archive when it is
/// damaged, or holds what no archive of files has: links, devices, or names that lead out of it.
class ArchiveReader {
 public:
  explicit ArchiveReader(const std::string& path);

  /// The name of the next file; absent at the end.
  std::optional<std::string> next();
  /// The text of the file that next() named.
  std::string text();

 private:
  std::unique_ptr<archive, int (*)(archive*)> archive_;
  std::string path_;
};

/// Whether a path leads to an archive of a run, by its name and kind.
bool is_packed(const std::string& path);

/// Writes a run's folder, or that of a tuning with its runs, into one archive.
/// manifest.json and result.json come first, so that reports read only the beginning. The other
/// files follow in the order of their names, with their lines as text, since xz compresses all of
/// them together. The same run gives the same bytes. Throws ConfigError when the folder holds no
/// finished run, std::runtime_error and std::system_error naming the file that cannot be read or
/// written.
void pack_run(const std::string& folder, const std::string& archive);

/// A run as a person names it: its folder, an archive (its suffix may be left out), the result.json
/// in a folder, or the name of a published run. An archive is unpacked when its files are first
/// asked for, into a temporary folder that is removed with the last copy of this object.
class RunPath {
 public:
  /// Looks for a published run only where nothing is at `text`. Throws ConfigError when nothing is
  /// there either.
  explicit RunPath(const std::string& text);

  /// The path that tables name: the folder's result.json, or the archive.
  std::string shown() const;
  /// A file at the head of the run, manifest.json or result.json. Throws ConfigError when an
  /// archive does not begin with them, and std::system_error when the file cannot be read.
  std::string read_head(const std::string& name) const;
  /// The folder with the run's files. Throws ConfigError naming an archive that is damaged.
  const std::string& folder() const;
  bool is_archive() const { return is_archive_; }

 private:
  std::string path_;  ///< of the folder or the archive
  bool is_archive_ = false;
  mutable std::shared_ptr<TemporaryFolder> unpacked_;
  mutable std::string folder_;
};

}  // namespace pacbench::store
