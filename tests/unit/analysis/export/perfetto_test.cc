#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>

#include "analysis/export/formats.h"
#include "base/files.h"
#include "tests/unit/analysis/export/example_folder.h"
#include "tests/unit/analysis/report/example_run.h"
#include "tests/unit/contract/matchers.h"
#include "tests/unit/contract/refusals.h"

namespace pacbench::exports {
namespace {

/// A time of the file, which has microseconds with three decimals, in nanoseconds.
std::int64_t ns(const Json& value) { return std::llround(value.get<double>() * 1000); }

class Perfetto : public ::testing::Test {
 protected:
  Perfetto() {
    auto run = report::example_run();
    run.cells = {report::cell(run, "fp16", 1), report::cell(run, "topk-0.1", 1)};
    result_ = run;
    write_example_folder(folder_.path(), run);
  }

  std::string iterations_of(const std::string& cell) const {
    return folder_.path() + "/cells/" + cell + "/iterations.jsonl";
  }

  void append(const std::string& cell, const std::string& line) const {
    std::ofstream{iterations_of(cell), std::ios::app} << line;
  }

  Json events(const std::vector<std::string>& cells = {}) const {
    std::string text;
    write_perfetto(open_exported_run(folder_.path(), cells),
                   [&](std::string_view piece) { text += piece; });
    return Json::parse(text).at("traceEvents");
  }

  std::string error() const {
    return testing::refusal_words([&] { events(); });
  }

  TemporaryFolder folder_;
  RunResult result_;
};

TEST_F(Perfetto, SlicesOfATrackNestAndTheOuterComesFirst) {
  std::map<std::int64_t, std::vector<Span>> open;
  std::int64_t slices = 0;
  auto all = events();
  std::stable_sort(all.begin(), all.end(), [](const Json& a, const Json& b) {
    return a.value("ts", 0.0) < b.value("ts", 0.0);
  });
  for (const auto& event : all) {
    if (event.at("ph") != "X") continue;
    ++slices;
    const Span span{ns(event.at("ts")), ns(event.at("ts")) + ns(event.at("dur"))};
    auto& holders = open[event.at("tid")];
    while (!holders.empty() && holders.back().end_ns <= span.start_ns) holders.pop_back();
    EXPECT_GE(span.start_ns, 0);
    EXPECT_TRUE(holders.empty() || span.end_ns <= holders.back().end_ns) << event;
    holders.push_back(span);
  }
  // Each of two cells has one slice for itself and 17 for each of two ranks in each of three
  // iterations.
  EXPECT_EQ(slices, 2 * (1 + 3 * 2 * 17));
}

TEST_F(Perfetto, EveryProcessAndTrackHasItsName) {
  std::map<std::int64_t, std::string> processes;
  std::map<std::int64_t, std::string> tracks;
  std::map<std::int64_t, std::int64_t> process_of_track;
  for (const auto& event : events()) {
    const auto track = event.at("tid").get<std::int64_t>();
    const auto process = event.at("pid").get<std::int64_t>();
    EXPECT_EQ(process_of_track.emplace(track, process).first->second, process);
    if (event.at("name") == "process_name") processes[process] = event.at("args").at("name");
    if (event.at("name") == "thread_name") tracks[track] = event.at("args").at("name");
    if (event.at("ph") != "X") continue;
    EXPECT_TRUE(processes.contains(process)) << event;
    EXPECT_TRUE(tracks.contains(track)) << event;
  }
  EXPECT_EQ(processes[1], "wan100");
  EXPECT_EQ(processes[3], "rank 1");
  EXPECT_EQ(tracks[30000], "compute");
  EXPECT_EQ(tracks[30002], "exchange of bucket 1");
}

TEST_F(Perfetto, CountersShowTheLinkWhatWasSentAndWhatWasLeftToSend) {
  std::map<std::string, std::vector<double>> rank1;
  std::vector<double> accuracies;
  for (const auto& event : events({"fp16-100Mbps-1"})) {
    if (event.at("ph") != "C") continue;
    ASSERT_EQ(event.at("args").size(), 1U);
    const double value = event.at("args").front();
    if (event.at("pid") == 3) rank1[event.at("name")].push_back(value);
    if (event.at("name") == "accuracy") accuracies.push_back(value);
  }
  EXPECT_EQ(rank1.at("link up"), std::vector<double>{100});
  EXPECT_EQ(rank1.at("link down"), std::vector<double>{100});
  // 1 MB in 99 ms, in Mbit/s.
  EXPECT_NEAR(rank1.at("sent")[0], 80.81, 0.01);
  EXPECT_EQ(rank1.at("sent")[1], 0);
  EXPECT_EQ(rank1.at("left to send")[1], 12000);
  EXPECT_EQ(rank1.at("left to send").back(), 0);
  ASSERT_EQ(accuracies.size(), 3U);
  EXPECT_DOUBLE_EQ(accuracies[1], 0.2);
}

TEST_F(Perfetto, AHostileNameStaysText) {
  auto run = result_;
  run.scenario["name"] = "a\"],\n</script>";
  write_file_atomically(folder_.path() + "/result.json", to_json(run).dump());
  EXPECT_EQ(events()[0]["args"]["name"], "a\"],\n</script>");
}

TEST_F(Perfetto, ModeLearnHasNoLinksToCount) {
  write_example_folder(folder_.path(), report::example_run_in(Mode::kLearn));
  for (const auto& event : events()) {
    EXPECT_TRUE(event.at("ph") != "C" || event.at("name") == "accuracy" ||
                event.at("name") == "left to send")
        << event;
  }
}

TEST_F(Perfetto, NamesFileAndLineOfABrokenLineInACellThatIsDone) {
  append("fp16-100Mbps-1", "{\"event\":\"iteration\"}\n");
  EXPECT_THAT(error(), HasSubstr("cells/fp16-100Mbps-1/iterations.jsonl:7: expected a whole "
                                 "\"iteration\" event"));
}

TEST_F(Perfetto, TakesACellThatWasBrokenOffUpToItsLastWholeLine) {
  result_.cells[0].status = CellStatus::kInterrupted;
  write_file_atomically(folder_.path() + "/result.json", to_json(result_).dump());
  append("fp16-100Mbps-1", "{\"event\":\"itera");
  EXPECT_EQ(error(), "");
}

TEST_F(Perfetto, RefusesAFolderWithoutRawLines) {
  for (const char* cell : {"fp16-100Mbps-1", "topk-0.1-100Mbps-1"}) {
    write_file_atomically(iterations_of(cell), "");
  }
  EXPECT_THAT(error(), HasSubstr("found no iteration in any iterations.jsonl"));
}

}  // namespace
}  // namespace pacbench::exports
