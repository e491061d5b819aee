#include <algorithm>
#include <map>

#include "tests/end_to_end/with_worker.h"

namespace pacbench {
namespace {

using ::testing::HasSubstr;

using Smoke = WithWorker;

TEST_F(Smoke, TrainsAllMethodsAndPrintsTheirTable) {
  const auto output = run({});
  ASSERT_EQ(output.status.code, 0) << output.err;
  for (const char* label :
       {"all-reduce", "topk-keep10%", "pactrain-prune50%-grasp-float32", "200Mbps"}) {
    EXPECT_THAT(output.out, HasSubstr(label));
  }
  ASSERT_EQ(result().cells.size(), 3u);
  for (const auto& cell : result().cells) {
    EXPECT_EQ(cell.status, CellStatus::kDone) << cell.reason;
    EXPECT_EQ(cell.iterations, 24);
    EXPECT_GT(cell.final_accuracy, 0.5) << cell.label;
    EXPECT_GT(cell.time_per_iteration_s, 0);
    EXPECT_GE(cell.training_s, 20 * cell.time_per_iteration_s);
  }
}

TEST_F(Smoke, LinksCountWhatTheMethodsDeclare) {
  ASSERT_EQ(run({}).status.code, 0);
  for (const auto& cell : result().cells) {
    EXPECT_NEAR(cell.measured_bytes_per_iteration, cell.explained_bytes_per_iteration.value(),
                0.02 * cell.measured_bytes_per_iteration)
        << cell.label;
  }
  const auto& cells = result().cells;
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

TEST_F(Smoke, CurveDependsOnTheMethodAndNotOnTheLink) {
  const auto output = run({"--set", R"(/network/links=[{"name":"slow","rate_mbit":100},)"
                                    R"({"name":"fast","rate_mbit":1000}])"});
  ASSERT_EQ(output.status.code, 0) << output.err;
  for (const std::string label :
       {"all-reduce", "topk-keep10%", "pactrain-prune50%-grasp-float32"}) {
    const auto slow = curve_of(out() + "/cells/" + label + "-slow-1");
    EXPECT_GE(slow.size(), 8u);
    EXPECT_EQ(slow, curve_of(out() + "/cells/" + label + "-fast-1")) << label;
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
  EXPECT_EQ(cell.targets[0].iterations, crossing.at("iteration").get<std::int64_t>());
  // The curve is on the clock as it ran.
  const auto& target = cell.targets[0];
  EXPECT_EQ(target.tta_unrepaired_s ? target.tta_unrepaired_s : target.tta_s,
            crossing.at("training_s").get<double>());
  EXPECT_GT(*cell.targets[0].tta_s, 0);
  EXPECT_THAT(output.out, HasSubstr("loss 3.6"));
}

}  // namespace
}  // namespace pacbench
