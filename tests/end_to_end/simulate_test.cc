// Compares mode simulate with real exchanges of the same profile.
#include <filesystem>

#include "base/files.h"
#include "tests/end_to_end/with_worker.h"

namespace pacbench {
namespace {

class SimulatedRun : public WithWorker {
 protected:
  /// Runs all three methods of smoke.json in `mode`, from the profile that profile() made.
  Output run_by_profile(const std::string& mode, int workers) const {
    const Json composed{{"profile", path("p.json")}, {"exchange", "profile"}, {"iterations", 8}};
    std::filesystem::remove_all(out());
    return run({"--set", "/mode=\"" + mode + "\"", "--set", "/workers=" + std::to_string(workers),
                "--set", "/compose=" + composed.dump(), "--set",
                R"(/targets={"of_all_reduce": [0.9], "loss_of_all_reduce": [0.5]})"});
  }

  Output profile(const std::string& scenario, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{"profile",      scenario, "--exchanges", "-o", path("p.json"),
                                   "--iterations", "5"};
    words.insert(words.end(), more.begin(), more.end());
    return command(words);
  }
};

// In a star each worker has a link of its own, so the link's bytes are those that the worker sends.
TEST_F(SimulatedRun, SendsWhatARealOneSendsForEachNumberOfWorkersThatTheProfileHas) {
  const auto profiled = profile(SCENARIOS "/smoke.json", {"--exchange-workers", "2,8"});
  ASSERT_EQ(profiled.status.code, 0) << profiled.err;
  for (const int workers : {2, 8}) {
    const auto exchanged = run_by_profile("compose", workers);
    ASSERT_EQ(exchanged.status.code, 0) << exchanged.err;
    const auto real = result().cells;
    const auto simulated = run_by_profile("simulate", workers);
    ASSERT_EQ(simulated.status.code, 0) << simulated.err;
    const auto found = result().cells;
    ASSERT_EQ(found.size(), real.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      SCOPED_TRACE(found[i].label + " among " + std::to_string(workers));
      EXPECT_EQ(found[i].status, CellStatus::kDone) << found[i].reason;
      EXPECT_EQ(found[i].payload_bytes_per_iteration, real[i].payload_bytes_per_iteration);
      // How often TCP sends acknowledgements varies from run to run.
      EXPECT_NEAR(found[i].measured_bytes_per_iteration, real[i].measured_bytes_per_iteration,
                  0.03 * real[i].measured_bytes_per_iteration);
    }
  }
}

TEST_F(SimulatedRun, MayBeProfiledFromItsOwnScenario) {
  auto document = read_json_file(SCENARIOS "/smoke.json");
  document["mode"] = "simulate";
  document["workers"] = 8;
  document["network"]["topology"] = "torus";
  document["network"]["shape"] = {2, 4};
  document["methods"] = {{{"name", "all-reduce"}}};
  write_file_atomically(path("torus.json"), document.dump());
  const auto profiled = profile(path("torus.json"));
  ASSERT_EQ(profiled.status.code, 0) << profiled.err;
  EXPECT_EQ(read_json_file(path("p.json")).at("exchanges").at(0).at("workers"), 8);
}

}  // namespace
}  // namespace pacbench
