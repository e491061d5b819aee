#include "harness/plan/one_line.h"

#include <gmock/gmock.h>

#include <stdexcept>

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

TEST(Units, OfARateATimeAndAShareAreThoseOfTcAndOfPeople) {
  for (const auto* text : {"100mbit", "100Mbit", "100 Mbit/s", "100Mbps", "100mbps", "100Mb/s",
                           "0.1gbit", "100000kbit", "12.5MB/s", "12.5MBps", "1e8bit"}) {
    EXPECT_DOUBLE_EQ(rate_mbit(text), 100) << text;
  }
  EXPECT_DOUBLE_EQ(time_ms("20ms"), 20);
  EXPECT_DOUBLE_EQ(time_ms("0.02 s"), 20);
  EXPECT_DOUBLE_EQ(time_ms("150us"), 0.15);
  EXPECT_DOUBLE_EQ(share_of_percent("0.1%"), 0.001);
  EXPECT_DOUBLE_EQ(share_of_percent("5 %"), 0.05);
}

TEST(Units, AreAskedForWhereTheyLack) {
  for (const auto* text : {"100", "", "fast", "100mbit2", "-5mbit", "100mib", "nanmbit"}) {
    EXPECT_THAT([&] { rate_mbit(text); },
                ::testing::ThrowsMessage<std::invalid_argument>(::testing::HasSubstr("100mbit")))
        << text;
  }
  EXPECT_THROW(time_ms("20"), std::invalid_argument);
  EXPECT_THROW(share_of_percent("0.001"), std::invalid_argument);
  EXPECT_THROW(share_of_percent("100%"), std::invalid_argument);
}

}  // namespace
}  // namespace pacbench::plan
