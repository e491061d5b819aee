// Tests `pacbench profile` and mode compose with the real worker, over real links.
#include <fmt/format.h>
#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/text_file.h"
#include "contract/profile/profile.h"
#include "tests/end_to_end/with_worker.h"

namespace pacbench {
namespace {

using ::testing::HasSubstr;

class ComposedRun : public WithWorker {
 protected:
  /// The profile of smoke.json's workload.
  Output profile(std::vector<std::string> more = {}) const {
    more.insert(more.begin(),
                {"profile", SCENARIOS "/smoke.json", "-o", path("p.json"), "--iterations", "5"});
    return command(more);
  }

  Output compose(const Json& composed, std::vector<std::string> more = {}) const {
    more.insert(more.begin(),
                {"--set", "/mode=\"compose\"", "--set", "/compose=" + composed.dump()});
    return run(more);
  }

  /// The bytes that each composed cell expects of an iteration, by its label.
  std::map<std::string, double> expected_bytes(bool replays,
                                               const std::vector<std::string>& more) const {
    Json composed{{"profile", path("p.json")}, {"iterations", 16}};
    if (replays) composed["exchange"] = "profile";
    std::filesystem::remove_all(out());
    const auto output = compose(composed, more);
    EXPECT_EQ(output.status.code, 0) << output.err;
    std::map<std::string, double> bytes;
    for (const auto& cell : result().cells) {
      EXPECT_EQ(cell.status, CellStatus::kDone) << cell.label << ": " << cell.reason;
      bytes[cell.label] = cell.expected_bytes_per_iteration;
    }
    return bytes;
  }
};

TEST_F(ComposedRun, HasTheBucketsTrafficAndAccuracyOfTheRunItStandsFor) {
  ASSERT_EQ(profile().status.code, 0);
  const auto learned = command(
      {"run", SCENARIOS "/smoke.json", "--set", "/mode=\"learn\"", "--out", path("learned")});
  ASSERT_EQ(learned.status.code, 0) << learned.err;
  ASSERT_EQ(start_into(path("emulated"), {}).finish().status.code, 0);
  const auto composed =
      compose({{"profile", path("p.json")}, {"curve", path("learned")}, {"iterations", 24}});
  ASSERT_EQ(composed.status.code, 0) << composed.err;
  const auto emulated = result_of(path("emulated"));
  const auto cells = result().cells;
  ASSERT_EQ(cells.size(), emulated.cells.size());
  for (std::size_t i = 0; i < emulated.cells.size(); ++i) {
    const auto& real = emulated.cells[i];
    const auto& cell = cells[i];
    EXPECT_EQ(cell.status, CellStatus::kDone) << cell.reason;
    EXPECT_EQ(cell.final_accuracy, real.final_accuracy) << cell.label;
    EXPECT_NEAR(cell.expected_bytes_per_iteration, real.expected_bytes_per_iteration,
                0.02 * real.expected_bytes_per_iteration)
        << cell.label;
    ASSERT_EQ(cell.targets.size(), real.targets.size());
    for (std::size_t t = 0; t < real.targets.size(); ++t) {
      EXPECT_EQ(cell.targets[t].iterations, real.targets[t].iterations) << cell.label;
      EXPECT_EQ(cell.targets[t].tta_low_s.has_value(), real.targets[t].tta_s.has_value());
    }
  }
}

TEST_F(ComposedRun, EndsACellThatTakesTooLongAfterFourIterations) {
  ASSERT_EQ(profile().status.code, 0);
  const auto ended = compose({{"profile", path("p.json")}, {"iterations", 24}, {"cell_s", 0.001}},
                             {"--only", "method=all-reduce"});
  ASSERT_EQ(ended.status.code, 0) << ended.err;
  ASSERT_EQ(result().cells.size(), 1U);
  EXPECT_EQ(result().cells[0].status, CellStatus::kDone) << result().cells[0].reason;
  EXPECT_EQ(result().cells[0].iterations, 4);
}

TEST_F(ComposedRun, WaitsForAWorkerThatBeginsLaterInItsFirstExchangeAlone) {
  ASSERT_EQ(profile().status.code, 0);
  const auto late = compose({{"profile", path("p.json")}, {"iterations", 4}},
                            {"--only", "method=all-reduce", "--set",
                             R"(/slow_workers=[{"worker": 1, "start_delay_s": 1}])"});
  ASSERT_EQ(late.status.code, 0) << late.err;
  LineReader lines{out() + "/cells/all-reduce-200Mbps-1/iterations.jsonl"};
  for (std::string line; lines.next(line);) {
    const auto event = Json::parse(line);
    const auto step_s = 1e-9 * (event["step"][1].get<double>() - event["step"][0].get<double>());
    const bool waits = event["iteration"] == 1 && event["rank"] != 1;
    EXPECT_EQ(step_s >= 1, waits) << line.substr(0, 100);
  }
}

TEST_F(ComposedRun, TakesTheStepsOfAScheduleAsARunThatTrainsDoes) {
  ASSERT_EQ(profile().status.code, 0);
  const Json steps{{{"at_s", 0}, {"rate_mbit", 200}}, {{"at_s", 0.1}, {"rate_mbit", 20}}};
  const Json link{{"name", "falls"}, {"schedule", {{"steps", steps}}}};
  const auto composed = compose(
      {{"profile", path("p.json")}, {"iterations", 24}},
      {"--only", "method=all-reduce", "--set", "/network/links=" + Json::array({link}).dump()});
  ASSERT_EQ(composed.status.code, 0) << composed.err;
  const auto cells = result().cells;
  ASSERT_EQ(cells.size(), 1U);
  const auto& cell = cells[0];
  EXPECT_EQ(cell.status, CellStatus::kDone) << cell.reason;
  TextReader lines{out() + "/cells/all-reduce-falls-1/network.jsonl"};
  EXPECT_THAT(std::string{lines.read()}, HasSubstr("\"stepped\""));
  EXPECT_THAT(cell.link_verdict.reasons,
              ::testing::Each(::testing::Not(HasSubstr("never took effect"))));
}

TEST_F(ComposedRun, WithExchangesOfAProfileMovesTheBytesOfTheRealMethods) {
  // In the methods after PacTrain ranks differ.
  const std::vector<std::string> methods{
      "--set", R"(/methods=[{"name": "all-reduce"}, {"name": "topk", "ratio": 0.1},
                            {"name": "pactrain", "preset": "paper", "label": "pactrain",
                             "pruning_ratio": 0.5},
                            {"name": "hierarchical"}, {"name": "spardl", "ratio": 0.1, "teams": 2},
                            {"name": "parameter-server", "servers": "one"}, {"name": "zen"},
                            {"name": "prunex", "every": 4}, {"name": "local-sgd", "every": 4}])"};
  auto asked = methods;
  asked.emplace_back("--exchanges");
  const auto profiled = profile(asked);
  ASSERT_EQ(profiled.status.code, 0) << profiled.err;
  std::map<bool, std::map<std::string, double>> bytes;
  for (const bool replays : {false, true}) {
    bytes[replays] = expected_bytes(replays, methods);
    const auto cells = result().cells;
    ASSERT_EQ(cells.size(), 9U);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(cells[i].measured_bytes_per_iteration, cells[i].expected_bytes_per_iteration,
                  0.15 * cells[i].expected_bytes_per_iteration)
          << cells[i].label;
    }
  }
  for (const auto& [label, real] : bytes[false]) {
    if (label.starts_with("pactrain")) {
      EXPECT_LT(bytes[true].at(label), real) << "its first dense iterations are left out";
      continue;
    }
    // The first rounds of prunex agree on masks too; in the replay masks are frozen. How many
    // entries zen sends depends on the gradients that were drawn.
    const bool varies = label.starts_with("prunex") || label.starts_with("zen");
    EXPECT_NEAR(bytes[true].at(label), real, (varies ? 0.02 : 0.001) * real) << label;
  }
}

