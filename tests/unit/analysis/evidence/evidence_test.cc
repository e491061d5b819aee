#include "analysis/evidence/evidence.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "base/errors.h"
#include "base/subprocess.h"

namespace pacbench::evidence {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class Packed : public testing::Test {
 protected:
  Packed() { std::filesystem::create_directories(made() + "/runs"); }

  std::string made() const { return folder_.path() + "/gpu-evidence"; }

  Json facts(bool rehearsal) const {
    return {{"format", "pacbench.evidence/1"},
            {"rehearsal", rehearsal},
            {"made_utc", "2026-01-02T03:04:05Z"},
            {"machine",
             {{"gpus", {"NVIDIA H200"}},
              {"driver_version", "570.1"},
              {"nccl_version", "2.28.9"},
              {"pacbench", "pacbench 0.1.0"},
              {"cpu", "a CPU"}}},
            {"steps",
             {{{"name", "tests"},
               {"status", "done"},
               {"seconds", 12.3},
               {"limit_s", 180},
               {"tests", {{"passed", 5}, {"failed", 0}, {"skipped", 1}}}},
              {{"name", "wan100"}, {"status", "no time left"}}}}};
  }

  void add_run(const std::string& name) const {
    std::filesystem::copy(BASELINE, made() + "/runs/" + name,
                          std::filesystem::copy_options::recursive);
  }

  std::string archive(const Json& facts) const {
    write_file_atomically(made() + "/evidence.json", facts.dump());
    run_checked(
        {"tar", "-C", folder_.path(), "-czf", folder_.path() + "/a.tar.gz", "gpu-evidence"});
    return folder_.path() + "/a.tar.gz";
  }

  TemporaryFolder folder_;
};

TEST_F(Packed, HasAGroupForEachRunWithAResult) {
  add_run("b");
  add_run("a");
  std::filesystem::create_directory(made() + "/runs/broken-off");
  const auto file = archive(facts(false));
  const auto groups = Evidence{file}.runs(true);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].runs.front().path, file + "/gpu-evidence/runs/a/result.json");
  EXPECT_EQ(groups[1].result.cells.size(), 3u);
}

TEST_F(Packed, NamesTheGpuAndHowEachStepEnded) {
  const Evidence evidence{archive(facts(false))};
  EXPECT_THAT(evidence.title(), HasSubstr("NVIDIA H200"));
  EXPECT_THAT(evidence.title(), Not(HasSubstr("Rehearsal")));
  EXPECT_THAT(
      evidence.steps().rows,
      ElementsAre(ElementsAre("tests", "done", "12", "180", "5 passed, 0 failed, 1 skipped"),
                  ElementsAre("wan100", "no time left", "", "", "")));
  EXPECT_TRUE(evidence.times().rows.empty());
}

TEST_F(Packed, SaysOfARehearsalThatItIsOne) {
  const Evidence evidence{archive(facts(true))};
  EXPECT_THAT(evidence.title(), HasSubstr("Rehearsal on the CPU"));
  EXPECT_THAT(evidence.title(), Not(HasSubstr("H200")));
}

TEST_F(Packed, SetsOurStepsBesidePytorchs) {
  write_file_atomically(
      made() + "/ddp.jsonl",
      R"({"rate_mbit": 100, "program": "pacbench", "label": "fp16", "step_s": 0.35, "wire_s": 0.33})"
      "\n"
      R"({"rate_mbit": 100, "results": [{"hook": "fp16", "median_step_s": 0.36, "arithmetic_step_s": 0.33}]})"
      "\n");
  EXPECT_THAT(Evidence{archive(facts(false))}.times().rows,
              ElementsAre(ElementsAre("100", "pacbench, fp16", "0.350", "0.330", "1.06"),
                          ElementsAre("100", "PyTorch, fp16", "0.360", "0.330", "1.09")));
}

TEST_F(Packed, WithoutARunIsNoReport) {
  const Evidence evidence{archive(facts(false))};
  EXPECT_THROW(evidence.runs(true), ConfigError);
}

TEST_F(Packed, OfAnotherFormatOrContentIsRefusedByName) {
  auto other = facts(false);
  other["format"] = "pacbench.evidence/2";
  EXPECT_THROW(Evidence{archive(other)}, ConfigError);
  auto edited = facts(false);
  edited["machine"].erase("gpus");
  try {
    Evidence{archive(edited)}.title();
    FAIL() << "accepted";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("a.tar.gz"));
    EXPECT_THAT(error.what(), HasSubstr("gpus"));
  }
}

TEST(Archive, IsToldByItsNameAndBeingAFile) {
  EXPECT_FALSE(is_archive(BASELINE));
  EXPECT_FALSE(is_archive("/nowhere/a.tar.gz"));
}

}  // namespace
}  // namespace pacbench::evidence
