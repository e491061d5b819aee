#include "analysis/evidence/evidence.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <set>
#include <sstream>

#include "analysis/evidence/archive.h"
#include "base/errors.h"
#include "base/json_reader.h"

namespace pacbench::evidence {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolder = "gpu-evidence";
constexpr const char* kFormat = "pacbench.evidence/1";

/// Runs `read`, which reads the facts of an archive that others may have changed. Turns its JSON
/// errors into ConfigError.
template <typename Read>
auto reading(const std::string& archive, Read read) {
  try {
    return read();
  } catch (const Json::exception& error) {
    throw ConfigError{archive,
                      {{"", fmt::format("expected the facts as tools/gpu-evidence writes them: {}",
                                        error.what())}}};
  }
}

std::vector<std::string> row_of(const Json& step) {
  const auto number = [&](const char* key) {
    return step.contains(key) ? fmt::format("{:.0f}", step.at(key).get<double>()) : "";
  };
  std::string tests;
  if (step.contains("tests")) {
    const auto& counts = step.at("tests");
    tests = fmt::format("{} passed, {} failed, {} skipped", counts.at("passed").get<int>(),
                        counts.at("failed").get<int>(), counts.at("skipped").get<int>());
  }
  return {step.at("name"), step.at("status"), number("seconds"), number("limit_s"), tests};
}

std::vector<std::string> time_row(double rate_mbit, const std::string& name, double step_s,
                                  double wire_s) {
  return {fmt::format("{:g}", rate_mbit), name, significant(step_s), significant(wire_s),
          significant(step_s / wire_s)};
}

}  // namespace

bool is_archive(const std::string& path) {
  return path.ends_with(".tar.gz") && fs::is_regular_file(path);
}

Evidence::Evidence(const std::string& archive)
    : archive_{archive},
      unpacked_{"pacbench-evidence"},
      folder_{fmt::format("{}/{}", unpacked_.path(), kFolder)} {
  unpack(archive, kFolder, unpacked_.path());
  facts_ = read_json_file(folder_ + "/evidence.json");
  const auto format = facts_.is_object() ? facts_.value("format", Json{}) : Json{};
  if (format != kFormat) {
    throw ConfigError{
        archive, {{"/format", fmt::format("found {}, expected \"{}\"", format.dump(), kFormat)}}};
  }
}

std::vector<report::MergedRuns> Evidence::runs(bool as_packed) const {
  std::set<std::string> names;
  if (fs::is_directory(folder_ + "/runs")) {
    for (const auto& entry : fs::directory_iterator{folder_ + "/runs"}) {
      // A run that was refused or broken off before its first cell began may have no result.json.
      if (fs::exists(entry.path() / "result.json")) names.insert(entry.path().filename());
    }
  }
  std::vector<report::MergedRuns> groups;
  for (const auto& name : names) {
    auto run = store::read_result(fmt::format("{}/runs/{}", folder_, name));
    if (as_packed) run.path = fmt::format("{}/{}/runs/{}/result.json", archive_, kFolder, name);
    groups.push_back(report::merge_runs({run}));
  }
  if (groups.empty()) {
    throw ConfigError{
        archive_,
        {{"/steps",
          fmt::format(
              "found no run with a result in this archive, expected at least one: see how its "
              "steps ended, and pack another archive with tools/gpu-evidence; steps: {}",
              facts_.value("steps", Json{}).dump())}}};
  }
  return groups;
}

std::string Evidence::title() const {
  return reading(archive_, [&] {
    const auto& machine = facts_.at("machine");
    const auto made = fmt::format("by {}, {}", machine.at("pacbench").get<std::string>(),
                                  facts_.at("made_utc").get<std::string>());
    if (facts_.at("rehearsal").get<bool>()) {
      return fmt::format("Rehearsal on the CPU ({}) {}: its numbers say nothing about GPUs",
                         machine.at("cpu").get<std::string>(), made);
    }
    return fmt::format("Evidence from {}, driver {}, NCCL {}, {}",
                       fmt::join(machine.at("gpus").get<std::vector<std::string>>(), " + "),
                       machine.at("driver_version").get<std::string>(),
                       machine.at("nccl_version").get<std::string>(), made);
  });
}

Table Evidence::steps() const {
  return reading(archive_, [&] {
    Table table{{{"", "step", true},
                 {"", "how it ended", true},
                 {"", "s"},
                 {"", "limit s"},
                 {"", "tests", true}},
                {}};
    for (const auto& step : facts_.at("steps")) table.rows.push_back(row_of(step));
    return table;
  });
}

Table Evidence::times() const {
  return reading(archive_, [&] {
    Table table{
        {{"", "Mbit/s"}, {"", "program", true}, {"", "step s"}, {"", "wire s"}, {"", "ratio"}}, {}};
    if (!fs::exists(folder_ + "/ddp.jsonl")) return table;
    std::istringstream lines{read_file(folder_ + "/ddp.jsonl")};
    for (std::string line; std::getline(lines, line);) {
      const auto told = parse_json_line(line);
      const double rate_mbit = told.at("rate_mbit");
      if (!told.contains("results")) {
        table.rows.push_back(time_row(rate_mbit, "pacbench, " + told.at("label").get<std::string>(),
                                      told.at("step_s"), told.at("wire_s")));
        continue;
      }
      for (const auto& result : told.at("results")) {
        table.rows.push_back(time_row(rate_mbit, "PyTorch, " + result.at("hook").get<std::string>(),
                                      result.at("median_step_s"), result.at("arithmetic_step_s")));
      }
    }
    return table;
  });
}

}  // namespace pacbench::evidence