TEST_F(ComposedRun, WithExchangesOfAProfileHasThoseThatFollowAWarmUp) {
  const auto profiled = profile({"--exchanges", "--set",
                                 R"(/methods=[{"name": "powersgd"}, {"name": "one-bit-adam"},
                            {"name": "dgc", "ratio": 0.001, "warm_up_iterations": 100}])"});
  ASSERT_EQ(profiled.status.code, 0) << profiled.err;
  const auto found = read_json_file(path("p.json"));
  ASSERT_EQ(found.at("exchanges").size(), 3U);
  for (const auto& exchanges : found.at("exchanges")) {
    std::int64_t payload_bytes = 0;
    const auto& bucket = exchanges.at("buckets").at(0);
    for (const auto& step : bucket.at("steps"))
      payload_bytes += step.at("payload_bytes").get<int>();
    EXPECT_LT(payload_bytes, bucket.at("elements").get<int>()) << exchanges.at("method");
  }
}

/// The priority of a thread in SCHED_RR; 0 in the ordinary class, and for a thread that is gone.
int priority_of(int tid) {
  sched_param priority{};
  if (::sched_getscheduler(tid) != SCHED_RR) return 0;
  return ::sched_getparam(tid, &priority) == 0 ? priority.sched_priority : 0;
}

