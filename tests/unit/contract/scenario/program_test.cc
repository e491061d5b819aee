#include "contract/scenario/program.h"

#include "contract/catalogue/method_entry.h"
#include "contract/result/result.h"
#include "contract/scenario/scenario.h"
#include "tests/unit/contract/example_catalogue.h"
#include "tests/unit/contract/matchers.h"
#include "tests/unit/contract/refusals.h"

namespace pacbench {
namespace {

Json document() {
  return Json::parse(R"({
    "version": 1, "name": "own", "workers": 2,
    "network": {"links": [{"name": "slow", "rate_mbit": 10}]},
    "workload": {"command": ["python3", "train.py", "--seed={seed}"]},
    "methods": [{"name": "program", "label": "fp16", "arguments": ["--hook", "fp16"],
                 "environment": {"NAME": "{seed} of {seed}"}},
                {"name": "program", "label": "plain"}],
    "seeds": [3]})");
}

Scenario read(const Json& scenario) {
  return scenario_from_json("/somewhere/own.json", scenario, testing::example_catalogue());
}

std::string mistake_in(const Json& scenario) {
  return testing::refusal_words([&] { read(scenario); });
}

/// The mistake after a change of document().
std::string mistake_with(const char* pointer, const Json& value) {
  auto scenario = document();
  scenario[Json::json_pointer{pointer}] = value;
  return mistake_in(scenario);
}

TEST(Program, RunsInTheFolderOfItsScenarioWithTheMethodsWordsAndVariables) {
  const auto scenario = read(document());
  ASSERT_TRUE(scenario.program);
  EXPECT_EQ(scenario.program->folder, "/somewhere/");
  EXPECT_THAT(command_line(*scenario.program, scenario.methods[0], 3),
              ElementsAre("python3", "train.py", "--seed=3", "--hook", "fp16"));
  EXPECT_THAT(environment_of(scenario.methods[0], 3), ElementsAre("NAME=3 of 3"));
  EXPECT_THAT(environment_of(scenario.methods[1], 3), ElementsAre());
}

TEST(Program, FindsTheLearningRateOfItsMethod) {
  auto tuned = document();
  tuned["methods"][0]["arguments"] = {"--lr={lr}"};
  tuned["methods"][0]["optimizer"] = {{"lr", 0.025}};
  tuned["methods"][0]["tried"] = 12;
  const auto scenario = read(tuned);
  EXPECT_EQ(command_line(*scenario.program, scenario.methods[0], 3).back(), "--lr=0.025");
  EXPECT_THAT(environment_of(scenario.methods[0], 3),
              ElementsAre("PACBENCH_LR=0.025", "NAME=3 of 3"));
  EXPECT_EQ(to_json(scenario)["methods"][0]["tried"], 12);
  EXPECT_EQ(to_json(read(to_json(scenario))), to_json(scenario));
}

TEST(Program, TheCanonicalFormIsReadAsItself) {
  const auto canonical = to_json(read(document()));
  EXPECT_EQ(to_json(read(canonical)), canonical);
  EXPECT_TRUE(is_program_alone(canonical));
  EXPECT_EQ(canonical["workload"]["folder"], ".") << "no path of a machine";
  EXPECT_FALSE(has_curve(canonical)) << "it has no targets";
  EXPECT_TRUE(may_evaluate(canonical)) << "it may evaluate without them";
}

TEST(Program, SaysOfAMethodThatItSendsLittleAndIsWrittenAsBeforeWithout) {
  auto scenario = document();
  EXPECT_FALSE(sends_little(read(scenario).methods[0]));
  EXPECT_FALSE(to_json(read(scenario))["methods"][0].contains("sends_little"));
  scenario["methods"][0]["sends_little"] = true;
  EXPECT_TRUE(sends_little(read(scenario).methods[0]));
  const auto canonical = to_json(read(scenario));
  EXPECT_EQ(to_json(read(canonical)), canonical);
  scenario["methods"][0]["sends_little"] = 1;
  EXPECT_THAT(mistake_in(scenario), HasSubstr("/methods/0/sends_little"));
}

TEST(Program, RunsFromAnotherFolderAreCompared) {
  auto elsewhere = document();
  elsewhere["workload"]["folder"] = "/else";
  EXPECT_EQ(comparison_hash(read(document())), comparison_hash(read(elsewhere)));
  elsewhere["workload"]["command"][1] = "other.py";
  EXPECT_NE(comparison_hash(read(document())), comparison_hash(read(elsewhere)));
}

TEST(Program, MistakesOfItsMethodsAreNamed) {
  EXPECT_THAT(mistake_with("/methods/0/label", "plain"), HasSubstr("/methods/1/label"));
  EXPECT_THAT(mistake_with("/methods/0/environment/A=B", "x"), HasSubstr("/methods/0/environment"));
  EXPECT_THAT(mistake_with("/methods/0/ratio", 0.1),
              AllOf(HasSubstr("/methods/0/ratio"), HasSubstr("arguments")));
  EXPECT_THAT(mistake_with("/methods/0/arguments", {"--lr", "{lr}"}),
              HasSubstr("/methods/0/optimizer: missing"));
  EXPECT_THAT(mistake_with("/workload", Json::parse(R"({"comand": ["python3"]})")),
              HasSubstr("did you mean \"command\"?"));
  EXPECT_THAT(mistake_with("/workload/command", Json::array()), HasSubstr("/workload/command"));
}

/// A scenario of pacbench's own worker, with a program beside it.
Json with_program_beside() {
  auto scenario = testing::example_scenario();
  scenario["program"] = {{"command", {"python3", "train.py"}}, {"folder", "programs"}};
  scenario["methods"].push_back({{"name", "program"}, {"label", "mine"}});
  return scenario;
}

TEST(Program, RunsBesideMethodsOfPacbenchsOwnWorker) {
  const auto scenario = read(with_program_beside());
  ASSERT_TRUE(scenario.program);
  EXPECT_FALSE(is_program_alone(scenario));
  EXPECT_EQ(scenario.program->folder, "/somewhere/programs");
  EXPECT_EQ(scenario.workload.model.name, read(testing::example_scenario()).workload.model.name);
  EXPECT_FALSE(is_program(scenario.methods.front()));
  EXPECT_TRUE(is_program(scenario.methods.back()));
  const auto canonical = to_json(scenario);
  EXPECT_EQ(to_json(read(canonical)), canonical);
  EXPECT_FALSE(is_program_alone(canonical));
  EXPECT_TRUE(has_curve(canonical)) << "of pacbench's own methods";
}

TEST(Program, WhatCannotBeKnownOfItIsRefusedWithItsPlaceAlsoBesideOtherMethods) {
  for (const auto& [pointer, value] : std::initializer_list<std::pair<const char*, Json>>{
           {"/mode", "learn"},
           {"/quality_every", 3},
           {"/slow_workers", Json::parse(R"([{"worker": 0, "compute_factor": 2}])")}}) {
    for (auto scenario : {document(), with_program_beside()}) {
      scenario[Json::json_pointer{pointer}] = value;
      EXPECT_THAT(mistake_in(scenario), HasSubstr(pointer));
    }
  }
  EXPECT_THAT(mistake_with("/tune", Json::object()), HasSubstr("/tune"));
  EXPECT_THAT(mistake_with("/device", "cuda"), HasSubstr("/device"));
  auto beside = with_program_beside();
  beside["device"] = "cuda";
  EXPECT_EQ(mistake_in(beside), "");
}

TEST(Program, NeitherTheProgramNorItsMethodsMayBeMissing) {
  auto scenario = with_program_beside();
  scenario.erase("program");
  EXPECT_THAT(mistake_in(scenario), HasSubstr("/program: found no program"));
  scenario = with_program_beside();
  scenario["methods"].erase(scenario["methods"].size() - 1);
  EXPECT_THAT(mistake_in(scenario), HasSubstr("/program: found a program, but no method"));
  scenario = document();
  scenario["program"] = {{"command", {"true"}}};
  EXPECT_THAT(mistake_in(scenario), HasSubstr("/program"));
}

}  // namespace
}  // namespace pacbench
