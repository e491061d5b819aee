// Files with nothing but brackets: each command that reads a file refuses them with a message.
#include "tests/unit/harness/runner.h"

namespace pacbench::run {
namespace {

using ::testing::ContainsRegex;

class DeepJson : public RunnerTest {
 protected:
  static std::string brackets() { return std::string(200'000, '[') + std::string(200'000, ']'); }

  /// A run whose `file` holds brackets(); its other files are those of a real run.
  std::string run_with_deep(const std::string& file) {
    auto scenario = fake_scenario_json();
    scenario["mode"] = "learn";
    write_scenario(scenario);
    EXPECT_EQ(run({"--out", out(), "--only", "method=a,seed=1"}).status.code, 0);
    write_file_atomically(out() + "/" + file, brackets());
    return out();
  }

  void refused(const std::vector<std::string>& words, const std::string& file) const {
    SCOPED_TRACE(words.front());
    const auto output = start_command(words).finish();
    EXPECT_EQ(output.status.code, 2) << output.status.signal;
    EXPECT_THAT(output.err, ContainsRegex(file + ".*more than 64 deep at line 1, column 65"));
  }
};

TEST_F(DeepJson, IsRefusedAsAScenarioAndAsACatalogue) {
  const auto file = path("deep.json");
  write_file_atomically(file, brackets());
  refused({"validate", file}, "deep.json");
  refused({"run", file, "--out", out()}, "deep.json");
  EXPECT_FALSE(std::filesystem::exists(out()));
  write_file_atomically(path("catalog.json"), brackets());
  refused({"validate", path("scenario.json")}, "catalog.json");
}

TEST_F(DeepJson, IsRefusedAsAValueOfSet) {
  const auto value = std::string(50'000, '[') + std::string(50'000, ']');
  const auto output = run({"--dry-run", "--set", "/workload/max_iterations=" + value});
  EXPECT_EQ(output.status.code, 2) << output.status.signal;
  EXPECT_THAT(output.err, ContainsRegex("/workload/max_iterations: found .*expected a number"));
}

TEST_F(DeepJson, IsRefusedAsAResultAndAsAManifest) {
  const auto folder = run_with_deep("result.json");
  for (const char* command : {"report", "verify", "recount"}) {
    refused({command, folder}, "result.json");
  }
  refused({"compare", folder, folder}, "result.json");
  refused({"export", folder, "--to", "bmf"}, "result.json");
  write_file_atomically(folder + "/manifest.json", brackets());
  refused({"verify", folder}, "manifest.json");
  refused({"run", path("scenario.json"), "--out", folder, "--resume"}, "manifest.json");
}

TEST_F(DeepJson, IsFoundInTheLinesOfACell) {
  const auto folder = run_with_deep("cells/a-none-1/curve.jsonl");
  const auto output = start_command({"verify", folder, "--curves", "0"}).finish();
  EXPECT_EQ(output.status.code, 1) << output.err;
  EXPECT_THAT(output.out, ContainsRegex("DIFFERS  .*curve.jsonl"));
}

TEST_F(DeepJson, OfAWorkerIsNoEvent) {
  const auto worker = path("pacbench-worker");
  std::filesystem::remove(worker);
  write_file_atomically(worker, "#!/bin/sh\nexec printf '%0200000d\\n' 0 | tr 0 '['\n");
  std::filesystem::permissions(worker, std::filesystem::perms::owner_all);
  auto scenario = fake_scenario_json();
  scenario["mode"] = "learn";
  write_scenario(scenario);
  const auto output = run({"--out", out(), "--only", "method=a,seed=1"});
  EXPECT_EQ(output.status.code, 1) << output.status.signal << output.err;
  EXPECT_THAT(output.err, ContainsRegex("ranks 0 to 1 wrote a line that is not an event"));
}

}  // namespace
}  // namespace pacbench::run
