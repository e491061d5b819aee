// `pacbench verify` of a run of the fake worker, which always reports the same.
#include <filesystem>
#include <regex>

#include "contract/worker/gpus.h"
#include "tests/unit/harness/runner.h"

namespace pacbench::verify {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class Verify : public RunnerTest {
 protected:
  void SetUp() override {
    RunnerTest::SetUp();
    write_learning({{"quality_every", 2}});
    ASSERT_EQ(run({"--out", out()}).status.code, 0);
  }

  Output verify(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"verify", out()});
    return start_command(more).finish();
  }

  /// Replaces the first match of `pattern` in a file of the run.
  void plant(const std::string& file, const std::string& pattern, const std::string& text) const {
    const auto before = read_text(out() + "/" + file);
    const auto after = std::regex_replace(before, std::regex{pattern}, text,
                                          std::regex_constants::format_first_only);
    ASSERT_NE(after, before) << pattern;
    write_text(out() + "/" + file, after);
  }
};

TEST_F(Verify, SaysOfAnHonestRunThatAllIsAsItsLinesGiveIt) {
  const auto file = out() + "/cells/a-none-1/iterations.jsonl";
  write_text(file, read_text(file));  // decompressed
  const auto output = verify();
  EXPECT_EQ(output.status.code, 0) << output.out << output.err;
  EXPECT_THAT(output.out, HasSubstr("ok       checksums: 16 files of 4 cells are as they were"));
  EXPECT_THAT(output.out, HasSubstr("numbers: 4 of 4 cells recomputed"));
  EXPECT_THAT(output.out, HasSubstr("curve of a-none-1: 6 iterations and 6 evaluations are equal"));
  EXPECT_THAT(output.out, HasSubstr("curve of b-none-1: "));
  EXPECT_THAT(output.out, Not(HasSubstr("none-2"))) << "one curve of each method";
  take_checksums_out();
  const auto earlier = verify({"--curves", "0"});
  EXPECT_EQ(earlier.status.code, 0) << earlier.out << earlier.err;
  EXPECT_THAT(earlier.out, HasSubstr("note     4 cells have no checksums"));
  EXPECT_THAT(earlier.out, Not(HasSubstr("checksums: ")));
}

TEST_F(Verify, TakesTheCellsAndCurvesThatAreAskedFor) {
  EXPECT_THAT(verify({"--all"}).out, HasSubstr("curve of b-none-2"));
  EXPECT_THAT(verify({"--curves", "0"}).out, Not(HasSubstr("curve of")));
  const auto one = verify({"--cell", "b-none-2"}).out;
  EXPECT_THAT(one, HasSubstr("numbers: 1 of 1 cells"));
  EXPECT_THAT(one, HasSubstr("curve of b-none-2"));
  const auto unknown = verify({"--cell", "c-none-1"});
  EXPECT_EQ(unknown.status.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("there is: a-none-1, b-none-1"));
}

TEST_F(Verify, AsksARunOfAnEarlierPacbenchForNothingThatItDidNotCount) {
  const std::vector<std::string> files{"cells/a-none-1/cell.json", "result.json"};
  for (const auto& file : files) plant(file, ",\\s*\"late_s\": null", "");
  EXPECT_EQ(verify({"--curves", "0"}).status.code, 1) << "their checksums miss the key";
  for (const auto& file : files) seal(out() + "/" + file);
  const auto output = verify({"--curves", "0"});
  EXPECT_EQ(output.status.code, 0) << output.out << output.err;
}

struct Planted {
  const char* file;
  const char* pattern;
  const char* text;
  const char* found;
};

