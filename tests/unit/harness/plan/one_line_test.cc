#include "harness/plan/one_line.h"

#include <gmock/gmock.h>

#include "base/errors.h"

namespace pacbench::plan {
namespace {

using ::testing::ElementsAre;

TEST(OneLine, IsAScenarioOfALinkAndARowForEachVariation) {
  OneLine line;
  line.workers = 4;
  line.rate = "100mbit";
  line.rtt = "20ms";
  line.loss = "19%";
  line.seeds = 3;
  line.vary = {"--hook none", "--hook 'my hook'"};
  line.command = {"python3", "-u", "examples/train.py", "--epochs", "1"};
  line.folder = "..";
  EXPECT_EQ(scenario_of(line), Json::parse(R"({
    "version": 1, "name": "train", "workers": 4,
    "network": {"links": [{"name": "100mbit", "rate_mbit": 100.0, "delay_ms": 5.0,
                           "loss": 0.09999999999999998}]},
    "workload": {"command": ["python3", "-u", "examples/train.py", "--epochs", "1"],
                 "folder": ".."},
    "methods": [
      {"name": "program", "label": "hook-none", "arguments": ["--hook", "none"]},
      {"name": "program", "label": "hook-my hook", "arguments": ["--hook", "my hook"]}],
    "seeds": [1, 2, 3]})"));
  EXPECT_EQ(words_of(line), "4 workers, 100 Mbit/s each way, a round trip of 20 ms, 19 % lost");
  line.vary.clear();
  EXPECT_EQ(scenario_of(line)["methods"], Json::parse(R"(
    [{"name": "program", "label": "train", "arguments": []}])"));
}

TEST(OneLine, GivesRanksVariablesByValueOrFromHere) {
  OneLine line;
  line.rate = "100mbit";
  line.command = {"python3", "train.py"};
  ::setenv("PACBENCH_TEST_HERE", "5", 1);
  line.environment = {"A=1=2", "PACBENCH_TEST_HERE"};
  const auto expected = Json{{"A", "1=2"}, {"PACBENCH_TEST_HERE", "5"}};
  EXPECT_EQ(scenario_of(line)["methods"][0]["environment"], expected);
  line.environment = {"PACBENCH_TEST_NOT_HERE"};
  EXPECT_THROW(scenario_of(line), ConfigError);
}

TEST(OneLine, SplitsWordsAsAShellDoes) {
  EXPECT_THAT(split_words(R"( --lr 0.1  --name "a b" 'c "d"' e\ f)"),
              ElementsAre("--lr", "0.1", "--name", "a b", "c \"d\"", "e f"));
  EXPECT_THROW(split_words("--name 'a"), ConfigError);
}

TEST(OneLine, NamesAProgram) {
  EXPECT_EQ(program_name({"python3", "-X", "dev", "a/train.py"}), "train");
  EXPECT_EQ(program_name({"/usr/bin/python3.11", "-m", "bench.ddp", "-v"}), "bench.ddp");
  EXPECT_EQ(program_name({"./trainer", "run.py"}), "trainer");
}

}  // namespace
}  // namespace pacbench::plan
