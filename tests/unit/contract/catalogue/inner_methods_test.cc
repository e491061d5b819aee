// Options that are methods themselves, and methods that decide while they run.
#include "contract/catalogue/catalogue.h"

#include "tests/unit/contract/example_catalogue.h"
#include "tests/unit/contract/matchers.h"
#include "tests/unit/contract/refusals.h"
#include "tests/unit/contract/schema_check.h"

namespace pacbench::testing::inner_methods_test {
namespace {

/// The example's catalogue with a method "chooser" added, which has an option that is a method and
/// an option that is several methods. All methods but pactrain and chooser have `averages` set.
Catalogue nesting_catalogue() {
  auto catalogue = example_catalogue();
  for (auto& method : catalogue.methods) method.averages = method.name != "pactrain";
  MethodInfo chooser;
  chooser.name = "chooser";
  chooser.summary = "a method for each bucket";
  chooser.depends_on_link = chooser.depends_on_time = true;
  chooser.lossless = true;
  OptionSpec several{"methods", OptionSpec::Type::kMethods, {}, {}, {}, "to choose among"};
  several.default_value = Json::array({{{"name", "fp16"}}, {{"name", "topk"}, {"ratio", 0.01}}});
  OptionSpec one{"inner", OptionSpec::Type::kMethod, {{"name", "all-reduce"}}, {}, {}, "inside"};
  OptionSpec costs{"costs", OptionSpec::Type::kChoice, "time", {}, {"time", "rate"}, "by what"};
  costs.untimed = {"rate"};
  OptionSpec plan{"plan", OptionSpec::Type::kIntegers, Json::array(), Range::at_least(0), {}, "it"};
  plan.takes_decisions = true;
  chooser.options = {several, one, costs, plan};
  catalogue.methods.push_back(chooser);
  return catalogue;
}

Json scenario_with(const Json& method, const char* mode = "emulate") {
  auto document = example_scenario();
  document["methods"] = Json::array({method});
  document["mode"] = mode;
  return document;
}

Scenario read(const Json& document) {
  return scenario_from_json("test.json", document, nesting_catalogue());
}

std::vector<Issue> issues_of(const Json& document) {
  return refusal_issues([&] { read(document); });
}

/// The only issue of a document.
Issue issue_of(const Json& document) {
  const auto issues = issues_of(document);
  EXPECT_EQ(issues.size(), 1U) << document;
  return issues.at(0);
}

Json tuning(Json document) {
  document["tune"] = {
      {"learning_rates", {0.05, 0.1, 0.2}}, {"seeds", {9}}, {"validation_samples", 100}};
  return document;
}

TEST(InnerMethods, HaveAllTheirOptionsInTheCanonicalForm) {
  const auto scenario = read(scenario_with(
      {{"name", "chooser"}, {"methods", {{{"name", "topk"}, {"ratio", 1}}, {{"name", "fp16"}}}}}));
  const auto canonical = to_json(scenario);
  EXPECT_EQ(canonical["methods"][0]["methods"].dump(),
            R"([{"name":"topk","ratio":1.0},{"name":"fp16"}])");
  EXPECT_EQ(canonical["methods"][0]["inner"], (Json{{"name", "all-reduce"}}));
  EXPECT_EQ(to_json(read(canonical)).dump(), canonical.dump());
}

TEST(InnerMethods, StandInLabelsWhereTheyAreNotTheDefault) {
  const auto label = [](const Json& method) {
    return read(scenario_with(method)).methods[0].label;
  };
  EXPECT_EQ(label({{"name", "chooser"}}), "chooser");
  EXPECT_EQ(label({{"name", "chooser"}, {"inner", {{"name", "topk"}, {"ratio", 0.1}}}}),
            "chooser-topk-keep10%");
  EXPECT_EQ(label({{"name", "chooser"},
                   {"methods", {{{"name", "all-reduce"}}, {{"name", "topk"}, {"ratio", 0.1}}}},
                   {"plan", {0, 1, 1}}}),
            "chooser-all-reduce+topk-keep10%-plan=0+1+1");
}

TEST(InnerMethods, AreHeldToTheirOwnOptions) {
  const auto among = [](const Json& entry) {
    return issue_of(scenario_with({{"name", "chooser"}, {"methods", {{{"name", "fp16"}}, entry}}}));
  };
  EXPECT_EQ(among({{"name", "topk"}, {"ratio", 2}}).pointer, "/methods/0/methods/1/ratio");
  EXPECT_THAT(among({{"name", "topk"}}).message, HasSubstr("missing: kept share"));
  EXPECT_EQ(among({{"name", "topk"}, {"ratio", 0.1}, {"rat", 1}}).pointer,
            "/methods/0/methods/1/rat");
  EXPECT_THAT(issue_of(scenario_with({{"name", "chooser"}, {"methods", Json::array()}})).message,
              HasSubstr("expected at least one method"));
}

TEST(InnerMethods, OfATunedSettingAreReportedWhereTheyStand) {
  auto document = tuning(scenario_with({{"name", "chooser"}, {"costs", "rate"}}));
  document["methods"][0]["tune"] = Json::array(
      {{{"inner", {{"name", "topk"}, {"ratio", 2}}}}, {{"methods", {{{"name", "topkk"}}}}}});
  const auto issues = issues_of(document);
  ASSERT_EQ(issues.size(), 2U);
  EXPECT_EQ(issues[0].pointer, "/methods/0/tune/0/inner/ratio");
  EXPECT_EQ(issues[1].pointer, "/methods/0/tune/1/methods/0/name");
}

TEST(InnerMethods, ThatDoMoreThanAverageOrAreUnknownAreRefusedWithThoseThatDoNot) {
  for (const char* name : {"pactrain", "chooser", "topkk"}) {
    const auto issue = issue_of(scenario_with({{"name", "chooser"}, {"inner", {{"name", name}}}}));
    EXPECT_EQ(issue.pointer, "/methods/0/inner/name");
    EXPECT_THAT(issue.message, HasSubstr("expected one of all-reduce, fp16, topk"));
  }
}

TEST(InnerMethods, AreInTheSchemaAsTheReaderTakesThem) {
  const auto schema = scenario_schema(nesting_catalogue());
  const Json good{{"name", "chooser"}, {"methods", {{{"name", "topk"}, {"ratio", 0.1}}}}};
  EXPECT_EQ(first_schema_error(schema, scenario_with(good)), "");
  for (const char* wrong : {R"([])", R"([{"name": "pactrain"}])", R"([{"name": "topk"}])",
                            R"([{"name": "fp16", "ratio": 0.1}])", R"({"name": "fp16"})"}) {
    auto method = good;
    method["methods"] = Json::parse(wrong);
    EXPECT_NE(first_schema_error(schema, scenario_with(method)), "") << wrong;
    EXPECT_FALSE(issues_of(scenario_with(method)).empty()) << wrong;
  }
}

TEST(InnerMethods, SurviveTheCatalogue) {
  const auto catalogue = catalogue_from_json("here", to_json(nesting_catalogue()));
  EXPECT_EQ(to_json(catalogue), to_json(nesting_catalogue()));
  EXPECT_EQ(decisions_option(*catalogue.find_method("chooser"))->name, "plan");
  EXPECT_EQ(decisions_option(*catalogue.find_method("topk")), nullptr);
}

MethodTraits traits(const Json& options = Json::object()) {
  const auto catalogue = nesting_catalogue();
  auto entry = to_json(read(scenario_with({{"name", "chooser"}})))["methods"][0];
  entry.update(options);
  return traits_of(*catalogue.find_method("chooser"), entry, catalogue.methods);
}

TEST(InnerMethods, LendTheirTraits) {
  EXPECT_FALSE(traits().lossless || traits().stateless) << "topk is neither";
  const auto exact = traits({{"methods", Json::array({{{"name", "fp16"}}})}});
  EXPECT_TRUE(exact.lossless && exact.stateless);
}

TEST(Decisions, DependOnTimeAndLinkUntilOptionsSayOtherwise) {
  EXPECT_TRUE(traits().depends_on_time && traits().depends_on_link);
  EXPECT_FALSE(traits({{"costs", "rate"}}).depends_on_time);
  EXPECT_TRUE(traits({{"costs", "rate"}}).depends_on_link);
  const auto planned = traits({{"plan", {1}}});
  EXPECT_FALSE(planned.depends_on_time || planned.depends_on_link);
}

TEST(Decisions, ByTimeAreRefusedWhereNoTimeIsMeasured) {
  const auto issue = issue_of(scenario_with({{"name", "chooser"}}, "learn"));
  EXPECT_EQ(issue.pointer, "/methods/0/plan");
  EXPECT_THAT(issue.message, HasSubstr(R"(expected "costs": "rate", or decisions in "plan")"));
  EXPECT_TRUE(issues_of(scenario_with({{"name", "chooser"}, {"costs", "rate"}}, "learn")).empty());
  EXPECT_TRUE(issues_of(scenario_with({{"name", "chooser"}, {"plan", {1}}}, "learn")).empty());
  EXPECT_TRUE(issues_of(scenario_with({{"name", "chooser"}})).empty());
}

TEST(Decisions, ByTimeAreRefusedInATuning) {
  auto document = tuning(scenario_with({{"name", "chooser"}}));
  EXPECT_THAT(issue_of(document).message, HasSubstr("a tuning trains without a link"));
  document["methods"][0]["tune"] = Json::array({{{"plan", {1}}}, {{"inner", {{"name", "fp16"}}}}});
  EXPECT_EQ(issue_of(document).pointer, "/methods/0/tune/1/plan");
}

}  // namespace
}  // namespace pacbench::testing::inner_methods_test