constexpr Planted kPlanted[] = {
    {"cells/a-none-1/curve.jsonl", R"("accuracy":0.75)", R"("accuracy":0.76)",
     "DIFFERS  curve.*curve.jsonl:2: accuracy: found 0.76, expected 0.75"},
    {"cells/a-none-1/curve.jsonl", "\\{[^\n]*\n", "", ":1: iteration: found 2, expected 1"},
    {"cells/b-none-1/iterations.jsonl", R"("loss":0.5)", R"("loss":0.4)",
     "iterations.jsonl:[0-9]+: loss: found 0.4, expected 0.5"},
    {"cells/b-none-2/iterations.jsonl", R"(_sent_bytes":1448)", R"(_sent_bytes":1472)",
     "b-none-2/cell.json: /expected_bytes_per_iteration: found 1448.0.*expected 1450.0"},
    {"cells/a-none-2/events.jsonl", R"("vnmse":0.0625)", R"("vnmse":0.06)",
     "a-none-2/cell.json: /vnmse: found 0.0625 .*expected 0.06 "},
    {"cells/a-none-2/cell.json", R"("best_accuracy": 0)", R"("best_accuracy": 1)",
     "cell.json: /best_accuracy: found 1"},
    {"result.json", R"("iterations": 6)", R"("iterations": 7)", "/cells/0/iterations: found 7 "},
    {"result.json", R"("lr": 0.1)", R"("lr": 0.2)", "/scenario/workload/optimizer/lr: found 0.2"},
    {"manifest.json", R"("comparison_hash": "[0-9a-f]{4})", R"("comparison_hash": "xxxx)",
     "manifest.json: /comparison_hash: found"},
    {"cells/b-none-2/worker.log", "$", "one more line\n",
     "b-none-2/worker.log: found 1 lines in 14 bytes .*expected 0 lines in 0 bytes"},
    {"cells/b-none-2/cell.json", R"("wire_mbit": null)", R"("wire_mbit": 3)",
     "b-none-2/cell.json: /sha256: found"},
    {"manifest.json", R"("kernel": ")", R"("kernel": "Old )", "manifest.json: /sha256: found"},
    {"manifest.json", R"(,\s*"sha256": "[0-9a-f]+")", "", "manifest.json: /sha256: missing"},
    {"result.json", R"(,\s*"sha256": "[0-9a-f]+")", "", "result.json: /sha256: missing"},
    {"cells/b-none-2/curve.jsonl", "\n$", "", "the last line has no newline"},
    {"cells/b-none-2/iterations.jsonl", R"("rank":1)", R"("rank":2)",
     "iterations.jsonl:[0-9]+: found \"rank\": 2, expected a number from 0 to 1"},
    {"cells/b-none-2/curve.jsonl", R"("evaluation")", R"("party")", "curve.jsonl:1"},
};

TEST_F(Verify, FindsWhatWasPlanted) {
  for (const auto& [file, pattern, text, found] : kPlanted) {
    SCOPED_TRACE(found);
    const auto before = read_text(out() + "/" + file);
    plant(file, pattern, text);
    const auto output = verify();
    EXPECT_EQ(output.status.code, 1) << output.out << output.err;
    EXPECT_THAT(output.out, ContainsRegex(found));
    write_text(out() + "/" + file, before);
  }
}

TEST_F(Verify, FindsACellThatIsInOneOfTheFilesOnly) {
  std::filesystem::remove(out() + "/cells/b-none-2/cell.json");
  const auto output = verify({"--curves", "0"});
  EXPECT_EQ(output.status.code, 1);
  EXPECT_THAT(output.out, HasSubstr("cells/b-none-2/cell.json: found nothing"));
  plant("cells/b-none-2/events.jsonl", "\\{[^\n]*\"ended\"[^\n]*\n", "");
  const auto under_way_again = verify({"--curves", "0"});
  EXPECT_EQ(under_way_again.status.code, 3) << under_way_again.out;
  EXPECT_THAT(under_way_again.out, HasSubstr("UNKNOWN  numbers: 3 of 4 cells recomputed; missing, "
                                             "or not finished: b-none-2"));
}

TEST_F(Verify, OfARunWithoutTheLinesOfItsIterationsChecksWhatCurvesAndEventsTell) {
  for (const auto& cell : std::filesystem::directory_iterator{out() + "/cells"}) {
    std::filesystem::remove(cell.path() / "iterations.jsonl.gz");
  }
  const auto kept = verify();
  EXPECT_EQ(kept.status.code, 0) << kept.out << kept.err;
  EXPECT_THAT(kept.out, HasSubstr("note     4 cells are kept without the lines"));
  EXPECT_THAT(kept.out, HasSubstr("curve of a-none-1: 6 evaluations are equal to the bit"));
  take_checksums_out();
  plant("cells/a-none-1/cell.json", R"("final_accuracy": ?[0-9.]+)", R"("final_accuracy":0.01)");
  plant("cells/b-none-1/curve.jsonl", R"("loss":[0-9.]+)", R"("loss":9.5)");
  const auto changed = verify();
  EXPECT_EQ(changed.status.code, 1) << changed.out;
  EXPECT_THAT(changed.out, HasSubstr("a-none-1/cell.json: /final_accuracy: found 0.01"));
  EXPECT_THAT(changed.out, HasSubstr("b-none-1/curve.jsonl:1: loss: found 9.5"));
  std::filesystem::remove_all(out() + "/cells");
  const auto results_alone = verify();
  EXPECT_EQ(results_alone.status.code, 3) << results_alone.out;
  EXPECT_THAT(results_alone.out, HasSubstr("kept without the lines of its cells"));
}

