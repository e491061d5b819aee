#include "base/text_source.h"

#include <fmt/format.h>
#include <lzma.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <new>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/errors.h"

namespace pacbench {
namespace {

[[noreturn]] void damaged(const std::string& path, std::string_view how) {
  throw ConfigError{path, {{"", fmt::format("cannot be decompressed: {}", how)}}};
}

[[noreturn]] void unreadable(const std::string& path, int reason) {
  throw std::system_error{reason, std::generic_category(), "cannot read " + path};
}

class PlainOrGzip final : public TextSource {
 public:
  PlainOrGzip(UniqueFd file, std::string path)
      : path_{std::move(path)}, file_{::gzdopen(file.get(), "r")} {
    if (!file_) throw std::bad_alloc{};
    file.release();  // gzclose_r closes it
  }

  std::size_t read(char* room, std::size_t size) override {
    const int count = ::gzread(file_.get(), room, static_cast<unsigned>(size));
    const int reason = errno;
    int error = Z_OK;
    const std::string words = ::gzerror(file_.get(), &error);
    if (error == Z_ERRNO) unreadable(path_, reason);
    if (count < 0 || error != Z_OK) damaged(path_, words);
    return static_cast<std::size_t>(count);
  }

 private:
  struct Close {
    void operator()(gzFile file) const { ::gzclose_r(file); }
  };

  std::string path_;
  std::unique_ptr<gzFile_s, Close> file_;
};

class Xz final : public TextSource {
 public:
  Xz(UniqueFd file, std::string path) : file_{std::move(file)}, path_{std::move(path)} {
    constexpr std::uint64_t kMemoryBytes = 128u << 20;  // xz -9 needs half of it to decompress
    if (::lzma_stream_decoder(&stream_, kMemoryBytes, 0) != LZMA_OK) throw std::bad_alloc{};
  }
  ~Xz() override { ::lzma_end(&stream_); }

  std::size_t read(char* room, std::size_t size) override {
    stream_.next_out = reinterpret_cast<std::uint8_t*>(room);
    stream_.avail_out = size;
    while (stream_.avail_out == size && !ended_) {
      if (stream_.avail_in == 0) fill();
      const auto state = ::lzma_code(&stream_, file_ended_ ? LZMA_FINISH : LZMA_RUN);
      ended_ = state == LZMA_STREAM_END;
      if (state == LZMA_BUF_ERROR) damaged(path_, "unexpected end of file");
      if (state != LZMA_OK && !ended_) damaged(path_, fmt::format("liblzma's error {}", state));
    }
    return size - stream_.avail_out;
  }

 private:
  void fill() {
    const auto count = ::read(file_.get(), compressed_.data(), compressed_.size());
    if (count < 0) unreadable(path_, errno);
    file_ended_ = count == 0;
    stream_.next_in = compressed_.data();
    stream_.avail_in = static_cast<std::size_t>(count);
  }

  UniqueFd file_;
  std::string path_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
  std::array<std::uint8_t, 1 << 16> compressed_{};
  bool file_ended_ = false;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<TextSource> plain_or_gzip_source(UniqueFd file, std::string path) {
  return std::make_unique<PlainOrGzip>(std::move(file), std::move(path));
}

std::unique_ptr<TextSource> xz_source(UniqueFd file, std::string path) {
  return std::make_unique<Xz>(std::move(file), std::move(path));
}

}  // namespace pacbench
