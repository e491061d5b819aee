#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/unique_fd.h"

namespace pacbench {

/// The whole file as text. Throws std::system_error naming the path.
std::string read_file(const std::string& path);

/// The whole file as text; empty where it does not exist or may not be read, as files of the kernel
/// may be absent.
std::string text_or_none(const std::string& path);

/// Reads a whole file whose path comes from somebody else. Throws std::system_error naming the path
/// when the file cannot be read, is not a regular file (a device or a pipe may never end), or has
/// more than `most_bytes`. It never waits for a pipe's writer.
std::string read_ordinary_file(const std::string& path, std::int64_t most_bytes);

/// Reads a file as the function above does, with the same errors, but hands its parts to `take`, in
/// order, and holds no more than one part in memory.
void read_ordinary_file(const std::string& path, std::int64_t most_bytes,
                        const std::function<void(std::string_view)>& take);

/// Replaces a file in one step and durably. Readers see the old text or the new one, never a part,
/// also after a crash. Once this returns, they see the new text. Throws std::system_error naming
/// the path. The old file is then untouched, unless the last step, the sync of the folder, failed:
/// that error names the folder.
void write_file_atomically(const std::string& path, std::string_view text);

/// Waits until the contents of a file, or the list of files in a folder, are on the disk. Does
/// nothing where this process may not open the path, or the file system cannot sync it. Throws
/// std::system_error naming the path.
void sync_path(const std::string& path);

/// The path of the temporary file into which the process `writer` writes a new text, before it
/// renames this file to `path`. The file stays when the process is killed before the rename.
std::string unfinished_path(const std::string& path, pid_t writer);

/// A file that is written piece by piece. put_in_place() then makes the whole file appear under its
/// name, in one step and durably. Readers see the old text or the new one, also after a crash.
/// Without put_in_place() the destructor removes what was written. Members throw std::system_error
/// naming the path, or the folder where syncing the folder fails.
class NewFile {
 public:
  explicit NewFile(std::string path);
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile();

  void write(std::string_view text);
  void put_in_place();

 private:
  std::string path_;
  std::string temporary_;
  UniqueFd fd_;
};

/// Sets a setting of the kernel (a file of /proc, /sys or a cgroup). Writes the value in one call
/// to write(), as such files require. Throws std::system_error naming path and value.
void set_kernel_setting(const std::string& path, std::string_view value);

/// A file that only grows, a whole line at a time.
class LineFile {
 public:
  /// Opens for appending and creates when absent. Throws std::system_error naming the path.
  explicit LineFile(std::string path);

  /// Appends `line` and a newline. Throws std::system_error when that fails. A written part (disk
  /// full) is removed first if possible, so that the file still ends with a whole line.
  void append(std::string_view line);

 private:
  std::string path_;
  UniqueFd fd_;
};

/// A new folder in the system's temporary folder, open to this user only. The constructor throws
/// std::system_error naming the path. The destructor removes the folder and everything in it.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(std::string_view prefix = "pacbench");
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace pacbench
