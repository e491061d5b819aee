#include "harness/store/packed_run.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/text_file.h"
#include "harness/machine/programs.h"

namespace pacbench::store {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHead[] = {"manifest.json", "result.json"};
constexpr const char* kTuning = "settings.json";  // what a tuning tried, beside its runs

std::string whole_text(const std::string& path) {
  TextReader reader{path};
  std::string text;
  for (auto part = reader.read(); !part.empty(); part = reader.read()) text += part;
  return text;
}

/// The files of a run, by their names in it, each without the suffix of its compression.
std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator{folder}) {
    if (!entry.is_regular_file()) continue;
    auto name = fs::relative(entry.path(), folder).generic_string();
    if (name.ends_with(kCompressed)) name.erase(name.size() - std::strlen(kCompressed));
    names.push_back(name);
  }
  std::ranges::sort(names, {}, [](const std::string& name) {
    return std::pair{std::ranges::find(kHead, name) - std::begin(kHead), name};
  });
  // A text may lie there both compressed and not.
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

/// The run that a person means by `text`; empty when there is none.
std::string run_at(const std::string& text) {
  std::vector<std::string> places{text};
  for (const auto& folder : shipped_folders("results"))
    places.push_back(folder + "/published/" + text);
  for (auto place : places) {
    while (place.size() > 1 && place.ends_with('/')) place.pop_back();
    for (const std::string_view end : {"", kArchive}) {
      if (fs::exists(place + std::string{end})) return place + std::string{end};
    }
  }
  return "";
}

// An archive from elsewhere may name any size. No line or file of a run comes near to this.
constexpr std::size_t kMostFileBytes = std::size_t{1} << 30;
constexpr std::size_t kReadBytes = 1 << 16;

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw ConfigError{path, "", why + "; expected an archive that pacbench pack made"};
}

bool stays_inside(const std::filesystem::path& name) {
  return !name.empty() && name.is_relative() &&
         std::none_of(name.begin(), name.end(), [](const auto& part) { return part == ".."; });
}

}  // namespace

ArchiveWriter::ArchiveWriter(const std::string& path)
    : archive_{::archive_write_new(), ::archive_write_free}, path_{path} {
  require(::archive_write_set_format_pax_restricted(archive_.get()));
  require(::archive_write_add_filter_xz(archive_.get()));
  // One thread, since the parts of several would depend on their number.
  require(::archive_write_set_options(archive_.get(), "xz:compression-level=9,xz:threads=1"));
  require(::archive_write_open_filename(archive_.get(), path_.c_str()));
}

void ArchiveWriter::require(int status) const {
  if (status == ARCHIVE_OK) return;
  const char* why = ::archive_error_string(archive_.get());
  throw std::runtime_error{
      fmt::format("cannot write {}: {}", path_, why != nullptr ? why : "no memory is left")};
}

void ArchiveWriter::add(const std::string& name, const std::string& text) {
  const std::unique_ptr<archive_entry, void (*)(archive_entry*)> entry{::archive_entry_new(),
                                                                       ::archive_entry_free};
  ::archive_entry_set_pathname(entry.get(), name.c_str());
  ::archive_entry_set_size(entry.get(), static_cast<la_int64_t>(text.size()));
  ::archive_entry_set_filetype(entry.get(), AE_IFREG);
  ::archive_entry_set_perm(entry.get(), 0644);
  ::archive_entry_set_mtime(entry.get(), 0, 0);
  require(::archive_write_header(archive_.get(), entry.get()));
  const auto written = ::archive_write_data(archive_.get(), text.data(), text.size());
  require(written == std::ssize(text) ? ARCHIVE_OK : ARCHIVE_FATAL);
}

void ArchiveWriter::finish() { require(::archive_write_close(archive_.get())); }

ArchiveReader::ArchiveReader(const std::string& path)
    : archive_{::archive_read_new(), ::archive_read_free}, path_{path} {
  ::archive_read_support_format_tar(archive_.get());
  ::archive_read_support_filter_xz(archive_.get());
  if (::archive_read_open_filename(archive_.get(), path_.c_str(), kReadBytes) == ARCHIVE_OK) return;
  refuse(path_, fmt::format("cannot be read: {}", ::archive_error_string(archive_.get())));
}

