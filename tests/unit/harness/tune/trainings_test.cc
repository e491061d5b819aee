#include "harness/tune/choose.h"

#include <gmock/gmock.h>

#include "tests/unit/harness/tune/example.h"

namespace pacbench::tune {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(Trainings, OfAMethodWithFewerSettingsHaveFurtherSeedsThatAreNotMeasured) {
  auto document = example_document();
  document["seeds"] = {103, 105};
  const auto scenario = read(document);
  EXPECT_THAT(seeds_of(scenario, scenario.methods[2]), ElementsAre(101, 102));
  EXPECT_THAT(seeds_of(scenario, scenario.methods[1]), ElementsAre(101, 102, 104, 106));
  EXPECT_THAT(seeds_of(scenario, scenario.methods[0]),
              ElementsAre(101, 102, 104, 106, 107, 108, 109, 110));
}

TEST(Trainings, AreASettingWithALearningRateEachAndNeverSeeTheTestSet) {
  const auto scenario = read(example_document());
  const auto training = training_scenario(scenario, scenario.methods[2], {0.1, 0.2});
  EXPECT_EQ(training.workload.validation_samples, 180);
  EXPECT_EQ(training.mode, Mode::kLearn);
  ASSERT_EQ(training.methods.size(), 8U);
  EXPECT_EQ(training.methods[3].label, "2-lr=0.2");
  EXPECT_EQ(training.methods[3].lr, 0.2);
  EXPECT_EQ(training.methods[3].choice.options["score"], "magnitude");
  EXPECT_EQ(training.methods[3].choice.options["quantize"], "ternary");
  EXPECT_EQ(training.methods[7].choice.options["quantize"], "none");
}

TEST(TunedScenario, AndItsTrainingsReadBackAsThemselves) {
  const auto scenario = read(example_document());
  const auto canonical = to_json(scenario);
  EXPECT_EQ(to_json(read(canonical)), canonical);
  EXPECT_EQ(canonical["tune"]["max_iterations"], 150);
  EXPECT_EQ(canonical["tune"]["learning_rates"], Json({0.05, 0.1, 0.2}));
  for (const auto& method : scenario.methods) {
    const auto training = to_json(training_scenario(scenario, method, {0.1, 0.2}));
    EXPECT_EQ(to_json(read(training)), training);
  }
}

TEST(TunedScenario, IsRefusedWhereItsRulesAreBroken) {
  const struct {
    const char* pointer;
    const char* value;
    const char* message;
  } mistakes[] = {
      {"/methods/1/tune", R"([{"ratio": 0.01}, {"ratio": 0.1}, {"ratio": 0.2}])",
       "/methods/1/tune: found 3 settings, expected a divisor of 4"},
      {"/methods/1/tune", R"([{"ratio": 2}, {"ratio": 0.1}])", "/methods/1/tune/0/ratio: found 2"},
      {"/methods/1/tune", R"([{"ratoi": 0.1}])", "/methods/1/tune/0/ratoi: unknown key"},
      {"/methods/1/tune", R"([])", "/methods/1/tune: found an empty list"},
      {"/methods/1/tune", R"([3])", "/methods/1/tune/0: found 3 (a number)"},
      {"/tune/seeds", "[7, 2]", "/tune/seeds: found 2, which is a seed of the scenario too"},
      {"/tune/learning_rates", "[0.1, 0.1, 0.2]", "found 2 different rates, expected at least 3"},
      {"/tune/validation_samples", "700", "/tune/validation_samples: found 700 of the 898"},
  };
  for (const auto& [pointer, value, message] : mistakes) {
    auto document = example_document();
    document[Json::json_pointer{pointer}] = Json::parse(value);
    EXPECT_THAT([&] { read(document); }, ThrowsMessage<ConfigError>(HasSubstr(message)));
  }
  auto without = example_document();
  without.erase("tune");
  EXPECT_THAT([&] { read(without); },
              ThrowsMessage<ConfigError>(HasSubstr("/methods/1/tune: found settings to try")));
}

}  // namespace
}  // namespace pacbench::tune
