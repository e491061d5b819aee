#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/unique_fd.h"

namespace pacbench {

/// A file's text, in parts.
class TextSource {
 public:
  TextSource() = default;
  TextSource(const TextSource&) = delete;
  TextSource& operator=(const TextSource&) = delete;
  virtual ~TextSource() = default;

  /// Puts up to `size` of the next bytes into `room` and returns how many; 0 at the end. Throws
  /// std::system_error, and ConfigError naming the file when its compression is damaged or cut off.
  virtual std::size_t read(char* room, std::size_t size) = 0;
};

/// Reads a file that gzip has compressed, or an uncompressed file. Errors name `path`.
std::unique_ptr<TextSource> plain_or_gzip_source(UniqueFd file, std::string path);

/// Reads a file that xz has compressed. Errors name `path`.
std::unique_ptr<TextSource> xz_source(UniqueFd file, std::string path);

}  // namespace pacbench
