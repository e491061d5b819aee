#include <map>

#include "tests/end_to_end/with_worker.h"

namespace pacbench {
namespace {

using testing::HasSubstr;

using Smoke = WithWorker;

TEST_F(Smoke, TrainsAllMethodsAndPrintsTheirTable) {
  const auto output = run({});
  ASSERT_EQ(output.status.code, 0) << output.err;
  for (const char* label : {"all-reduce", "topk-0.1", "pactrain-0.5", "200Mbps"}) {
    EXPECT_THAT(output.out, HasSubstr(label));
  }
  ASSERT_EQ(result().cells.size(), 3u);
  for (const auto& cell : result().cells) {
    EXPECT_EQ(cell.status, "done") << cell.reason;
    EXPECT_EQ(cell.iterations, 24);
    EXPECT_GT(cell.final_accuracy, 0.5) << cell.label;
    EXPECT_GT(cell.time_per_iteration_s, 0);
    EXPECT_GE(cell.training_s, 20 * cell.time_per_iteration_s);
  }
}

TEST_F(Smoke, LinksCountWhatTheMethodsDeclare) {
  ASSERT_EQ(run({}).status.code, 0);
  for (const auto& cell : result().cells) {
    // Acknowledgements, and segments that are not full, make more than the declared frames.
    EXPECT_GT(cell.measured_bytes_per_iteration, 0.97 * cell.expected_bytes_per_iteration)
        << cell.label;
    EXPECT_LT(cell.measured_bytes_per_iteration, 1.25 * cell.expected_bytes_per_iteration)
        << cell.label;
  }
  const auto& cells = result().cells;
  EXPECT_LT(cells[1].measured_bytes_per_iteration, cells[0].measured_bytes_per_iteration)
      << "a tenth of the values, as index and value, to all of the others";
}

/// Iteration and accuracy of every evaluation.
std::map<std::int64_t, double> curve_of(const std::string& cell_folder) {
  std::map<std::int64_t, double> curve;
  const auto text = read_file(cell_folder + "/curve.jsonl");
  for (std::size_t start = 0; start < text.size();) {
    const auto end = text.find('\n', start);
    const auto event = Json::parse(text.substr(start, end - start));
    curve[event.at("iteration")] = event.at("accuracy");
    start = end + 1;
  }
  return curve;
}

TEST_F(Smoke, CurveDependsOnTheMethodAndNotOnTheLink) {
  const auto output = run({"--set", R"(/network/links=[{"name":"slow","rate_mbit":100},)"
                                    R"({"name":"fast","rate_mbit":1000}])"});
  ASSERT_EQ(output.status.code, 0) << output.err;
  for (const std::string label : {"all-reduce", "topk-0.1", "pactrain-0.5"}) {
    const auto slow = curve_of(out() + "/cells/" + label + "-slow-1");
    EXPECT_GE(slow.size(), 8u);
    EXPECT_EQ(slow, curve_of(out() + "/cells/" + label + "-fast-1")) << label;
  }
}

}  // namespace
}  // namespace pacbench
