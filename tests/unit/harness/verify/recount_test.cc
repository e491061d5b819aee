// `pacbench recount` of a run of the fake worker, whose numbers an earlier pacbench counted by
// other rules.
#include "tests/unit/harness/runner.h"

namespace pacbench::verify {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class Recounted : public RunnerTest {
 protected:
  void SetUp() override {
    RunnerTest::SetUp();
    write_learning();
    ASSERT_EQ(run({"--out", out()}).status.code, 0);
  }

  std::string cell_file() const { return out() + "/cells/a-none-1/cell.json"; }
  Output recount() const { return start_command({"recount", out()}).finish(); }
  Json manifest() const { return read_json_file(out() + "/manifest.json"); }

  /// Changes the cell as if it had been counted by other rules.
  void plant(double final_accuracy) const {
    auto cell = read_json_file(cell_file());
    cell["final_accuracy"] = final_accuracy;
    write_file_atomically(cell_file(), cell.dump());
  }
};

TEST_F(Recounted, HasTheNumbersThatItsLinesGive) {
  const auto before = read_file(cell_file());
  const auto result_before = read_file(out() + "/result.json");
  plant(0.01);
  const auto output = recount();
  EXPECT_EQ(output.status.code, 0) << output.err;
  EXPECT_THAT(output.out,
              HasSubstr("changed  a-none-1: /final_accuracy: was 0.01 (a number), is "));
  EXPECT_THAT(output.out, HasSubstr("of 1 of them changed"));
  EXPECT_EQ(read_file(cell_file()), before);
  EXPECT_EQ(read_file(out() + "/result.json"), result_before);
  EXPECT_EQ(start_command({"verify", out(), "--curves", "0"}).finish().status.code, 0);
}

TEST_F(Recounted, SaysInItsManifestWhoCountedItAndWhoWentOnWithIt) {
  EXPECT_FALSE(manifest().contains("continued"));
  ASSERT_EQ(recount().status.code, 0);
  ASSERT_EQ(run({"--out", out(), "--resume"}).status.code, 0);
  const auto continued = manifest().at("continued");
  ASSERT_THAT(continued, SizeIs(2));
  EXPECT_THAT(continued[0].at("command"), HasSubstr("recount"));
  EXPECT_THAT(continued[1].at("command"), HasSubstr("--resume"));
  EXPECT_EQ(continued[1].at("git_commit"), manifest().at("git_commit"));
  EXPECT_FALSE(continued[1].contains("environment")) << "no cell was left to train";
}

TEST_F(Recounted, StaysAsItIsWhereLinesAreNotThereOrWereChanged) {
  plant(0.01);
  const auto before = read_file(cell_file());
  const auto expect_refused = [&](const std::string& words) {
    const auto output = recount();
    EXPECT_EQ(output.status.code, 2);
    EXPECT_THAT(output.err, HasSubstr(words));
    EXPECT_EQ(read_file(cell_file()), before);
    EXPECT_FALSE(manifest().contains("continued"));
  };
  for (const char* name : {"iterations.jsonl.gz", "curve.jsonl"}) {
    const auto lines = out() + "/cells/b-none-2/" + name;
    std::filesystem::rename(lines, lines + ".away");
    expect_refused(lines.substr(0, lines.find(".jsonl")));
    std::filesystem::rename(lines + ".away", lines);
  }
  const auto curve = out() + "/cells/b-none-2/curve.jsonl";
  const auto text = read_file(curve);
  write_file_atomically(curve, text.substr(text.find('\n') + 1));
  expect_refused("b-none-2/curve.jsonl: found 5 lines");
}

TEST_F(Recounted, OfAnEarlierPacbenchHasChecksumsThen) {
  take_checksums_out();
  ASSERT_EQ(recount().status.code, 0);
  EXPECT_THAT(start_command({"verify", out(), "--curves", "0"}).finish().out,
              HasSubstr("checksums: 16 files of 4 cells"));
}

TEST_F(Recounted, KeepsTheResultsOfARunThatWasKeptWithoutItsCells) {
  const auto before = read_file(out() + "/result.json");
  std::filesystem::remove_all(out() + "/cells");
  const auto output = recount();
  EXPECT_EQ(output.status.code, 2);
  EXPECT_THAT(output.err, HasSubstr("cell.json of 4 of the 4 cells in result.json"));
  EXPECT_EQ(read_file(out() + "/result.json"), before);
}

}  // namespace
}  // namespace pacbench::verify
