#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct gzFile_s;  // zlib's

namespace pacbench {

/// The suffix of files that gzip has compressed. Such a file holds the text of the file named
/// without the suffix. It may lie beside that file or in its place.
inline constexpr const char* kCompressed = ".gz";

/// Whether there is a text at `path`, compressed or not.
bool text_exists(const std::string& path);

/// Writes the text of `path`, compressed by gzip, to `path`.gz, in one step and durably. Throws
/// std::system_error naming the path.
void compress_text(const std::string& path);

/// Reads the text at `path` or, where there is no such file, that of the compressed file `path`.gz.
/// It reads in parts, so that it never holds the whole text in memory.
class TextReader {
 public:
  /// Throws std::system_error naming the path.
  explicit TextReader(const std::string& path);

  /// The next part, which lasts until the next call; empty at the end. Throws std::system_error,
  /// and ConfigError naming the file when it was compressed and is damaged or cut off.
  std::string_view read();

 private:
  struct Close {
    void operator()(gzFile_s* file) const;
  };

  std::string path_;
  std::unique_ptr<gzFile_s, Close> file_;
  std::vector<char> buffer_;
};

/// Reads a text line by line.
class LineReader {
 public:
  /// The longest line allowed. The line of one iteration of a model with hundreds of buckets has
  /// some hundred kilobytes.
  static constexpr std::size_t kMaxBytes = 16u << 20;

  /// Throws as TextReader does.
  explicit LineReader(const std::string& path) : text_{path}, path_{path} {}

  /// Replaces `line` by the next one, without its newline; false at the end. Throws as
  /// TextReader::read() does, and ConfigError naming the file for a line of more than kMaxBytes.
  bool next(std::string& line);

  /// Whether a newline ended the line that next() returned last. Only the last line of a file may
  /// lack it.
  bool whole() const { return whole_; }

 private:
  TextReader text_;
  std::string path_;
  std::string_view rest_;
  bool whole_ = true;
};

}  // namespace pacbench
