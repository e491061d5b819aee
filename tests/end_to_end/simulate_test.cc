// Compares mode simulate with real exchanges of the same profile.
#include <filesystem>

#include "base/files.h"
#include "tests/end_to_end/with_worker.h"

namespace pacbench {
namespace {

using ::testing::HasSubstr;

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

  Output profile() const {
    return PacbenchProcess{PACBENCH_BIN "/pacbench",
                           {"profile", SCENARIOS "/smoke.json", "--exchanges", "--exchange-workers",
                            "2,8", "-o", path("p.json"), "--iterations", "5"},
                           {"PACBENCH_CACHE=" + path("cache")}}
        .finish();
  }
};

// In a star each worker has a link of its own, so the link's bytes are those that the worker sends.
TEST_F(SimulatedRun, SendsWhatARealOneSendsForEachNumberOfWorkersThatTheProfileHas) {
  const auto profiled = profile();
  ASSERT_EQ(profiled.status.code, 0) << profiled.err;
  for (const int workers : {2, 8}) {
    const auto exchanged = run_by_profile("compose", workers);
    ASSERT_EQ(exchanged.status.code, 0) << exchanged.err;
    const auto real = result();
    const auto simulated = run_by_profile("simulate", workers);
    ASSERT_EQ(simulated.status.code, 0) << simulated.err;
    const auto found = result();
    ASSERT_EQ(found.cells.size(), real.cells.size());
    for (std::size_t i = 0; i < found.cells.size(); ++i) {
      SCOPED_TRACE(found.cells[i].label + " among " + std::to_string(workers));
      EXPECT_EQ(found.cells[i].status, CellStatus::kDone) << found.cells[i].reason;
      EXPECT_EQ(found.cells[i].payload_bytes_per_iteration,
                real.cells[i].payload_bytes_per_iteration);
      // How often TCP sends acknowledgements varies from run to run.
      EXPECT_NEAR(found.cells[i].measured_bytes_per_iteration,
                  real.cells[i].measured_bytes_per_iteration,
                  0.03 * real.cells[i].measured_bytes_per_iteration);
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
  const auto profiled = PacbenchProcess{
      PACBENCH_BIN "/pacbench",
      {"profile", path("torus.json"), "--exchanges", "-o", path("p.json"), "--iterations", "5"},
      {"PACBENCH_CACHE=" +
       path("cache")}}.finish();
  ASSERT_EQ(profiled.status.code, 0) << profiled.err;
  EXPECT_EQ(read_json_file(path("p.json")).at("exchanges").at(0).at("workers"), 8);
}

TEST_F(SimulatedRun, OfANumberOfWorkersThatTheProfileLacksIsRefused) {
  ASSERT_EQ(profile().status.code, 0);
  const auto refused = run_by_profile("simulate", 4);
  EXPECT_EQ(refused.status.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("--exchange-workers"));
}

}  // namespace
}  // namespace pacbench
