#include "harness/store/checksums.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/json/json_checksum.h"
#include "harness/store/cell_file.h"

namespace pacbench::store {
namespace {

void add(const std::string& file, const Issue& issue, ChecksumCheck& check) {
  check.findings.push_back(
      fmt::format("{}{}{}: {}", file, file.empty() ? "" : ": ", issue.pointer, issue.message));
}

/// Checks manifest.json and result.json. A pacbench that gives one of them a checksum gives it to
/// both, so where one has a checksum, its absence from the other is a finding.
void check_run(const RecordedRun& run, ChecksumCheck& check) {
  const auto manifest = read_json_file(run.path("manifest.json"));
  const bool expected = has_checksum(manifest) || has_checksum(run.result);
  const auto one = [&](const char* name, const Json& document) {
    if (expected && !has_checksum(document)) {
      add(run.path(name), {"/sha256", "missing: this key was taken out after the file was written"},
          check);
    } else if (const auto issue = checksum_issue(document)) {
      add(run.path(name), *issue, check);
    }
  };
  one("manifest.json", manifest);
  one("result.json", run.result);
}

/// The document, or null when it cannot be read; verify_numbers() says why.
Json read_cell(const std::string& path) {
  try {
    return read_json_file(path);
  } catch (const ConfigError&) {
    return {};
  }
}

void check_cell(const std::string& folder, ChecksumCheck& check) {
  const auto document = read_cell(folder + "/cell.json");
  if (!document.is_object()) return;
  const auto issues = changed_cell(folder);
  for (const auto& issue : issues) add("", issue, check);
  if (!document.contains("files") && issues.empty()) {
    ++check.without;
    return;
  }
  ++check.cells;
  check.files += static_cast<int>(document.value("files", Json::array()).size());
}

}  // namespace

ChecksumCheck verify_checksums(const RecordedRun& run, const std::vector<plan::Cell>& cells) {
  ChecksumCheck check;
  check_run(run, check);
  for (const auto& cell : cells) {
    const auto folder = run.cell_folder(cell);
    try {
      if (std::filesystem::exists(folder + "/cell.json")) check_cell(folder, check);
    } catch (const ConfigError& error) {
      check.findings.emplace_back(error.what());
    }
  }
  return check;
}

}  // namespace pacbench::store
