#include "harness/store/packed_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/text_file.h"
#include "harness/machine/shipped.h"
#include "harness/store/archive.h"

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
  const auto rank = [](const std::string& name) {
    return std::find(std::begin(kHead), std::end(kHead), name) - std::begin(kHead);
  };
  std::sort(names.begin(), names.end(), [&](const auto& one, const auto& other) {
    return std::pair{rank(one), one} < std::pair{rank(other), other};
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

}  // namespace

bool is_packed(const std::string& path) {
  if (path.ends_with(kArchive)) return fs::is_regular_file(path);
  return !fs::exists(path) && fs::is_regular_file(path + kArchive);
}

void pack_run(const std::string& folder, const std::string& archive) {
  const bool is_tuning = fs::exists(fs::path{folder} / kTuning);
  for (const char* name : kHead) {
    if (is_tuning || fs::exists(fs::path{folder} / name)) continue;
    throw ConfigError{folder,
                      {{"", fmt::format("holds no {}, expected the folder of a run that ended: go "
                                        "on with it by pacbench run --resume",
                                        name)}}};
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
    throw ConfigError{text,
                      {{"",
                        "nothing is there, and no published run has this name; expected the "
                        "results folder of a run (pacbench run --out), its result.json, or an "
                        "archive of it (pacbench pack)"}}};
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
  throw ConfigError{path_,
                    {{"",
                      "does not begin with manifest.json and result.json, expected an archive "
                      "that pacbench pack made"}}};
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
