#include "analysis/export/formats.h"
#include "base/files.h"
#include "tests/unit/analysis/export/example_folder.h"
#include "tests/unit/analysis/report/example_run.h"
#include "tests/unit/contract/matchers.h"
#include "tests/unit/contract/refusals.h"

namespace pacbench::exports {
namespace {

ExportedFile exported(const RunResult& result) {
  const TemporaryFolder folder;
  write_example_folder(folder.path(), result);
  return to_google_benchmark(open_exported_run(folder.path(), {}));
}

Json rows_named(const Json& document, const std::string& name) {
  auto rows = Json::array();
  for (const auto& row : document.at("benchmarks")) {
    if (row.at("name") == name) rows.push_back(row);
  }
  return rows;
}

TEST(GoogleBenchmark, HasTheSeedsAsRepetitionsAndSaysWhereAndWhenTheRunWasMade) {
  const auto document = Json::parse(exported(report::example_run()).text);
  const auto rows = rows_named(document, "wan100/fp16/100Mbps/time_per_iteration");
  ASSERT_EQ(rows.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(rows[i]["run_type"], "iteration");
    EXPECT_EQ(rows[i]["repetitions"], 3);
    EXPECT_EQ(rows[i]["repetition_index"], i);
    EXPECT_EQ(rows[i]["family_index"], rows[0]["family_index"]);
    EXPECT_EQ(rows[i]["time_unit"], "ms");
    EXPECT_DOUBLE_EQ(rows[i]["cpu_time"], 11);
  }
  EXPECT_DOUBLE_EQ(rows[1]["real_time"], 118 * 1.05);
  const auto to_target = rows_named(document, "wan100/fp16/100Mbps/tta_0.9").at(0);
  EXPECT_EQ(to_target["iterations"], 24);
  EXPECT_DOUBLE_EQ(to_target["real_time"], 24 * 118.0);
  EXPECT_DOUBLE_EQ(to_target["cpu_time"], 24 * 11.0);
  const auto context = document.at("context");
  EXPECT_EQ(context["date"], "2026-03-04T05:06:07+00:00");
  EXPECT_EQ(context["num_cpus"], 4);
  EXPECT_EQ(context["caches"], Json::array());
}

TEST(GoogleBenchmark, HasNoRowForWhatHasNoTimeAndSaysSo) {
  auto run = report::example_run();
  report::cell(run, "topk-0.1", 2).status = CellStatus::kFailed;
  report::cell(run, "topk-0.1", 2).reason = "worker 3 died";
  report::cell(run, "topk-0.1", 3).link_verdict = {"suspect", {"drops"}};
  const auto file = exported(run);
  const auto document = Json::parse(file.text);
  EXPECT_EQ(rows_named(document, "wan100/topk-0.1/100Mbps/time_per_iteration").size(), 1U);
  EXPECT_EQ(rows_named(document, "wan100/fp16/100Mbps/tta_0.97").size(), 2U);
  EXPECT_THAT(file.left_out, Contains("topk-0.1-100Mbps-2: failed: worker 3 died"));
  EXPECT_THAT(file.left_out, Contains(HasSubstr("topk-0.1-100Mbps-3: its link was not")));
  EXPECT_THAT(file.left_out, Contains("wan100/fp16/100Mbps/tta_0.97: never reached with seed 3"));
}

TEST(GoogleBenchmark, RefusesARunInWhichNothingWasTimed) {
  EXPECT_THAT(testing::refusal_words([] { exported(report::example_run_in(Mode::kLearn)); }),
              HasSubstr("/mode: found \"learn\", which times nothing"));
}

TEST(ExportedRun, IsRefusedWithoutCellsAndWhenItsManifestWasCut) {
  const TemporaryFolder folder;
  write_example_folder(folder.path(), report::example_run());
  /// The refusal after one value of a JSON file was replaced by another.
  const auto refusal_after = [&](const char* name, const char* key, const Json& value) {
    const auto path = folder.path() + "/" + name;
    auto document = read_json_file(path);
    document[key] = value;
    write_file_atomically(path, document.dump());
    return testing::refusal_words([&] { open_exported_run(folder.path(), {}); });
  };
  EXPECT_THAT(refusal_after("result.json", "cells", Json::array()),
              HasSubstr("result.json: /cells: found none, expected at least one"));
  EXPECT_THAT(refusal_after("manifest.json", "environment", Json::object()),
              HasSubstr("/environment/cpu: missing, expected a string"));
}

}  // namespace
}  // namespace pacbench::exports
