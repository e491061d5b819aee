// wan100-cuda.json with the real worker. Without a GPU it is refused. With a GPU, two, four or
// eight ranks share it over shaped links.
#include <fmt/format.h>

#include <set>

#include "contract/worker/gpus.h"
#include "harness/store/files.h"
#include "tests/end_to_end/with_worker.h"

namespace pacbench {
namespace {

using ::testing::HasSubstr;

constexpr const char* kMethods = R"([
  {"name": "all-reduce"}, {"name": "fp16"}, {"name": "topk", "ratio": 0.1},
  {"name": "terngrad", "encoding": "lanes"},
  {"name": "pactrain", "quantize": "ternary", "encoding": "all-to-all"}, {"name": "pactrain"}])";

class OnGpus : public WithWorker {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(PACBENCH_BIN "/pacbench-worker")) {
      GTEST_SKIP() << "pacbench-worker is not built";
    }
    devices_ =
        devices_from_json(Json::parse(run_checked({PACBENCH_BIN "/pacbench-worker", "--devices"})));
  }

  /// Runs wan100-cuda.json with `changes`, which shorten it.
  Output run_cuda(const std::string& folder, const std::vector<std::string>& changes) const {
    std::vector<std::string> words{"run", SCENARIOS "/wan100-cuda.json", "--accept-suspect",
                                   "--out", path(folder)};
    for (const auto& change : changes) words.insert(words.end(), {"--set", change});
    return command(words);
  }

  Devices devices_;
};

TEST_F(OnGpus, NothingIsStartedWhereThereIsNone) {
  if (!devices_.gpus.empty()) GTEST_SKIP() << "there is a GPU: " << devices_.gpus.front();
  const auto output = run_cuda("refused", {});
  EXPECT_EQ(output.status.code, 2) << output.out;
  EXPECT_THAT(output.err,
              HasSubstr(fmt::format("/device: found \"cuda\", but {}", devices_.no_gpus)));
  if (!devices_.no_nccl.empty()) {
    EXPECT_THAT(output.err,
                HasSubstr(fmt::format("/backend: found \"nccl\", but {}", devices_.no_nccl)));
  }
  EXPECT_FALSE(std::filesystem::exists(path("refused")));
}

class SharedGpu : public OnGpus {
 protected:
  void SetUp() override {
    OnGpus::SetUp();
    if (IsSkipped()) return;
    if (devices_.gpus.empty()) GTEST_SKIP() << devices_.no_gpus;
    if (devices_.nccl_version.empty()) GTEST_SKIP() << devices_.no_nccl;
    if (::geteuid() != 0) GTEST_SKIP() << "needs root for namespaces";
  }

  /// Ranks compare hashes of their weights before each evaluation. A cell in which they ever differ
  /// is not done.
  void expect_done_with_expected_bytes(const std::string& folder) const {
    const auto run = result_of(path(folder));
    ASSERT_EQ(run.cells.size(), 6u);
    for (const auto& cell : run.cells) {
      ASSERT_EQ(cell.status, CellStatus::kDone) << cell.label << ": " << cell.reason;
      const auto expected = cell.expected_bytes_per_iteration;
      EXPECT_GT(cell.measured_bytes_per_iteration, 0.97 * expected) << cell.label;
      EXPECT_LT(cell.measured_bytes_per_iteration, 1.05 * expected + allowance(folder, cell))
          << cell.label;
    }
  }

  /// The bytes that an iteration sends however little it exchanges. A collective over N ranks has
  /// at most 2(N-1) steps, and in each of them a rank sends two segments. Some 500 bytes go with a
  /// segment, in frames of their own (docs/METRICS.md): its announcement (three messages of 48
  /// bytes over Gloo, its size over NCCL), the rest of its last frame, and acknowledgements.
  double allowance(const std::string& folder, const CellResult& cell) const {
    constexpr double kBytesPerStep = 2 * 512;
    std::set<int> ranks;
    double iterations = 0;
    double collectives = 0;
    const auto count = [&](const Json& event, const std::string&, std::size_t) {
      ++iterations;
      ranks.insert(event.at("rank").get<int>());
      for (const auto& bucket : event.at("buckets")) {
        collectives += static_cast<double>(bucket.at("collectives").size());
      }
    };
    store::for_each_event(fmt::format("{}/cells/{}-{}-{}/iterations.jsonl", path(folder),
                                      cell.label, cell.link, cell.seed),
                          store::Broken::kRefuse, count);
    return kBytesPerStep * 2 * static_cast<double>(ranks.size() - 1) * collectives / iterations;
  }

  std::vector<std::string> short_run(int workers, const char* backend) const {
    return {fmt::format("/workers={}", workers),  fmt::format("/backend={}", backend),
            fmt::format("/methods={}", kMethods), "/seeds=[1]",
            "/workload/max_iterations=24",        "/timeout_s=120"};
  }
};

TEST_F(SharedGpu, CarriesTwoAndEightRanksOverNcclWithTheBytesThatMethodsDeclare) {
  for (const int workers : {2, 8}) {
    const auto folder = std::to_string(workers);
    const auto output = run_cuda(folder, short_run(workers, "nccl"));
    ASSERT_EQ(output.status.code, 0) << output.err;
    expect_done_with_expected_bytes(folder);
  }
}

TEST_F(SharedGpu, LearnsTheSameOverGlooAsOverNccl) {
  ASSERT_EQ(run_cuda("gloo", short_run(4, "gloo")).status.code, 0);
  ASSERT_EQ(run_cuda("nccl", short_run(4, "nccl")).status.code, 0);
  expect_done_with_expected_bytes("gloo");
  expect_done_with_expected_bytes("nccl");
  const auto over_gloo = result_of(path("gloo")).cells;
  const auto over_nccl = result_of(path("nccl")).cells;
  for (std::size_t i = 0; i < over_gloo.size(); ++i) {
    const auto& gloo = over_gloo[i];
    const auto& nccl = over_nccl[i];
    EXPECT_NEAR(gloo.final_accuracy.value(), nccl.final_accuracy.value(), 0.03) << gloo.label;
    EXPECT_NEAR(gloo.payload_bytes_per_iteration / nccl.payload_bytes_per_iteration, 1, 0.01)
        << gloo.label;
  }
}

}  // namespace
}  // namespace pacbench
