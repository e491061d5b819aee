// Mode simulate: the exchanges that a profile recorded, over a model of the links.
#include "tests/unit/harness/runner.h"

namespace pacbench::run {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr int kBytes = 1'000'000;

Json exchanges_of(int workers) {
  auto exchanges = Json::parse(R"({
    "copy_gb_per_s": 10, "iterations": 5, "beside": {"elements": 0, "steps": [], "end_ms": 0},
    "buckets": [{"elements": 250000, "end_ms": 0, "steps": [{"work_ms": 0, "op": "all_reduce",
                 "dtype": "float32", "elements": 250000, "payload_bytes": 1000000}]}],
    "method": {"name": "fake", "fault": "none", "fault_rank": 1, "fault_iteration": 2, "step_ms": 5}
  })");
  exchanges["workers"] = workers;
  return exchanges;
}

class Simulate : public RunnerTest {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(PACBENCH_BIN "/pacbench-simulate")) {
      GTEST_SKIP() << "built without SimGrid";
    }
    RunnerTest::SetUp();
    // Mode simulate must need no other program than the simulator.
    std::filesystem::remove(path("pacbench-netd"));
    std::filesystem::create_symlink(PACBENCH_BIN "/pacbench-simulate", path("pacbench-simulate"));
    scenario_["mode"] = "simulate";
    scenario_["workers"] = 4;
    scenario_["methods"] = {{{"name", "fake"}}};
    scenario_["network"] = {{"links", {{{"name", "100Mbps"}, {"rate_mbit", 100}}}}};
    scenario_["compose"] = {{"profile", "fake.json"}, {"iterations", 3}, {"exchange", "profile"}};
    scenario_["simulate"] = Json::parse(R"({"bandwidth_factor": 1, "latency_ms": 0, "post_ms": 0,
                                            "message_ms": 0, "work_ns_per_byte": 0})");
  }

  void write_profile(const Json& exchanges) {
    auto profile = fake_profile(kBytes / 4);
    profile["exchanges"] = {exchanges};
    write_file_atomically(path("fake.gradients"), "sample");
    write_file_atomically(path("fake.json"), profile.dump());
  }

  Output simulated() {
    write_scenario(scenario_);
    return run({"--out", out()});
  }

  Json scenario_ = fake_scenario_json();
};

TEST_F(Simulate, TakesTheTimeOfARingForAnAllReduceAndKeepsLinesThatVerify) {
  write_profile(exchanges_of(4));
  const auto output = simulated();
  ASSERT_EQ(output.status.code, 0) << output.err;
  const auto found = result();
  EXPECT_EQ(found.mode, Mode::kSimulate);
  ASSERT_FALSE(found.cells.empty());
  const auto& cell = found.cells.front();
  EXPECT_EQ(cell.status, CellStatus::kDone) << cell.reason;
  EXPECT_EQ(cell.iterations, 3);
  // A step is 3 ms of computing, and 2 · 3/4 of a MB at 100 Mbit/s with headers of frames.
  const double ring_s = 1.5 * kBytes * 8 / 100e6 * 1514 / 1448;
  EXPECT_NEAR(cell.time_per_iteration_s, 0.003 + ring_s, 0.01 * ring_s);
  EXPECT_NEAR(cell.measured_bytes_per_iteration, 1.5 * kBytes * 1514 / 1448, 15'000);
  EXPECT_NEAR(cell.busiest_link_bytes_per_iteration.value_or(0), cell.measured_bytes_per_iteration,
              1);
  const auto verified = start_command({"verify", out()}).finish();
  EXPECT_EQ(verified.status.code, 0) << verified.out << verified.err;
}

TEST_F(Simulate, HasTopologiesOfItsOwn) {
  scenario_["workers"] = 8;
  scenario_["network"]["topology"] = "torus";
  scenario_["network"]["shape"] = {2, 4};
  write_profile(exchanges_of(8));
  const auto output = simulated();
  EXPECT_EQ(output.status.code, 0) << output.err;
  scenario_["network"]["shape"] = {2, 3};
  write_scenario(scenario_);
  EXPECT_THAT(run({"--out", path("refused")}).err, HasSubstr("2 × 3 make 6 workers"));
}

TEST_F(Simulate, RefusesWhatItsProfileDoesNotTellAndWhatItHasNoModelOf) {
  write_profile(exchanges_of(4));
  scenario_["workers"] = 16;
  EXPECT_THAT(simulated().err, HasSubstr("found no exchanges of fake"));
  scenario_["workers"] = 4;
  scenario_["network"]["links"][0]["loss"] = 0.01;
  scenario_["network"]["links"][0]["queue_kb"] = 512;
  scenario_["network"]["congestion_control"] = "reno";
  EXPECT_THAT(simulated().err, AllOf(HasSubstr("found jitter_ms, loss or reorder in mode simulate"),
                                     HasSubstr("found queue_kb in mode simulate"),
                                     HasSubstr("/network/congestion_control")));
}

TEST_F(Simulate, SaysHowToGetSimGridAndLeavesManyWorkersToItself) {
  write_profile(exchanges_of(4));
  std::filesystem::remove(path("pacbench-simulate"));
  EXPECT_THAT(simulated().err, HasSubstr("libsimgrid-dev"));
  scenario_["mode"] = "emulate";
  scenario_["workers"] = 200;
  EXPECT_THAT(simulated().err, HasSubstr("expected at most 128 in mode emulate"));
}

}  // namespace
}  // namespace pacbench::run
