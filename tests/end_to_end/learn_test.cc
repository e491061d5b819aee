// Learning curves with the real worker: over links, in one process, interrupted and verified.
#include <signal.h>
#include <sys/resource.h>

#include "harness/store/resume.h"
#include "tests/end_to_end/with_worker.h"

namespace pacbench {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

/// Methods that differ in what they exchange, and how. The trainer's tests cover the others.
constexpr const char* kArms = R"([
  {"name": "all-reduce"}, {"name": "fp16"}, {"name": "topk", "ratio": 0.1},
  {"name": "terngrad", "encoding": "lanes", "error_feedback": true},
  {"name": "pactrain", "quantize": "ternary", "encoding": "all-to-all"},
  {"name": "pactrain", "prune_steps": 3, "prune_every": 5},
  {"name": "espresso", "rounds": 1}])";

class Curves : public WithWorker {
 protected:
  std::string cell(const std::string& run) const {
    return path(run) + "/cells/topk-keep10%-none-1/";
  }

  Output verify(const std::string& run) const {
    return command({"verify", path(run), "--cell", "topk-keep10%-none-1", "--no-progress"});
  }

  /// Starts a longer cell of mode learn, in the folder path(run). It saves states to resume from,
  /// and samples how near gradients come to the exact mean.
  PacbenchProcess start_learn(const std::string& run, std::vector<std::string> more = {}) const {
    std::vector<std::string> words{"run", SCENARIOS "/smoke.json", "--out", path(run)};
    for (const char* change : {"/mode=\"learn\"", "/workload/max_iterations=300",
                               "/quality_every=7", "/checkpoint_every=20"}) {
      words.insert(words.end(), {"--set", change});
    }
    words.insert(words.end(), {"--only", "method=topk-keep10%"});
    words.insert(words.end(), more.begin(), more.end());
    return start_command(words);
  }
};

TEST_F(Curves, OfEveryMethodAreTheSameOverLinksAndInOneProcess) {
  const auto ran = run({"--set", std::string{"/methods="} + kArms, "--set", "/quality_every=6"});
  ASSERT_EQ(ran.status.code, 0) << ran.err;
  const auto output = command({"verify", out(), "--no-progress"});
  EXPECT_EQ(output.status.code, 0) << output.out << output.err;
  EXPECT_THAT(output.out, HasSubstr("numbers: 7 of 7 cells recomputed"));
  for (const auto& done : result().cells) {
    EXPECT_THAT(output.out, ContainsRegex("ok +curve of " + done.label + "-200Mbps-1: 24 iter"));
    EXPECT_TRUE(done.vnmse) << done.label;
    EXPECT_EQ(done.residual_norm.has_value(), done.label.starts_with("topk") ||
                                                  done.label.starts_with("terngrad") ||
                                                  done.label.starts_with("espresso"))
        << done.label;
  }
  EXPECT_THAT(output.out, ContainsRegex("curve of espresso.*with the decisions that the run rec"));
  EXPECT_LT(*result().cells[0].vnmse, 1e-10) << "a mean that is exact but for rounding";
}

TEST_F(Curves, GoOnAfterKillsToTheSameEnd) {
  ASSERT_EQ(start_learn("whole").finish().status.code, 0);
  std::size_t lines = 0;
  for (const std::size_t more : {3u, 250u, 437u}) {
    std::vector<std::string> words;
    if (lines > 0) words.emplace_back("--resume");
    auto process = start_learn("killed", words);
    lines += more;
    ASSERT_TRUE(
        eventually([&] { return lines_in(cell("killed") + "iterations.jsonl") >= lines; }, 60));
    EXPECT_TRUE(process.descendants("pacbench-netd").empty()) << "no links, so no daemon";
    const auto workers = process.descendants("pacbench-worker");
    process.signal(SIGKILL);
    process.finish();
    EXPECT_TRUE(eventually([&] { return all_gone(workers); }, 5));
  }
  const auto output = start_learn("killed", {"--resume"}).finish();
  ASSERT_EQ(output.status.code, 0) << output.err;
  EXPECT_THAT(output.err, HasSubstr("goes on after iteration"));
  // The killed run must give the numbers of the uninterrupted one, and `verify` the same curve.
  const auto verified = verify("killed");
  EXPECT_EQ(verified.status.code, 0) << verified.out << verified.err;
  const auto number = [&](const std::string& run, const char* key) {
    return read_json_file(cell(run) + "cell.json").at(key);
  };
  for (const char* key : {"final_accuracy", "best_accuracy", "vnmse", "cosine", "residual_norm",
                          "iterations", "expected_bytes_per_iteration"}) {
    EXPECT_EQ(number("killed", key), number("whole", key)) << key;
  }
}

TEST_F(Curves, GoOnFromTheLastStateWhenTheDiskWasFullForTheNext) {
  auto process = start_learn("full");
  ASSERT_TRUE(eventually([&] { return !store::saved_states(cell("full")).empty(); }, 60));
  const auto workers = process.descendants("pacbench-worker");
  ASSERT_EQ(workers.size(), 1u);
  // From now on no file of the worker's can grow.
  const rlimit none{0, RLIM_INFINITY};
  ASSERT_EQ(::prlimit(workers.front(), RLIMIT_FSIZE, &none, nullptr), 0);
  const auto failed = process.finish();
  EXPECT_EQ(failed.status.code, 1);
  EXPECT_THAT(failed.err, ContainsRegex("failed: rank [0-3]: cannot write .*state-[0-9]+.pt"));
  EXPECT_FALSE(store::saved_states(cell("full")).empty());
  const auto output = start_learn("full", {"--resume"}).finish();
  ASSERT_EQ(output.status.code, 0) << output.err;
  EXPECT_THAT(output.err, ContainsRegex("goes on after iteration [0-9]+; deleted: "));
  const auto verified = verify("full");
  EXPECT_EQ(verified.status.code, 0) << verified.out << verified.err;
}

TEST_F(Curves, ThatWereChangedByHandAreFound) {
  ASSERT_EQ(start_learn("out", {"--set", "/workload/max_iterations=24"}).finish().status.code, 0);
  const auto file = cell("out") + "curve.jsonl";
  auto text = read_file(file);
  // Changes the loss of the second evaluation. A change of the last or the lowest loss would also
  // contradict the cell's numbers.
  const auto place = text.find("\"loss\":", text.find('\n')) + 7;
  text.replace(place, text.find_first_of(",}", place) - place, "1.875");
  write_file_atomically(file, text);
  const auto output = verify("out");
  EXPECT_EQ(output.status.code, 1) << output.err;
  EXPECT_THAT(output.out, HasSubstr("numbers: 1 of 1 cells recomputed"));
  EXPECT_THAT(output.out,
              ContainsRegex("DIFFERS  curve.*curve.jsonl:2: loss: found 1.875, expected [0-9]"));
}

}  // namespace
}  // namespace pacbench
