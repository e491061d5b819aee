#pragma once

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "contract/result/result.h"
#include "tests/end_to_end/driver.h"

namespace pacbench {

/// Tests that train. They are skipped where the worker was not built, or without root, which links
/// need.
class WithWorker : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(PACBENCH_BIN "/pacbench-worker")) {
      GTEST_SKIP() << "pacbench-worker is not built";
    }
    if (::geteuid() != 0) GTEST_SKIP() << "needs root for namespaces";
  }

  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  std::string out() const { return path("out"); }

  /// Starts `pacbench run` of smoke.json with changes. The results go to out().
  PacbenchProcess start(const std::vector<std::string>& changes) const {
    return start_into(out(), changes);
  }

  PacbenchProcess start_into(const std::string& folder, std::vector<std::string> changes) const {
    changes.insert(changes.begin(),
                   {"run", SCENARIOS "/smoke.json", "--accept-suspect", "--out", folder});
    return start_command(changes);
  }

  PacbenchProcess start_command(const std::vector<std::string>& words) const {
    return {PACBENCH_BIN "/pacbench", words, {"PACBENCH_CACHE=" + path("cache")}};
  }

  Output run(const std::vector<std::string>& changes) const { return start(changes).finish(); }
  Output command(const std::vector<std::string>& words) const {
    return start_command(words).finish();
  }

  static RunResult result_of(const std::string& folder) {
    const auto file = folder + "/result.json";
    return run_result_from_json(file, read_json_file(file));
  }
  RunResult result() const { return result_of(out()); }

 private:
  TemporaryFolder folder_;
};

}  // namespace pacbench