std::optional<std::string> ArchiveReader::next() {
  archive_entry* entry = nullptr;
  const auto status = ::archive_read_next_header(archive_.get(), &entry);
  if (status == ARCHIVE_EOF) return std::nullopt;
  if (status != ARCHIVE_OK)
    refuse(path_, fmt::format("damaged: {}", ::archive_error_string(archive_.get())));
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
    const auto count = ::archive_read_data(archive_.get(), part.data(), part.size());
    if (count == 0) return text;
    if (count < 0)
      refuse(path_, fmt::format("damaged: {}", ::archive_error_string(archive_.get())));
    text.append(part.data(), static_cast<std::size_t>(count));
    if (text.size() > kMostFileBytes) {
      refuse(path_, fmt::format("found a file of more than {} bytes", kMostFileBytes));
    }
  }
}

bool is_packed(const std::string& path) {
  if (path.ends_with(kArchive)) return fs::is_regular_file(path);
  return !fs::exists(path) && fs::is_regular_file(path + kArchive);
}

void pack_run(const std::string& folder, const std::string& archive) {
  const bool is_tuning = fs::exists(fs::path{folder} / kTuning);
  for (const char* name : kHead) {
    if (is_tuning || fs::exists(fs::path{folder} / name)) continue;
    throw ConfigError{folder, "",
                      fmt::format("holds no {}, expected the folder of a run that ended: go "
                                  "on with it by pacbench run --resume",
                                  name)};
  }
  const auto growing = archive + ".part";
  try {
    ArchiveWriter writer{growing};
    for (const auto& name : names_in(folder)) writer.add(name, whole_text(folder + "/" + name));
    writer.finish();
  } catch (...) {
    std::error_code gone;
    fs::remove(growing, gone);
    throw;
  }
  fs::rename(growing, archive);
}

RunPath::RunPath(const std::string& text) : path_{run_at(text)} {
  if (path_.empty()) {
    throw ConfigError{text, "",
                      "nothing is there, and no published run has this name; expected the "
                      "results folder of a run (pacbench run --out), its result.json, or an "
                      "archive of it (pacbench pack)"};
  }
  is_archive_ = is_packed(path_);
}

std::string RunPath::shown() const {
  return fs::is_directory(path_) ? (fs::path{path_} / "result.json").string() : path_;
}

std::string RunPath::read_head(const std::string& name) const {
  if (!is_archive_) {
    const bool is_it = !fs::is_directory(path_) && name == "result.json";
    return read_file(is_it ? path_ : (fs::path{folder()} / name).string());
  }
  ArchiveReader reader{path_};
  for (const char* expected : kHead) {
    if (reader.next() != std::optional<std::string>{expected}) break;
    auto text = reader.text();
    if (name == expected) return text;
  }
  throw ConfigError{path_, "",
                    "does not begin with manifest.json and result.json, expected an archive "
                    "that pacbench pack made"};
}

const std::string& RunPath::folder() const {
  if (!folder_.empty()) return folder_;
  if (!is_archive_) {
    const auto parent = fs::path{path_}.parent_path().string();
    return folder_ = fs::is_directory(path_) ? path_ : parent.empty() ? "." : parent;
  }
  unpacked_ = std::make_shared<TemporaryFolder>("pacbench-run");
  auto name = fs::path{path_}.filename().string();
  name.erase(name.size() - std::string_view{kArchive}.size());
  const auto folder = unpacked_->path() + "/" + name;
  ArchiveReader reader{path_};
  while (const auto file = reader.next()) {
    const auto path = fs::path{folder} / *file;
    fs::create_directories(path.parent_path());
    std::ofstream unpacked{path, std::ios::binary};
    if (!(unpacked << reader.text()).flush()) {
      throw std::system_error{errno, std::generic_category(), "cannot write " + path.string()};
    }
  }
  return folder_ = folder;
}

}  // namespace pacbench::store
