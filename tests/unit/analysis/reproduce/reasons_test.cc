// The rules of docs/STATISTICS.md, "Why ours is another number".
#include <gmock/gmock.h>

#include "analysis/reproduce/reproduction.h"
#include "tests/unit/analysis/reproduce/reproduced.h"

namespace pacbench::reproduce::reasons_test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

/// The reasons why the masked arm's ratio to all-reduce is not the claim's, in Fig. 5's setting.
std::vector<Reason> reasons(const RunResult& run) {
  const auto found = reproduced(named({run}));
  for (const auto& answer : found.claims) {
    if (answer.claim->id != "resnet152-all-reduce") continue;
    for (const auto& arm : answer.arms) {
      if (arm.label == "pactrain-0.5") return arm.best().reasons;
    }
  }
  throw std::logic_error{"no such arm"};
}

std::vector<std::string> kinds(const RunResult& run) {
  std::vector<std::string> all;
  for (const auto& reason : reasons(run)) all.push_back(reason.kind);
  return all;
}

std::string words(const RunResult& run, const std::string& kind) {
  for (const auto& reason : reasons(run)) {
    if (reason.kind == kind) return reason.words;
  }
  return "";
}

RunResult run_of(const MadeArm& arm, const MadeRun& setting = {}) {
  return made_run(setting, {all_reduce(3.4), arm});
}

TEST(Reasons, NameBytesWhereTheyCannotGiveTheNumber) {
  EXPECT_EQ(
      words(run_of(masked(1.8)), "bytes"),
      "it sends 1/2.00 of the bytes of all-reduce, so with equally full links no step is more "
      "than 2.00 times as fast");
  EXPECT_THAT(kinds(run_of(masked(1.8, 60))), Not(Contains("bytes")));
}

TEST(Reasons, NameIterationsOfBoth) {
  EXPECT_EQ(words(run_of(in_iterations(1100, masked(1.8))), "more-iterations"),
            "it needs 1100 iterations to the target where all-reduce needs 1000");
  EXPECT_THAT(kinds(run_of(in_iterations(900, masked(1.8)))), Contains("fewer-iterations"));
  EXPECT_THAT(kinds(run_of(in_iterations(1030, masked(1.8)))), Not(Contains("more-iterations")));
}

TEST(Reasons, SayWhatTheNumberWouldTakeWhereThereIsNoCurve) {
  MadeRun setting;
  setting.mode = Mode::kCompose;
  EXPECT_EQ(words(run_of(masked(1.7), setting), "no-curve"),
            "no curve: a step is 2.00 times as fast as one of all-reduce; to be 5.64 times as "
            "fast to the target, it would need 0.355 times the iterations of all-reduce");
  setting.mode = Mode::kLearn;
  EXPECT_THAT(kinds(run_of(masked(1.7), setting)), Contains("no-times"));
}

TEST(Reasons, NameSharesOfTheStep) {
  auto run = run_of(masked(1.8));
  EXPECT_THAT(kinds(run), Not(Contains("compute")));
  cells_of(run, "pactrain-0.5")[0]->compute_s = 0.45;
  cells_of(run, "pactrain-0.5")[0]->encode_s = 0.18;
  EXPECT_EQ(words(run, "compute"),
            "25.0 % of its step is forward and backward, which no method shortens");
  EXPECT_THAT(words(run, "encode"), HasSubstr("10.0 % of its step"));
}

TEST(Reasons, TakeSharesOfWhatIsSleptThroughFromTheProfile) {
  MadeRun setting;
  setting.mode = Mode::kCompose;
  auto run = run_of(masked(1.0), setting);
  auto* cell = cells_of(run, "pactrain-0.5")[0];
  cell->compute_s = 0.9;  // workers waited for a CPU
  cell->encode_s = 0.9;
  auto& compose = run.scenario["compose"];
  auto method = run.scenario["methods"][1];
  method.erase("label");
  const Json step{{"work_ms", 100}};
  compose["exchange"] = "profile";
  compose["profile"]["iterations"] = {{{"forward_ms", 100}, {"ready_ms", {50, 200}}}};
  compose["profile"]["exchanges"] = {{{"method", method},
                                      {"workers", 8},
                                      {"buckets", {{{"steps", {step, step}}, {"end_ms", 50}}}},
                                      {"beside", {{"steps", Json::array()}, {"end_ms", 10}}}}};
  EXPECT_THAT(words(run, "compute"), HasSubstr("30.0 % of its step"));
  EXPECT_THAT(words(run, "encode"), HasSubstr("26.0 % of its step"));
}

TEST(Reasons, NameWhoseLinkIsLessFull) {
  auto run = run_of(masked(1.8));
  cells_of(run, "pactrain-0.5")[0]->wire_mbit = 500;
  cells_of(run, "all-reduce")[0]->wire_mbit = 950;
  EXPECT_THAT(words(run, "link-use"), HasSubstr("fill 50.0 % of the link's rate, those of "
                                                "all-reduce fill 95.0 %"));
  std::swap(cells_of(run, "pactrain-0.5")[0]->wire_mbit, cells_of(run, "all-reduce")[0]->wire_mbit);
  EXPECT_THAT(kinds(run), Contains("baseline-link-use"));
}

TEST(Reasons, NameWhatIsNoMedianStep) {
  auto run = run_of(masked(1.8));
  EXPECT_THAT(kinds(run), Not(Contains("beyond-steps")));
  auto& target = cells_of(run, "pactrain-0.5")[0]->targets[0];
  *target.tta_s += 400;
  EXPECT_THAT(words(run, "beyond-steps"), HasSubstr("400 of its 2200 s"));
}

}  // namespace
}  // namespace pacbench::reproduce::reasons_test
