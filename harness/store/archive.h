#pragma once

#include <memory>
#include <optional>
#include <string>

struct archive;

namespace pacbench::store {

/// The suffix of an archive of files: a tar that xz has compressed.
inline constexpr const char* kArchive = ".tar.xz";

/// Writes an archive. The same files in the same order give the same bytes: neither times nor
/// owners are kept. All functions throw std::runtime_error naming the archive when it cannot be
/// written.
class ArchiveWriter {
 public:
  explicit ArchiveWriter(const std::string& path);
  ArchiveWriter(const ArchiveWriter&) = delete;
  ~ArchiveWriter();

  void add(const std::string& name, const std::string& text);
  /// Ends the archive. Without this call it is not complete.
  void finish();

 private:
  archive* archive_;
  std::string path_;
};

/// Reads an archive from its beginning. Functions throw ConfigError naming the archive when it is
/// damaged, or holds what no archive of files has: links, devices, or names that lead out of it.
class ArchiveReader {
 public:
  explicit ArchiveReader(const std::string& path);
  ArchiveReader(const ArchiveReader&) = delete;
  ~ArchiveReader();

  /// The name of the next file; absent at the end.
  std::optional<std::string> next();
  /// The text of the file that next() named.
  std::string text();

 private:
  archive* archive_;
  std::string path_;
};

}  // namespace pacbench::store
