#include "harness/store/resume.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "base/files.h"
#include "base/text_file.h"
#include "harness/store/files.h"
#include "tests/unit/harness/example.h"

namespace pacbench::cell::cell_resume_test {
namespace {

/// A cell of two ranks with evaluations every second iteration, recorded up to iteration 6.
class Rewind : public ::testing::Test {
 protected:
  void SetUp() override {
    scenario_.workload.evaluate_every = 2;
    write_file_atomically(path("events.jsonl"), R"({"event": "ready", "rank": 0}
{"event": "quality", "iteration": 5}
{"event": "pruned", "iteration": 6}
{"event": "ended", "status": "interrupted"}
)");
    LineFile iterations{path("iterations.jsonl")};
    LineFile curve{path("curve.jsonl")};
    for (std::int64_t i = 1; i <= 6; ++i) {
      for (int rank = 0; rank < 2; ++rank) {
        iterations.append(Json{{"event", "iteration"}, {"rank", rank}, {"iteration", i}}.dump());
      }
      if (i % 2 == 0) curve.append(Json{{"event", "evaluation"}, {"iteration", i}}.dump());
    }
    for (const char* name : {"state-2.pt", "state-4.pt", "state-6.pt", "state-x.pt"}) {
      write_file_atomically(path(name), "");
    }
  }

  /// Removes the last `lines` lines of a file, and appends the incomplete line `torn`.
  void shorten(const std::string& name, int lines, const std::string& torn = "") const {
    auto text = read_file(path(name));
    for (int i = 0; i < lines; ++i) text.erase(text.rfind('\n', text.size() - 2) + 1);
    write_file_atomically(path(name), text + torn);
  }

  std::vector<std::int64_t> iterations_in(const std::string& name) const {
    std::vector<std::int64_t> found;
    store::for_each_event(path(name), store::Broken::kRefuse,
                          [&](const Json& event, const std::string&, std::size_t) {
                            found.push_back(event.value("iteration", std::int64_t{-1}));
                          });
    return found;
  }

  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  store::SavedState rewind() const { return rewound().state; }
  store::Rewound rewound() const { return store::rewind_cell(folder_.path(), scenario_); }

  Scenario scenario_ = fake_scenario();

 private:
  TemporaryFolder folder_;
};

using ::testing::ElementsAre;

TEST_F(Rewind, TakesTheNewestStateWhenAllIsThereAndTheNumbersAndCopiesOfTheEndAway) {
  LineFile{path("events.jsonl")}.append(R"({"event": "pruned", "iteration": 6, "regrown": true})");
  write_file_atomically(path("cell.json"), "{}");
  compress_text(path("iterations.jsonl"));  // a copy that would hold what may be cut off
  EXPECT_EQ(rewind().path, path("state-6.pt"));
  EXPECT_FALSE(std::filesystem::exists(path("cell.json")));
  EXPECT_FALSE(std::filesystem::exists(path("iterations.jsonl.gz")));
  EXPECT_EQ(iterations_in("iterations.jsonl").size(), 12u);
  EXPECT_THAT(iterations_in("events.jsonl"), ElementsAre(-1, 5, 6))
      << "neither its end nor what was pruned after the state, but what regrew in its iteration";
}

TEST_F(Rewind, TakesAnOlderStateWhenItsFirstSampleMayBeMissing) {
  scenario_.quality_every = 6;
  write_file_atomically(path("events.jsonl"), "{\"event\": \"ready\", \"rank\": 0}\n");
  EXPECT_EQ(rewind().iteration, 4) << "iteration 4 has none due";
}

TEST_F(Rewind, TakesAnOlderStateWhenARanksLineIsMissingAndSaysWhatItDeletes) {
  shorten("iterations.jsonl", 1, R"({"event": "iter)");
  const auto back = rewound();
  EXPECT_EQ(back.state.iteration, 4);
  EXPECT_THAT(back.deleted, ElementsAre("3 lines of events.jsonl", "4 lines of iterations.jsonl",
                                        "1 line of curve.jsonl"));
  EXPECT_EQ(store::saved_states(path("")).size(), 3u);
  EXPECT_THAT(rewound().deleted, ::testing::IsEmpty()) << "the second time";
  EXPECT_THAT(iterations_in("iterations.jsonl"), ElementsAre(1, 1, 2, 2, 3, 3, 4, 4));
  EXPECT_THAT(iterations_in("curve.jsonl"), ElementsAre(2, 4));
  EXPECT_THAT(iterations_in("events.jsonl"), ElementsAre(-1));
}

TEST_F(Rewind, TakesAnOlderStateWhenItsSampleOrEvaluationIsMissing) {
  scenario_.quality_every = 2;
  EXPECT_EQ(rewind().path, "") << "there is a sample, of iteration 5 alone";
  scenario_.quality_every = 5;
  EXPECT_EQ(rewind().iteration, 6);
  shorten("curve.jsonl", 1);
  EXPECT_EQ(rewind().iteration, 4);
}

TEST_F(Rewind, TouchesNothingWithoutAStateToGoOnFrom) {
  shorten("iterations.jsonl", 9);
  const auto before = read_file(path("iterations.jsonl"));
  EXPECT_EQ(rewind().path, "");
  EXPECT_EQ(read_file(path("iterations.jsonl")), before);
}

TEST_F(Rewind, GoesOnWithACellThatFailedUnheardOrWhoseWorkerReportedAFailure) {
  LineFile{path("events.jsonl")}.append(R"({"event": "ended", "status": "failed"})");
  EXPECT_EQ(rewind().iteration, 6);
  LineFile{path("events.jsonl")}.append(R"({"event": "failed", "rank": 0, "iteration": 6})");
  EXPECT_EQ(rewind().iteration, 6);
  EXPECT_THAT(iterations_in("events.jsonl"), ElementsAre(-1, 5)) << "which is forgotten";
}

TEST_F(Rewind, SaysWhatIsDeletedOfACellThatStartsAnew) {
  EXPECT_THAT(
      store::delete_cell(path("")),
      ElementsAre("curve.jsonl (3 lines)", "events.jsonl (4 lines)", "iterations.jsonl (12 lines)",
                  "state-2.pt", "state-4.pt", "state-6.pt", "state-x.pt"));
  EXPECT_FALSE(std::filesystem::exists(path("")));
  EXPECT_THAT(store::delete_cell(path("")), ::testing::IsEmpty());
}

TEST_F(Rewind, TakesABrokenLineForTheEndAndNamesIt) {
  shorten("iterations.jsonl", 1, std::string(100, '\0') + "\n");
  EXPECT_THAT(store::broken_lines(path("")),
              ElementsAre(::testing::ContainsRegex("iterations.jsonl:12: .*expected an event")));
  EXPECT_EQ(rewind().iteration, 4);
  EXPECT_THAT(store::broken_lines(path("")), ::testing::IsEmpty());
}

TEST_F(Rewind, RefusesAFileThatCannotBeRead) {
  std::filesystem::remove(path("curve.jsonl"));
  std::filesystem::create_directory(path("curve.jsonl"));
  EXPECT_THROW(rewind(), std::system_error);
}

}  // namespace
}  // namespace pacbench::cell::cell_resume_test
