#include "harness/store/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <stdexcept>

#include "base/errors.h"

namespace pacbench::store {
namespace {

// An archive from elsewhere may name any size. No line or file of a run comes near to this.
constexpr std::size_t kMostFileBytes = std::size_t{1} << 30;
constexpr std::size_t kReadBytes = 1 << 16;

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw ConfigError{path, {{"", why + "; expected an archive that pacbench pack made"}}};
}

void require_written(int status, archive* written, const std::string& path) {
  if (status == ARCHIVE_OK) return;
  const char* why = ::archive_error_string(written);
  throw std::runtime_error{
      fmt::format("cannot write {}: {}", path, why != nullptr ? why : "no memory is left")};
}

bool stays_inside(const std::filesystem::path& name) {
  return !name.empty() && name.is_relative() &&
         std::none_of(name.begin(), name.end(), [](const auto& part) { return part == ".."; });
}

}  // namespace

ArchiveWriter::ArchiveWriter(const std::string& path)
    : archive_{::archive_write_new()}, path_{path} {
  require_written(::archive_write_set_format_pax_restricted(archive_), archive_, path_);
  require_written(::archive_write_add_filter_xz(archive_), archive_, path_);
  // One thread, since the parts of several would depend on their number.
  require_written(::archive_write_set_options(archive_, "xz:compression-level=9,xz:threads=1"),
                  archive_, path_);
  require_written(::archive_write_open_filename(archive_, path_.c_str()), archive_, path_);
}

ArchiveWriter::~ArchiveWriter() { ::archive_write_free(archive_); }

void ArchiveWriter::add(const std::string& name, const std::string& text) {
  const std::unique_ptr<archive_entry, void (*)(archive_entry*)> entry{::archive_entry_new(),
                                                                       ::archive_entry_free};
  ::archive_entry_set_pathname(entry.get(), name.c_str());
  ::archive_entry_set_size(entry.get(), static_cast<la_int64_t>(text.size()));
  ::archive_entry_set_filetype(entry.get(), AE_IFREG);
  ::archive_entry_set_perm(entry.get(), 0644);
  ::archive_entry_set_mtime(entry.get(), 0, 0);
  require_written(::archive_write_header(archive_, entry.get()), archive_, path_);
  const auto written = ::archive_write_data(archive_, text.data(), text.size());
  const bool whole = written >= 0 && static_cast<std::size_t>(written) == text.size();
  require_written(whole ? ARCHIVE_OK : ARCHIVE_FATAL, archive_, path_);
}

void ArchiveWriter::finish() { require_written(::archive_write_close(archive_), archive_, path_); }

ArchiveReader::ArchiveReader(const std::string& path)
    : archive_{::archive_read_new()}, path_{path} {
  ::archive_read_support_format_tar(archive_);
  ::archive_read_support_filter_xz(archive_);
  if (::archive_read_open_filename(archive_, path_.c_str(), kReadBytes) == ARCHIVE_OK) return;
  const std::string why = ::archive_error_string(archive_);
  ::archive_read_free(archive_);
  refuse(path_, "cannot be read: " + why);
}

ArchiveReader::~ArchiveReader() { ::archive_read_free(archive_); }

std::optional<std::string> ArchiveReader::next() {
  archive_entry* entry = nullptr;
  const auto status = ::archive_read_next_header(archive_, &entry);
  if (status == ARCHIVE_EOF) return std::nullopt;
  if (status != ARCHIVE_OK)
    refuse(path_, fmt::format("damaged: {}", ::archive_error_string(archive_)));
  const char* found = ::archive_entry_pathname(entry);
  const std::string name = found == nullptr ? "" : found;
  const bool is_file =
      ::archive_entry_filetype(entry) == AE_IFREG && ::archive_entry_hardlink(entry) == nullptr;
  if (!is_file || !stays_inside(name)) {
    refuse(path_, fmt::format("found \"{}\", which is no plain file inside it", name));
  }
  return name;
}

std::string ArchiveReader::text() {
  std::string text;
  std::array<char, kReadBytes> part{};
  for (;;) {
    const auto count = ::archive_read_data(archive_, part.data(), part.size());
    if (count == 0) return text;
    if (count < 0) refuse(path_, fmt::format("damaged: {}", ::archive_error_string(archive_)));
    text.append(part.data(), static_cast<std::size_t>(count));
    if (text.size() > kMostFileBytes) {
      refuse(path_, fmt::format("found a file of more than {} bytes", kMostFileBytes));
    }
  }
}

}  // namespace pacbench::store