TEST_F(Verify, IsUndecidedAboutCellsThatWereNeverRunAndNamesTheFirstOfMany) {
  write_learning({{"seeds", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}}});
  ASSERT_EQ(run({"--out", path("part"), "--only", "method=a"}).status.code, 0);
  const auto output = start_command({"verify", path("part")}).finish();
  EXPECT_EQ(output.status.code, 3) << output.out;
  EXPECT_THAT(output.out, HasSubstr("10 of 20 cells recomputed; missing, or not finished: "));
  EXPECT_THAT(output.out, HasSubstr("b-none-8, and 2 more;"));
  EXPECT_THAT(output.out, Not(HasSubstr("b-none-9")));
  EXPECT_THAT(output.out, HasSubstr("curve of a-none-1: 6 iterations"));
}

TEST_F(Verify, CallsACurveThatCannotBeDerivedUnknown) {
  std::filesystem::remove(path("pacbench-worker"));
  std::filesystem::create_symlink("/bin/false", path("pacbench-worker"));
  const auto output = verify();
  EXPECT_EQ(output.status.code, 3) << output.out;
  EXPECT_THAT(output.out, ContainsRegex("UNKNOWN  curve of a-none-1: .* exit code 1"));
  EXPECT_THAT(output.out, Not(HasSubstr("DIFFERS")));
}

TEST_F(Verify, RecomputesButDerivesNoCurveOnAnotherCpuOrOtherCores) {
  plant("manifest.json", "\"cores\": ", "\"cores\": 9");
  seal(out() + "/manifest.json");
  const auto cores = verify();
  EXPECT_EQ(cores.status.code, 4) << cores.out;
  EXPECT_THAT(cores.out, ContainsRegex("UNKNOWN  curves: .*number of cores was 9"));
  plant("manifest.json", "\"cores\": 9", "\"cores\": ");
  plant("manifest.json", "\"cpu\": \"", "\"cpu\": \"Old ");
  seal(out() + "/manifest.json");
  const auto cpu = verify();
  EXPECT_EQ(cpu.status.code, 4) << cpu.err;
  EXPECT_THAT(cpu.out, HasSubstr("numbers: 4 of 4 cells recomputed"));
  EXPECT_THAT(cpu.out, ContainsRegex("UNKNOWN  curves: .*CPU was Old .*, here it is"));
}

TEST_F(Verify, NamesThePlaceOfWhatIsNoRun) {
  plant("manifest.json", "\"cores\"", "\"kerns\"");
  auto output = verify();
  EXPECT_EQ(output.status.code, 2) << output.out;
  EXPECT_THAT(output.err, ContainsRegex("manifest.json.*/environment/cores: missing"));
  plant("manifest.json", "\"kerns\"", "\"cores\"");
  write_file_atomically(out() + "/result.json", R"({"cells": {}})");
  output = verify();
  EXPECT_EQ(output.status.code, 2) << output.out;
  EXPECT_THAT(output.err, ContainsRegex("result.json.*/cells: found .*expected an array"));
  output = start_command({"verify", path("")}).finish();
  EXPECT_EQ(output.status.code, 2) << output.err;
  EXPECT_THAT(output.err, HasSubstr("manifest.json"));
}

TEST_F(Verify, IsNoReasonToGoOnWithARunOfAnotherTorch) {
  plant("manifest.json", "\"cpu\": \"", "\"cpu\": \"Old ");
  plant("manifest.json", "\"torch_version\": \"", "\"torch_version\": \"0");
  seal(out() + "/manifest.json");
  const auto output = run({"--out", out(), "--resume"});
  EXPECT_EQ(output.status.code, 2) << output.err;
  EXPECT_THAT(output.err, Not(HasSubstr("/environment/cpu"))) << "it only learns";
  EXPECT_THAT(output.err, HasSubstr("/torch_version: the run was made with torch 0none"));
}

TEST_F(Verify, DerivesNoCurveOfRanksWithOtherThreads) {
  plant("cells/a-none-1/events.jsonl", "\"compute_threads\":1", "\"compute_threads\":3");
  take_checksums_out();
  const auto output = verify({"--cell", "a-none-1"});
  EXPECT_EQ(output.status.code, 4) << output.out;
  EXPECT_THAT(output.out, HasSubstr("computed on 3 threads each; here they would compute on 1"));
}

TEST_F(Verify, RecomputesButDerivesNoCurveOfAGpu) {
  write_learning({{"device", "cuda"}});
  std::filesystem::remove_all(out());
  const Devices devices{{"one"}, "", "", "this build has no NCCL"};
  ASSERT_EQ(run({"--out", out()}, {"FAKE_DEVICES=" + to_json(devices).dump()}).status.code, 0);
  const auto output = verify();
  EXPECT_EQ(output.status.code, 4) << output.err;
  EXPECT_THAT(output.out, HasSubstr("numbers: 4 of 4 cells recomputed"));
  EXPECT_THAT(output.out, ContainsRegex("UNKNOWN  curves: .* a GPU's libraries"));
}

}  // namespace
}  // namespace pacbench::verify
