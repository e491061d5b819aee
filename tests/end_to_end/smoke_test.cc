#include <algorithm>
#include <map>

#include "tests/end_to_end/with_worker.h"

namespace pacbench {
namespace {

using ::testing::HasSubstr;

using Smoke = WithWorker;

TEST_F(Smoke, TrainsAllMethodsPrintsTheirTableAndCountsTheBytesThatTheyDeclare) {
  const auto output = run({});
  ASSERT_EQ(output.status.code, 0) << output.err;
  EXPECT_THAT(output.out, HasSubstr("topk-keep10%"));
  const auto cells = result().cells;
  ASSERT_EQ(cells.size(), 3u);
  for (const auto& cell : cells) {
    EXPECT_EQ(cell.status, CellStatus::kDone) << cell.reason;
    EXPECT_EQ(cell.iterations, 24);
    EXPECT_GT(cell.final_accuracy, 0.5) << cell.label;
    EXPECT_GT(cell.time_per_iteration_s, 0);
    EXPECT_GE(cell.training_s, 20 * cell.time_per_iteration_s);
    EXPECT_NEAR(cell.measured_bytes_per_iteration, cell.explained_bytes_per_iteration.value(),
                0.02 * cell.measured_bytes_per_iteration)
        << cell.label;
  }
  EXPECT_LT(cells[1].measured_bytes_per_iteration, cells[0].measured_bytes_per_iteration)
      << "a tenth of the values, as index and value, to all of the others";
}

/// Iteration and accuracy of every evaluation.
std::map<std::int64_t, double> curve_of(const std::string& cell_folder) {
  std::map<std::int64_t, double> curve;
  for (const auto& event : evaluations_of(cell_folder)) {
    curve[event.at("iteration")] = event.at("accuracy");
  }
  return curve;
}

TEST_F(Smoke, AtAnotherSpeedOfTimeOnlyTheClockDiffers) {
  std::vector<RunResult> results;
  for (const std::string factor : {"1", "4"}) {
    const auto folder = path("dilation-" + factor);
    const auto output =
        start_into(folder, {"--set", "/workers=2", "--set", "/time_dilation=" + factor, "--set",
                            "/network/links/0/rate_mbit=25", "--only",
                            "method=all-reduce|pactrain-prune50%-grasp-float32"})
            .finish();
    ASSERT_EQ(output.status.code, 0) << output.err;
    results.push_back(result_of(folder));
  }
  ASSERT_EQ(results[1].cells.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    const auto& real = results[0].cells[i];
    const auto& slow = results[1].cells[i];
    const auto cell = "/cells/" + real.label + "-200Mbps-1";
    EXPECT_EQ(curve_of(path("dilation-1") + cell), curve_of(path("dilation-4") + cell));
    EXPECT_EQ(slow.expected_bytes_per_iteration, real.expected_bytes_per_iteration);
    EXPECT_NEAR(slow.measured_bytes_per_iteration, real.measured_bytes_per_iteration,
                0.02 * real.measured_bytes_per_iteration);
    EXPECT_NEAR(slow.time_per_iteration_s, real.time_per_iteration_s,
                0.1 * real.time_per_iteration_s)
        << real.label;
    EXPECT_EQ(slow.link_verdict.word, "ok") << slow.label;
  }
}

TEST_F(Smoke, ACharacterModelIsTimedToALossWhereItStays) {
  const auto output =
      run({"--set", "/workers=2", "--only", "method=all-reduce", "--set",
           R"(/workload/model={"name":"char-gpt","layers":1,"width":64})", "--set",
           R"(/workload/dataset={"name":"tinyshakespeare"})", "--set",
           "/workload/evaluate_samples=32", "--set", R"(/targets={"loss":[3.6,0.1]})"});
  ASSERT_EQ(output.status.code, 0) << output.err;
  const auto cell = result().cells.at(0);
  ASSERT_EQ(cell.targets.size(), 2u);
  EXPECT_EQ(cell.targets[1].tta_s, std::nullopt) << "less than this text's entropy";
  const auto evaluations = evaluations_of(out() + "/cells/all-reduce-200Mbps-1");
  ASSERT_GE(evaluations.size(), 4u);
  // This loss stays below the target once it is there, so the crossing is the evaluation after the
  // last one above.
  const auto above = [](const Json& event) { return event.at("loss").get<double>() > 3.6; };
  const auto last = std::find_if(evaluations.rbegin(), evaluations.rend(), above);
  ASSERT_NE(last, evaluations.rbegin()) << "it has to learn within these iterations";
  ASSERT_NE(last, evaluations.rend()) << "it has to begin above the target";
  const auto& crossing = *std::prev(last);
  const auto& target = cell.targets[0];
  EXPECT_EQ(target.iterations, crossing.at("iteration").get<std::int64_t>());
  // The curve is on the clock as it ran.
  EXPECT_EQ(target.tta_unrepaired_s ? target.tta_unrepaired_s : target.tta_s,
            crossing.at("training_s").get<double>());
  EXPECT_GT(*target.tta_s, 0);
  EXPECT_THAT(output.out, HasSubstr("loss 3.6"));
}

using Baseline = WithWorker;

/// Whether a check may stay open because of the machine: curves on another CPU, and wire bytes
/// where its links were suspect.
bool may_stay_open(const Json& check) {
  return check.at("verdict") == "not asked" ||
         (check.at("verdict") == "inconclusive" &&
          check.at("quantity") == "measured bytes per iteration");
}

TEST_F(Baseline, IsWhatThisBuildSendsAndLearns) {
  ASSERT_EQ(run({}).status.code, 0);
  const auto compared = command({"compare", BASELINE, out(), "--format", "json"});
  // One run on each side decides nothing about times. The exit code is 3 (inconclusive), or 4
  // (incomparable) on another machine.
  ASSERT_THAT(compared.status.code, ::testing::AnyOf(3, 4)) << compared.out << compared.err;
  const auto gate = Json::parse(compared.out).at("gate");
  EXPECT_GE(gate.size(), 3 * result().cells.size());
  for (const auto& check : gate) {
    EXPECT_TRUE(check.at("verdict") == "equal" || may_stay_open(check)) << check.dump();
  }
}

class ManyWorkers : public WithWorker, public ::testing::WithParamInterface<std::size_t> {};

TEST_P(ManyWorkers, TrainOverTheirLinks) {
  const auto output =
      run({"--only", "method=all-reduce", "--set", "/workers=" + std::to_string(GetParam()),
           "--set", R"(/network/links=[{"name":"500Mbps","rate_mbit":500}])", "--set",
           "/workload/batch_per_worker=16", "--set", "/workload/max_iterations=3"});
  ASSERT_EQ(output.status.code, 0) << output.err;
  ASSERT_EQ(result().cells.size(), 1u);
  const auto cell = result().cells.front();
  EXPECT_EQ(cell.status, CellStatus::kDone) << cell.reason;
  EXPECT_EQ(cell.iterations, 3);
  EXPECT_GT(cell.final_accuracy, 0.2) << "one in ten is what guessing gives";
  EXPECT_GT(cell.measured_bytes_per_iteration, 0.97 * cell.expected_bytes_per_iteration);
  EXPECT_EQ(lines_in(out() + "/cells/all-reduce-500Mbps-1/iterations.jsonl"), 3 * GetParam());
}

INSTANTIATE_TEST_SUITE_P(Sixteen, ManyWorkers, ::testing::Values(16));
INSTANTIATE_TEST_SUITE_P(ThirtyTwo, ManyWorkers, ::testing::Values(32));

}  // namespace
}  // namespace pacbench
