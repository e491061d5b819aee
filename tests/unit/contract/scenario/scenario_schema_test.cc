#include <gmock/gmock.h>

#include "tests/unit/contract/example_catalogue.h"
#include "tests/unit/contract/refusals.h"
#include "tests/unit/contract/scenario/scenario_mistakes.h"
#include "tests/unit/contract/schema_check.h"

namespace pacbench::testing {
namespace {

std::string schema_error(const Json& document) {
  return first_schema_error(scenario_schema(example_catalogue()), document);
}

/// Whether the schema accepts the document. Expects that the reader agrees.
bool takes(const Json& document) {
  const bool valid = schema_error(document).empty();
  EXPECT_EQ(refusal_issues([&] { read_scenario(document); }).empty(), valid) << document;
  return valid;
}

TEST(ScenarioSchema, RefusesWhatTheReaderRefuses) {
  for (const auto& mistake : kMistakes) {
    auto document = example_scenario();
    document[Json::json_pointer{mistake.pointer}] = Json::parse(mistake.value);
    EXPECT_NE(schema_error(document), "") << mistake.pointer << ' ' << mistake.value;
  }
}

/// Good variants of the example: the reader and the schema must both take them.
const std::pair<const char*, const char*> kGoodChanges[] = {
    {"/workload/initial", R"({"kind": "random"})"},
    {"/workload/initial", R"({"kind": "pretrain", "dataset": {"name": "digits"}, "lr": 0.5})"},
    {"/workload/optimizer/schedule", R"({"kind": "cosine"})"},
    {"/workload/optimizer/schedule", R"({"kind": "step", "milestones": [10, 20], "gamma": 0.5})"},
    {"/workload/stop", "\"targets\""},
    {"/workload/model", R"({"name": "resnet8"})"},
    {"/workload/model/hidden", "[]"},
    {"/methods/0/label", "\"dense\""},
    {"/methods/2/ratio", "1"},
    {"/targets/accuracy", "[1]"},
    {"/seeds", "[0]"},
    {"/network/rate_accounting", "\"wire\""},
    {"/network/links", R"([{"name": "a b", "rate_mbit": 0.1}, {"name": "b", "rate_mbit": 1e5}])"},
    {"/network/links/0/up_mbit", "20"},
    {"/network/links", R"([{"name": "a", "up_mbit": 1, "down_mbit": 2}])"},
    {"/network/links/0/delay_ms", "20"},
    {"/network/links/0/loss", "0.01"},
    {"/network/links/0/queue_kb", "300"},
    {"/network/links/0/overrides", R"([{"worker": 3, "rate_mbit": 5, "delay_ms": 5}])"},
    {"/network/links/0/schedule", R"({"steps": [{"at_s": 0, "rate_mbit": 1}], "repeat_s": 2})"},
    {"/network/links", R"([{"name": "a", "schedule": {"steps": [{"at_s": 0, "rate_mbit": 1}]}}])"},
    {"/network/links", R"([{"name": "a", "measured": true}])"},
    {"/network/links", R"([{"name": "a", "measured": true, "rate_mbit": 94.1}])"},
    {"/network/links/0/load", R"([{"from": 0, "to": 1, "start_s": 5, "end_s": 20}])"},
    {"/network",
     R"({"topology": "chain3", "links": [{"name": "a", "rate_mbit": 1, "edge_mbit": 10}]})"},
    {"/network", R"({"topology": "groups", "groups": [2, 6],
                     "links": [{"name": "a", "rate_mbit": 1}]})"},
    {"/slow_workers", R"([{"worker": 7, "compute_factor": 2, "start_delay_s": 3}])"},
    {"/timeout_s", "1.5"},
    {"/quality_every", "10"},
    {"/checkpoint_every", "0"},
    {"/mode", "\"learn\""},
    {"/device", "\"auto\""},
    {"/methods/5/encoding", "\"lanes\""},
    {"/methods/4/encoding", "\"int8\""},
};

TEST(ScenarioSchema, TakesWhatTheReaderTakesAndTheCanonicalForm) {
  EXPECT_EQ(schema_error(example_scenario()), "");
  EXPECT_EQ(schema_error(to_json(read_scenario(example_scenario()))), "");
  for (const auto& [pointer, value] : kGoodChanges) {
    auto document = example_scenario();
    document[Json::json_pointer{pointer}] = Json::parse(value);
    EXPECT_TRUE(takes(document)) << pointer << ' ' << value << schema_error(document);
  }
}

TEST(ScenarioSchema, DescribesEveryMethodWithItsDefaults) {
  const auto entries =
      scenario_schema(example_catalogue())["properties"]["methods"]["items"]["oneOf"];
  ASSERT_EQ(entries.size(), example_catalogue().methods.size() + 2)
      << "a user's own program, and a user's class";
  EXPECT_EQ(entries[2]["required"], Json::array({"name", "ratio"}));
  EXPECT_EQ(entries[3]["properties"]["score"]["default"], "grasp");
  EXPECT_EQ(entries[3]["properties"]["name"]["const"], "pactrain");
}

/// Expects that every object of the schema is closed. A misspelt key would pass otherwise.
void expect_closed(const Json& node, const std::string& where) {
  if (node.is_object() && node.contains("properties")) {
    EXPECT_EQ(node.value("additionalProperties", true), false) << where;
  }
  if (!node.is_structured()) return;
  for (const auto& [key, value] : node.items()) expect_closed(value, where + "/" + key);
}

TEST(ScenarioSchema, AllowsNoUnknownKeyAnywhere) {
  auto schema = scenario_schema(example_catalogue());
  // The options of a user's class are known once its file has run.
  schema["properties"]["methods"]["items"]["oneOf"].erase(example_catalogue().methods.size() + 1);
  // These are conditions between keys, in an object that is closed elsewhere.
  schema.erase("anyOf");
  schema.erase("allOf");
  expect_closed(schema, "");
}

TEST(ScenarioSchema, LetsOnlyLearnDoWithoutANetwork) {
  auto document = example_scenario();
  document.erase("network");
  EXPECT_FALSE(takes(document));
  document["mode"] = "learn";
  EXPECT_TRUE(takes(document));
}

TEST(ScenarioSchema, TakesNcclOnCudaOnlyAndSharedGpusWhereThereMayBeSome) {
  auto nccl = example_scenario();
  auto shared = example_scenario();
  nccl["backend"] = "nccl";
  shared["share_gpus"] = true;
  for (auto* document : {&nccl, &shared}) {
    EXPECT_FALSE(takes(*document));
    document->erase("device");
    EXPECT_FALSE(takes(*document));
    (*document)["device"] = "cuda";
    EXPECT_TRUE(takes(*document));
    (*document)["device"] = "auto";
  }
  EXPECT_FALSE(takes(nccl));
  EXPECT_TRUE(takes(shared));
}

}  // namespace
}  // namespace pacbench::testing
