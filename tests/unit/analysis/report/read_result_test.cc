#include "harness/store/recorded_run.h"

#include "analysis/report/report.h"
#include "base/files.h"
#include "base/sha256.h"
#include "contract/scenario/scenario.h"
#include "tests/unit/analysis/report/example_run.h"
#include "tests/unit/contract/matchers.h"
#include "tests/unit/contract/refusals.h"

namespace pacbench::report {
namespace {

struct ReadResult : ::testing::Test {
  TemporaryFolder folder;

  void write(const Json& document) const {
    write_file_atomically(folder.path() + "/result.json", document.dump());
  }

  std::string error() const {
    return testing::refusal_words([&] { store::read_result(folder.path()); });
  }
};

TEST_F(ReadResult, RefusesEntriesThatNoHashSpeaksFor) {
  auto document = to_json(example_run());
  document["scenario"]["methods"][2] = "topk";
  document["scenario"]["seeds"][1] = "two";
  document["scenario"]["targets"]["accuracy"][0] = {{"at", 0.9}};
  document["scenario"]["targets"]["loss"] = {"low"};
  write(document);
  EXPECT_THAT(error(), AllOf(HasSubstr("/scenario/methods/2/label: found nothing"),
                             HasSubstr("/scenario/seeds/1: found \"two\""),
                             HasSubstr("/scenario/targets/accuracy/0: found"),
                             HasSubstr("/scenario/targets/loss/0: found \"low\"")));
  document["scenario"] = Json::object();
  write(document);
  EXPECT_THAT(error(), HasSubstr("/scenario/name: found nothing"));
}

TEST_F(ReadResult, OfAScenarioThatLacksWhatReportsNeedIsRefusedByTheReport) {
  auto run = example_run();
  run.scenario["network"]["links"][0].erase("rate_mbit");
  run.comparison_hash = sha256(compared_part(run.scenario).dump());
  write(to_json(run));
  const auto read = store::read_result(folder.path());
  EXPECT_THAT(testing::refusal_words([&] { build_report(merge_by_workload({read})); }),
              HasSubstr("with the pacbench that wrote it"));
}

TEST_F(ReadResult, RefusesCellsThatTheScenarioHasNotOrThatAreThereTwice) {
  auto document = to_json(example_run());
  document["cells"][0]["label"] = "topk-0.5";
  document["cells"][1]["seed"] = 3;
  write(document);
  EXPECT_THAT(error(),
              AllOf(HasSubstr("/cells/0: topk-0.5 on 100Mbps with seed 1 is no cell of the"),
                    HasSubstr("/cells/2: all-reduce on 100Mbps with seed 3 is there twice")));
}

TEST_F(ReadResult, LeavesAPartialRunToTheReportWhichSaysSo) {
  auto run = example_run();
  run.cells.resize(7);
  write(to_json(run));
  const auto text =
      render_text(build_report(merge_by_workload({store::read_result(folder.path())})), 400);
  EXPECT_THAT(text, HasSubstr("result.json has 7 of the 18 cells of its scenario; pacbench run"));
}

}  // namespace
}  // namespace pacbench::report
