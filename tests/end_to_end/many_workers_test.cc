// More workers than most machines have cores, each a process of its own with its own link.
#include <cmath>

#include "tests/end_to_end/with_worker.h"

namespace pacbench {
namespace {

class ManyWorkers : public WithWorker, public ::testing::WithParamInterface<int> {
 protected:
  static constexpr int kIterations = 3;
};

TEST_P(ManyWorkers, TrainOverTheirLinks) {
  const int workers = GetParam();
  const auto output =
      run({"--only", "method=all-reduce", "--set", "/workers=" + std::to_string(workers), "--set",
           R"(/network/links=[{"name":"500Mbps","rate_mbit":500}])", "--set",
           "/workload/batch_per_worker=16", "--set",
           "/workload/max_iterations=" + std::to_string(kIterations)});
  ASSERT_EQ(output.status.code, 0) << output.err;
  ASSERT_EQ(result().cells.size(), 1u);
  const auto cell = result().cells.front();
  EXPECT_EQ(cell.status, CellStatus::kDone) << cell.reason;
  EXPECT_EQ(cell.iterations, kIterations);
  EXPECT_TRUE(std::isfinite(cell.final_accuracy.value()));
  EXPECT_GT(cell.final_accuracy, 0.2) << "one in ten is what guessing gives";
  EXPECT_GT(cell.measured_bytes_per_iteration, 0.97 * cell.expected_bytes_per_iteration);
  EXPECT_EQ(lines_in(out() + "/cells/all-reduce-500Mbps-1/iterations.jsonl"),
            static_cast<std::size_t>(workers * kIterations))
      << "every rank tells of every iteration";
}

INSTANTIATE_TEST_SUITE_P(Sixteen, ManyWorkers, ::testing::Values(16));
INSTANTIATE_TEST_SUITE_P(ThirtyTwo, ManyWorkers, ::testing::Values(32));

}  // namespace
}  // namespace pacbench
