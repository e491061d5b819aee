#include "harness/data/datasets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <numeric>
#include <vector>

#include "base/errors.h"
#include "base/files.h"
#include "base/subprocess.h"
#include "harness/machine/programs.h"

namespace pacbench::data {
namespace {

namespace fs = std::filesystem;

/// Returns a message for each file of a data set that is missing or has another length.
std::vector<std::string> faults_of(const DatasetInfo& dataset, const std::string& folder) {
  std::vector<std::string> faults;
  for (const auto& file : dataset.files) {
    std::error_code missing;
    const auto bytes = fs::file_size(folder + "/" + file.name, missing);
    if (missing) {
      faults.push_back(fmt::format("{} is missing", file.name));
    } else if (bytes != static_cast<std::uintmax_t>(file.bytes)) {
      faults.push_back(
          fmt::format("{} is {} bytes long, expected {}", file.name, bytes, file.bytes));
    }
  }
  return faults;
}

/// Returns one sentence about all wrong files, with the cure; empty when no file is wrong.
std::string issue_of(const DatasetInfo& dataset, const std::string& data_folder) {
  const auto folder = fmt::format("{}/{}", data_folder, dataset.name);
  const auto faults = faults_of(dataset, folder);
  if (faults.empty()) return "";
  const auto what =
      fs::exists(folder)
          ? fmt::format("is incomplete in {} ({}{})", folder, faults.front(),
                        faults.size() == 1 ? "" : fmt::format(", and {} more", faults.size() - 1))
          : fmt::format("is not in {}", folder);
  return fmt::format(
      "the data set {0} {1}; get its binary version, and import it with pacbench data import {0} "
      "PATH",
      dataset.name, what);
}

bool holds_any_file(const DatasetInfo& dataset, const fs::path& folder) {
  return std::any_of(dataset.files.begin(), dataset.files.end(),
                     [&](const auto& file) { return fs::exists(folder / file.name); });
}

/// The folder with the files: `top` itself or one directly inside it.
fs::path find_files(const DatasetInfo& dataset, const std::string& source, const fs::path& top) {
  if (holds_any_file(dataset, top)) return top;
  for (const auto& entry : fs::directory_iterator{top}) {
    if (entry.is_directory() && holds_any_file(dataset, entry.path())) return entry.path();
  }
  std::vector<std::string> names;
  for (const auto& file : dataset.files) names.push_back(file.name);
  throw ConfigError{source, "",
                    fmt::format("holds none of the files of {} in its binary version, expected {}",
                                dataset.name, fmt::join(names, ", "))};
}

std::int64_t record_bytes(const DatasetInfo& dataset) {
  return dataset.record_label_bytes + std::accumulate(dataset.shape.begin(), dataset.shape.end(),
                                                      std::int64_t{1}, std::multiplies<>{});
}

void check_labels(const DatasetInfo& dataset, const std::string& source, const std::string& bytes,
                  std::vector<Issue>& issues) {
  const auto step = static_cast<std::size_t>(record_bytes(dataset));
  // The last of several labels is the finest, and the one that is trained on.
  const auto label_at = static_cast<std::size_t>(dataset.record_label_bytes - 1);
  for (std::size_t record = 0; (record + 1) * step <= bytes.size(); ++record) {
    const int label = static_cast<unsigned char>(bytes[record * step + label_at]);
    if (label < dataset.classes) continue;
    issues.push_back({"", fmt::format("{}: record {} has the label {}, expected 0 to {}: this is "
                                      "not {} in its binary version",
                                      source, record, label, dataset.classes - 1, dataset.name)});
    return;
  }
}

void check_file(const DatasetInfo& dataset, const DatasetInfo::File& file, const fs::path& folder,
                std::vector<Issue>& issues) {
  const auto path = folder / file.name;
  std::error_code missing;
  const auto found = fs::file_size(path, missing);
  if (missing) {
    issues.push_back({"", fmt::format("{} is missing, expected {} bytes", file.name, file.bytes)});
  } else if (found != static_cast<std::uintmax_t>(file.bytes)) {
    issues.push_back(
        {"", fmt::format("{} is {}: found {} bytes, expected {}", file.name,
                         found < static_cast<std::uintmax_t>(file.bytes) ? "truncated" : "too long",
                         found, file.bytes)});
  } else if (file.bytes % record_bytes(dataset) == 0 && dataset.record_label_bytes > 0) {
    check_labels(dataset, file.name, read_file(path.string()), issues);
  }
}

/// A folder beside the final one, so that one rename can put the files in place.
class StagingFolder {
 public:
  explicit StagingFolder(const fs::path& parent) {
    fs::create_directories(parent);
    path_ = parent / fmt::format(".import-{}", ::getpid());
    fs::remove_all(path_);
    fs::create_directory(path_);
  }
  StagingFolder(const StagingFolder&) = delete;
  StagingFolder& operator=(const StagingFolder&) = delete;
  ~StagingFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

fs::path unpacked(const std::string& archive, const fs::path& into) {
  std::ifstream stream{archive, std::ios::binary};
  if (stream.get() != 0x1F || stream.get() != 0x8B) {  // RFC 1952
    throw ConfigError{archive, "", "not a gzip file, expected a folder or a .tar.gz"};
  }
  fs::create_directory(into);
  run_checked({"tar", "--extract", "--gzip", "--no-same-owner", "--file", archive, "--directory",
               into.string()});
  return into;
}

}  // namespace

void require_dataset(const DatasetInfo& dataset, const std::string& data_folder) {
  if (const auto issue = issue_of(dataset, data_folder); !issue.empty()) {
    throw ConfigError{dataset.name, "", issue};
  }
}

void require_datasets(const Scenario& scenario, const Catalogue& catalogue) {
  if (is_program_alone(scenario)) return;  // a program brings its own data
  std::map<std::string, std::string> places{
      {scenario.workload.dataset.name, "/workload/dataset/name"}};
  const auto& initial = scenario.workload.initial;
  // Where pre-training uses the training set, a missing set is reported once, at the key of the
  // training set: emplace() keeps the first entry.
  if (initial.kind == "pretrain") {
    places.emplace(initial.dataset.name, "/workload/initial/dataset/name");
  }
  std::vector<Issue> issues;
  for (const auto& [name, pointer] : places) {
    const auto issue = issue_of(*catalogue.find_dataset(name), data_folder());
    if (!issue.empty()) issues.push_back({pointer, issue});
  }
  if (!issues.empty()) throw ConfigError{scenario.name, issues};
}

void put_in_place(const fs::path& files, const fs::path& target, const fs::path& aside) {
  const bool replaces = fs::exists(target);
  if (replaces) fs::rename(target, aside);
  try {
    fs::rename(files, target);
  } catch (const fs::filesystem_error&) {
    if (replaces) fs::rename(aside, target);
    throw;
  }
}

std::string import_dataset(const DatasetInfo& dataset, const std::string& path,
                           const std::string& data_folder) {
  StagingFolder staging{data_folder};
  const auto top =
      fs::is_directory(path) ? fs::path{path} : unpacked(path, staging.path() / "archive");
  const auto source = find_files(dataset, path, top);
  std::vector<Issue> issues;
  for (const auto& file : dataset.files) check_file(dataset, file, source, issues);
  if (!issues.empty()) throw ConfigError{path, issues};
  const auto files = staging.path() / "files";
  fs::create_directory(files);
  for (const auto& file : dataset.files) fs::copy_file(source / file.name, files / file.name);
  const auto target = fs::path{data_folder} / dataset.name;
  // A folder that was there is deleted with `staging`.
  put_in_place(files, target, staging.path() / "replaced");
  return target.string();
}

}  // namespace pacbench::data
