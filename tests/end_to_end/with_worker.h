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
    std::vector<std::string> arguments{"run", SCENARIOS "/smoke.json", "--accept-suspect", "--out",
                                       out()};
    arguments.insert(arguments.end(), changes.begin(), changes.end());
    return {PACBENCH_BIN "/pacbench", arguments, {"PACBENCH_CACHE=" + path("cache")}};
  }

  Output run(const std::vector<std::string>& changes) const { return start(changes).finish(); }

  RunResult result() const {
    const auto file = out() + "/result.json";
    return run_result_from_json(file, read_json_file(file));
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace pacbench