/// The priority of each of a process's threads but the main one.
std::vector<int> priorities_beside_main(int pid) {
  std::vector<int> found;
  std::error_code gone;
  std::filesystem::directory_iterator task{fmt::format("/proc/{}/task", pid), gone};
  while (!gone && task != std::filesystem::directory_iterator{}) {
    const auto tid = std::stoi(task->path().filename().string());
    if (tid != pid) found.push_back(priority_of(tid));
    task.increment(gone);
  }
  return found;
}

TEST_F(ComposedRun, SleepsInARealTimeClassAboveThatOfTheThreadsThatExchange) {
  const rlimit wanted{11, 11};
  rlimit before{};
  ::getrlimit(RLIMIT_RTPRIO, &before);
  if (::setrlimit(RLIMIT_RTPRIO, &wanted) != 0) {
    GTEST_SKIP() << "RLIMIT_RTPRIO cannot be raised here: a worker that has left a real-time class "
                    "cannot come back to one";
  }
  ::setrlimit(RLIMIT_RTPRIO, &before);
  ASSERT_EQ(profile({"--exchanges"}).status.code, 0);
  const Json composed{{"profile", path("p.json")}, {"iterations", 300}, {"exchange", "profile"}};
  auto running = start({"--set", "/mode=\"compose\"", "--set", "/compose=" + composed.dump(),
                        "--only", "method=all-reduce"});
  bool is_above = false;
  const auto looked = eventually([&] {
    for (const auto pid : running.descendants("pacbench-worker")) {
      const auto main = priority_of(pid);
      const auto others = priorities_beside_main(pid);
      const auto exchanging = std::count(others.begin(), others.end(), 5);
      is_above |=
          exchanging > 0 && main > 5 && main == *std::max_element(others.begin(), others.end());
    }
    return is_above || !std::filesystem::exists(fmt::format("/proc/{}", running.pid()));
  });
  const auto output = running.finish();
  ASSERT_EQ(output.status.code, 0) << output.err;
  if (!result().cells.at(0).real_time) GTEST_SKIP() << "no real-time class is allowed here";
  EXPECT_TRUE(looked && is_above);
  EXPECT_TRUE(result().cells.at(0).late_s.has_value());
}

TEST_F(ComposedRun, ProfilesNoExchangesOfGpus) {
  const auto refused = profile({"--device", "cuda", "--exchanges"});
  EXPECT_EQ(refused.status.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("--exchanges: found it with --device cuda"));
  EXPECT_FALSE(std::filesystem::exists(path("p.json")));
}

TEST_F(ComposedRun, IsProfiledInReadyOrderWithAllParameters) {
  const auto output = profile({"--workers", "2"});
  ASSERT_EQ(output.status.code, 0) << output.err;
  EXPECT_THAT(output.out, HasSubstr("ready after ms of backward"));
  const auto found = profile_from_json("p.json", read_json_file(path("p.json")));
  EXPECT_EQ(found.parameters(), 64 * 256 + 256 + 256 * 10 + 10);
  EXPECT_EQ(found.iterations.size(), 10u) << "five of each worker";
  EXPECT_EQ(found.iterations_of(1).size(), 5u);
  EXPECT_GT(found.forward_ms(), 0);
  // 2 FLOP for each weight of the two layers, once in forward and twice in backward.
  EXPECT_NEAR(found.flop_per_sample, 3 * 2 * (64 * 256 + 256 * 10), 1);
}

TEST_F(ComposedRun, IsAssumedOfNamedHardwareAndAtHalfTheSpeedWithoutMeasuringAgain) {
  EXPECT_EQ(profile({"--assume", "37.4", "0.3"}).status.code, 2);
  std::vector<std::string> words{"--assume", "37.4", "0.3", "--hardware", "NVIDIA A40"};
  ASSERT_EQ(profile(words).status.code, 0);
  EXPECT_EQ(read_json_file(path("p.json")).at("source"), "assumed");
  words.emplace_back("--exchanges");
  EXPECT_EQ(profile(words).status.code, 2) << "without the bandwidth of its memory";
  EXPECT_EQ(command({"profile", path("p.json"), "--assume", "37.4", "0.15"}).status.code, 2);
  const auto half =
      command({"profile", path("p.json"), "--assume", "37.4", "0.15", "-o", path("half.json")});
  ASSERT_EQ(half.status.code, 0) << half.err;
  const auto document = read_json_file(path("half.json"));
  EXPECT_EQ(document.at("hardware"), "NVIDIA A40");
  EXPECT_EQ(document.at("sample"), read_json_file(path("p.json")).at("sample"));
  const auto composed = compose({{"profile", path("half.json")}, {"iterations", 4}});
  EXPECT_EQ(composed.status.code, 0) << composed.err;
}

}  // namespace
}  // namespace pacbench
