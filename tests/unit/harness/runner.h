#pragma once

#include <gmock/gmock.h>

#include <filesystem>

#include "base/json/json_checksum.h"
#include "base/text_file.h"
#include "contract/result/result.h"
#include "tests/end_to_end/driver.h"
#include "tests/unit/harness/example.h"

namespace pacbench {

/// pacbench itself and the real daemon, with the fake worker in place of the real one.
class RunnerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    // The real programs lie beside the fake worker.
    std::filesystem::create_symlink(FAKE_WORKER, path("pacbench-worker"));
    std::filesystem::create_symlink(PACBENCH_BIN "/pacbench-netd", path("pacbench-netd"));
    write_probe("");
    write_file_atomically(path("catalog.json"), to_json(fake_catalogue()).dump());
    write_scenario(fake_scenario_json());
  }

  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  std::string out() const { return path("out"); }

  void write_scenario(const Json& scenario) {
    write_file_atomically(path("scenario.json"), scenario.dump());
  }

  /// Writes the scenario in mode learn, with these changes.
  void write_learning(const Json& changes = Json::object()) {
    auto scenario = fake_scenario_json();
    scenario["mode"] = "learn";
    scenario.update(changes);
    write_scenario(scenario);
  }

  /// Writes a script that runs the real probe with shorter flows and with `options`.
  void write_probe(const std::string& options) {
    const auto file = path("pacbench-probe");
    write_file_atomically(file,
                          "#!/bin/sh\n"
                          "test \"$1\" = flow || exec " PACBENCH_BIN
                          "/pacbench-probe \"$@\"\n"
                          "exec " PACBENCH_BIN
                          "/pacbench-probe flow \"$2\" --await-go --seconds 0.5 " +
                              options + "\n");
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  }

  PacbenchProcess start_command(const std::vector<std::string>& words,
                                const std::vector<std::string>& before = {}) const {
    std::vector<std::string> prefix{"PACBENCH_PROGRAMS=" + folder_.path(),
                                    "PACBENCH_CACHE=" + path("cache"),
                                    "PACBENCH_DATA=" + path("data")};
    prefix.insert(prefix.end(), before.begin(), before.end());
    return {PACBENCH_BIN "/pacbench", words, prefix};
  }

  /// Starts `pacbench run` of the scenario, with --accept-suspect, so that a busy machine does not
  /// fail the tests.
  PacbenchProcess start(std::vector<std::string> arguments,
                        const std::vector<std::string>& before = {}) const {
    arguments.insert(arguments.begin(), {"run", path("scenario.json"), "--accept-suspect"});
    return start_command(arguments, before);
  }

  Output run(const std::vector<std::string>& arguments,
             const std::vector<std::string>& before = {}) const {
    return start(arguments, before).finish();
  }

  /// Writes a file of lines, and removes the compressed form that it may have had before.
  static void write_text(const std::string& file, const std::string& text) {
    write_file_atomically(file, text);
    std::filesystem::remove(file + kCompressed);
  }

  static std::string read_text(const std::string& file) {
    TextReader reader{file};
    std::string text;
    for (auto part = reader.read(); !part.empty(); part = reader.read()) text += part;
    return text;
  }

  /// Renews the checksum of a changed file, as if pacbench had written it so.
  static void seal(const std::string& file) {
    write_file_atomically(file, with_checksum(read_json_file(file)).dump(2));
  }

  /// Removes the checksums from the run, as if a pacbench without checksums had recorded it.
  void take_checksums_out() const {
    std::vector<std::string> files{out() + "/manifest.json", out() + "/result.json"};
    for (const auto& cell : std::filesystem::directory_iterator{out() + "/cells"}) {
      files.push_back(cell.path().string() + "/cell.json");
    }
    for (const auto& file : files) {
      auto document = read_json_file(file);
      document.erase("files");
      document.erase(kChecksum);
      write_file_atomically(file, document.dump(2));
    }
  }

  RunResult result() const {
    const auto file = out() + "/result.json";
    return run_result_from_json(file, read_json_file(file));
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace pacbench
