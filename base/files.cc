#include "base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/check.h"

namespace pacbench {
namespace {

[[noreturn]] void fail(const std::string& attempt) {
  throw std::system_error{errno, std::generic_category(), "cannot " + attempt};
}

/// Writes all of `text`. Returns the bytes written: fewer than `text` has when a write fails, with
/// the reason in errno.
std::size_t write_all(int fd, std::string_view text) {
  std::size_t written = 0;
  while (written < text.size()) {
    const auto count = ::write(fd, text.data() + written, text.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return written;
    written += static_cast<std::size_t>(count);
  }
  return written;
}

void read_parts(const UniqueFd& fd, const std::string& path,
                const std::function<void(std::string_view)>& take) {
  char buffer[65536];
  for (;;) {
    const auto count = ::read(fd.get(), buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("read " + path);
    if (count == 0) return;
    take({buffer, static_cast<std::size_t>(count)});
  }
}

}  // namespace

std::string read_file(const std::string& path) {
  const UniqueFd fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!fd) fail("read " + path);
  std::string text;
  read_parts(fd, path, [&](std::string_view part) { text += part; });
  return text;
}

std::string text_or_none(const std::string& path) {
  try {
    return read_file(path);
  } catch (const std::system_error&) {
    return {};
  }
}

std::string read_ordinary_file(const std::string& path, std::int64_t most_bytes) {
  std::string text;
  read_ordinary_file(path, most_bytes, [&](std::string_view part) { text += part; });
  return text;
}

void read_ordinary_file(const std::string& path, std::int64_t most_bytes,
                        const std::function<void(std::string_view)>& take) {
  // O_NONBLOCK: without it, opening a pipe would wait for a writer.
  const UniqueFd fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  struct stat found {};
  if (!fd || ::fstat(fd.get(), &found) < 0) fail("read " + path);
  if (!S_ISREG(found.st_mode)) {
    throw std::system_error{EINVAL, std::generic_category(), path + " is not a regular file"};
  }
  if (found.st_size > most_bytes) {
    throw std::system_error{
        EFBIG, std::generic_category(),
        fmt::format("{} has {} bytes, and at most {} are read", path, found.st_size, most_bytes)};
  }
  read_parts(fd, path, take);
}

void sync_path(const std::string& path) {
  const UniqueFd fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  // These errors are ignored. EACCES: a folder may be writable though it cannot be opened. EINVAL:
  // some file systems do not support fsync of a folder.
  if (fd ? ::fsync(fd.get()) < 0 && errno != EINVAL : errno != EACCES) fail("sync " + path);
}

std::string unfinished_path(const std::string& path, pid_t writer) {
  return fmt::format("{}.{}.tmp", path, writer);
}

NewFile::NewFile(std::string path)
    : path_{std::move(path)}, temporary_{unfinished_path(path_, ::getpid())} {
  fd_.reset(::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!fd_) fail("write " + path_);
}

NewFile::~NewFile() {
  if (fd_) ::unlink(temporary_.c_str());
}

void NewFile::write(std::string_view text) {
  if (write_all(fd_.get(), text) < text.size()) fail("write " + path_);
}

void NewFile::put_in_place() {
  if (::fsync(fd_.get()) < 0 || ::rename(temporary_.c_str(), path_.c_str()) < 0) {
    fail("write " + path_);
  }
  fd_.reset();
  const auto folder = std::filesystem::path{path_}.parent_path().string();
  sync_path(folder.empty() ? "." : folder);
}

void write_file_atomically(const std::string& path, std::string_view text) {
  NewFile file{path};
  file.write(text);
  file.put_in_place();
}

void set_kernel_setting(const std::string& path, std::string_view value) {
  const auto attempt = fmt::format("setting {} to \"{}\"", path, value);
  const UniqueFd file{check(attempt.c_str(), ::open(path.c_str(), O_WRONLY | O_CLOEXEC))};
  check(attempt.c_str(), ::write(file.get(), value.data(), value.size()));
}

LineFile::LineFile(std::string path) : path_{std::move(path)} {
  fd_.reset(::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!fd_) fail("open " + path_);
}

void LineFile::append(std::string_view line) {
  std::string text{line};
  text += '\n';
  const auto written = write_all(fd_.get(), text);
  if (written == text.size()) return;
  const int reason = errno;
  struct ::stat info {};
  if (written > 0 && ::fstat(fd_.get(), &info) == 0) {
    [[maybe_unused]] const int cut =
        ::ftruncate(fd_.get(), info.st_size - static_cast<off_t>(written));
  }
  errno = reason;
  fail("append to " + path_);
}

TemporaryFolder::TemporaryFolder(std::string_view prefix) {
  path_ = fmt::format("{}/{}-XXXXXX", std::filesystem::temp_directory_path().string(), prefix);
  if (::mkdtemp(path_.data()) == nullptr) fail("create folder " + path_);
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_{std::exchange(other.path_, {})} {}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace pacbench
