#include "base/text_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <new>
#include <system_error>
#include <utility>

#include "base/errors.h"
#include "base/files.h"
#include "base/unique_fd.h"

namespace pacbench {
namespace {

constexpr std::size_t kPartBytes = 1 << 17;
constexpr int kLevel = 6;       // gzip's default
constexpr int kGzip = 15 + 16;  // windowBits of zlib: the largest window (15), in gzip format

/// Opens the file that holds the text. It tries the uncompressed file first, because that file may
/// still grow and is never older than a compressed one. The uncompressed file is removed only when
/// a compressed one exists, so the text is found in either case.
std::pair<UniqueFd, std::string> open_text(const std::string& path) {
  for (const auto& name : {path, path + kCompressed}) {
    UniqueFd file{::open(name.c_str(), O_RDONLY | O_CLOEXEC)};
    if (file) return {std::move(file), name};
    if (errno != ENOENT) break;
  }
  throw std::system_error{errno, std::generic_category(), "cannot open " + path};
}

class Compressor {
 public:
  explicit Compressor(NewFile& file) : file_{file} {
    if (::deflateInit2(&stream_, kLevel, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc{};
    }
  }
  Compressor(const Compressor&) = delete;
  ~Compressor() { ::deflateEnd(&stream_); }

  void add(std::string_view part) { deflate(part, Z_NO_FLUSH); }
  void finish() { deflate({}, Z_FINISH); }

 private:
  void deflate(std::string_view part, int flush) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(part.data()));
    stream_.avail_in = static_cast<uInt>(part.size());
    std::array<char, 1 << 16> out;
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(out.data());
      stream_.avail_out = static_cast<uInt>(out.size());
      ::deflate(&stream_, flush);
      file_.write({out.data(), out.size() - stream_.avail_out});
    } while (stream_.avail_out == 0);
  }

  NewFile& file_;
  z_stream stream_{};
};

}  // namespace

bool text_exists(const std::string& path) {
  using std::filesystem::exists;
  return exists(path) || exists(path + kCompressed);
}

void compress_text(const std::string& path) {
  TextReader text{path};
  NewFile file{path + kCompressed};
  Compressor compressor{file};
  for (auto part = text.read(); !part.empty(); part = text.read()) compressor.add(part);
  compressor.finish();
  file.put_in_place();
}

void TextReader::Close::operator()(gzFile_s* file) const { ::gzclose_r(file); }

TextReader::TextReader(const std::string& path) : buffer_(kPartBytes) {
  auto [file, name] = open_text(path);
  path_ = std::move(name);
  file_.reset(::gzdopen(file.get(), "r"));
  if (!file_) throw std::bad_alloc{};
  file.release();  // gzclose_r closes it
}

std::string_view TextReader::read() {
  const int count = ::gzread(file_.get(), buffer_.data(), static_cast<unsigned>(buffer_.size()));
  const int reason = errno;
  int error = Z_OK;
  const std::string words = ::gzerror(file_.get(), &error);
  if (error == Z_ERRNO) {
    throw std::system_error{reason, std::generic_category(), "cannot read " + path_};
  }
  if (count < 0 || error != Z_OK) {
    throw ConfigError{path_, {{"", fmt::format("cannot be decompressed: {}", words)}}};
  }
  return {buffer_.data(), static_cast<std::size_t>(count)};
}

bool LineReader::next(std::string& line) {
  line.clear();
  for (;;) {
    const auto newline = rest_.find('\n');
    line.append(rest_.substr(0, newline));
    if (line.size() > kMaxBytes) {
      throw ConfigError{path_,
                        {{"", fmt::format("holds a line of more than {} bytes", kMaxBytes)}}};
    }
    whole_ = newline != std::string_view::npos;
    if (whole_) {
      rest_.remove_prefix(newline + 1);
      return true;
    }
    rest_ = text_.read();
    if (rest_.empty()) return !line.empty();
  }
}

}  // namespace pacbench
