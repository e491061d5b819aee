#include "contract/result/result.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/unit/contract/example_catalogue.h"
#include "tests/unit/contract/schema_check.h"

namespace pacbench::testing {
namespace {

/// A result of one cell. Each field that is set differs from its default and from its neighbours;
/// some optional fields are not set.
RunResult example_result() {
  CellResult cell;
  cell.label = "topk-0.01";
  cell.link = "100Mbps";
  cell.seed = 3;
  cell.status = CellStatus::kFailed;
  cell.reason = "the loss is not a number at iteration 7";
  cell.targets = {{{kAccuracy, 0.9}, 12.5, 30}, {{kLoss, 1.8}, std::nullopt, std::nullopt}};
  cell.iterations = 150;
  double value = 1.5;
  for (double CellResult::*member :
       {&CellResult::training_s, &CellResult::time_per_iteration_s, &CellResult::samples_per_s,
        &CellResult::measured_bytes_per_iteration, &CellResult::received_bytes_per_iteration,
        &CellResult::expected_bytes_per_iteration, &CellResult::payload_bytes_per_iteration,
        &CellResult::compute_s, &CellResult::exposed_s, &CellResult::encode_s, &CellResult::wire_s,
        &CellResult::scheduling_floor_ms, &CellResult::pruning_s, &CellResult::kept_fraction,
        &CellResult::pretrain_s}) {
    cell.*member = value++;
  }
  cell.final_accuracy = 4.5;
  cell.best_accuracy = 5.5;
  cell.vnmse = 0.125;
  cell.cosine = -0.5;
  cell.density = 0.25;
  cell.overlap = 0.75;
  cell.collectives_per_iteration = 2.5;
  cell.explained_bytes_per_iteration = 1234.5;
  cell.trunk_bytes_per_iteration = 1500;
  cell.wire_mbit = 97.5;
  cell.final_loss = 2.25;
  cell.best_loss = 2.125;
  cell.retransmits = 4;
  cell.dropped_packets = 5;
  cell.peak_resident_bytes = 6;
  cell.stopped_at_target = true;
  cell.real_time = true;
  cell.link_verdict = {"suspect", {"probe 4 % slow"}};
  cell.host_verdict = {"cpu-bound", {"idle CPU under 5 %", "floor"}};
  const auto scenario = scenario_from_json("test.json", example_scenario(), example_catalogue());
  return {Mode::kEmulate, to_json(scenario), comparison_hash(scenario), {cell}};
}

TEST(Result, ReadsBackAsItselfAndHoldsEveryFieldOfACellApart) {
  const auto document = to_json(example_result());
  EXPECT_EQ(first_schema_error(result_schema(), document), "");
  const auto again = run_result_from_json("result.json", Json::parse(document.dump()));
  EXPECT_EQ(to_json(again), document);
  const auto& node = document["cells"][0];
  EXPECT_EQ(node["training_s"], 1.5);
  EXPECT_EQ(node["pretrain_s"], 15.5);
  EXPECT_EQ(node["final_accuracy"], 4.5);
  EXPECT_EQ(node["vnmse"], 0.125);
  EXPECT_EQ(node["density"], 0.25);
  EXPECT_TRUE(node["residual_norm"].is_null());
  EXPECT_EQ(node["targets"][0]["tta_s"], 12.5);
  EXPECT_TRUE(node["targets"][1]["tta_s"].is_null());
  EXPECT_EQ(to_json(cell_result_from_json("cell", node)), node);
}

/// The keys that an earlier pacbench did not write.
std::set<std::string> later_keys() {
  return Json::parse(R"(["collectives_per_iteration", "taken_share", "stolen_share",
      "disturbed_iterations", "attempts", "training_unrepaired_s",
      "time_per_iteration_unrepaired_s", "explained_bytes_per_iteration",
      "trunk_bytes_per_iteration", "busiest_link_bytes_per_iteration", "wire_mbit", "final_loss",
      "best_loss", "time_per_iteration_low_s", "time_per_iteration_high_s", "late_s", "density",
      "period", "period_step_s"])")
      .get<std::set<std::string>>();
}

TEST(Result, OfAnEarlierPacbenchLacksWhatItDidNotCount) {
  auto document = to_json(example_result());
  for (const auto& key : later_keys()) document["cells"][0].erase(key);
  EXPECT_EQ(first_schema_error(result_schema(), document), "");
  const auto cell = run_result_from_json("result.json", document).cells[0];
  for (const auto& lacking : {cell.collectives_per_iteration, cell.explained_bytes_per_iteration,
                              cell.trunk_bytes_per_iteration, cell.wire_mbit, cell.final_loss}) {
    EXPECT_EQ(lacking, std::nullopt);
  }
}

TEST(Result, WithAMissingOrUnknownKeyIsRefusedByReaderAndSchema) {
  const auto document = to_json(example_result());
  for (const auto& [key, value] : document["cells"][0].items()) {
    if (later_keys().contains(key)) continue;
    auto missing = document;
    missing["cells"][0].erase(key);
    EXPECT_THROW(run_result_from_json("result.json", missing), ConfigError) << key;
    EXPECT_NE(first_schema_error(result_schema(), missing), "") << key;
  }
  auto unknown = document;
  unknown["cells"][0]["colour"] = 1;
  EXPECT_THROW(run_result_from_json("result.json", unknown), ConfigError);
  EXPECT_NE(first_schema_error(result_schema(), unknown), "");
}

TEST(Result, CannotReachATargetInTimeButNotInIterations) {
  auto document = to_json(example_result());
  document["cells"][0]["targets"][0]["iterations"] = nullptr;
  EXPECT_THROW(run_result_from_json("result.json", document), ConfigError);
}

}  // namespace
}  // namespace pacbench::testing
