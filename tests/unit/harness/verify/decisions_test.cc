// The decisions that a run recorded become options of the method, so that it does the same again.
#include "harness/verify/curves.h"

#include <gmock/gmock.h>

#include "base/files.h"

namespace pacbench::verify::decisions_test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// A method that decides by time unless "plan" is given, and one that decides nothing.
Catalogue deciding_catalogue() {
  Catalogue catalogue;
  MethodInfo chooser;
  chooser.name = "chooser";
  chooser.depends_on_link = chooser.depends_on_time = true;
  OptionSpec plan{"plan", OptionSpec::Type::kIntegers, Json::array(), Range::at_least(0), {}, "it"};
  plan.takes_decisions = true;
  chooser.options = {plan};
  MethodInfo plain;
  plain.name = "plain";
  catalogue.methods = {chooser, plain};
  return catalogue;
}

class RecordedDecisions : public ::testing::Test {
 protected:
  Json options_after(const std::string& lines, const Choice& choice) const {
    write_file_atomically(folder.path() + "/iterations.jsonl", lines);
    plan::Cell cell;
    cell.method.choice = choice;
    return verify::with_recorded_decisions(cell, folder.path(), deciding_catalogue())
        .method.choice.options;
  }

  TemporaryFolder folder;
};

constexpr const char* kLines =
    R"({"event":"iteration","rank":0,"iteration":1,"buckets":[{"index":0},{"index":-1}]}
{"event":"iteration","rank":1,"iteration":2,"buckets":[{"index":-1,"notes":{"decided":[9]}}]}
{"event":"iteration","rank":0,"iteration":2,"buckets":[{"index":-1,"notes":{"decided":[2,0]}}]}
{"event":"iteration","rank":0,"iteration":3,"buckets":[{"index":-1,"notes":{"decided":[1]}}]}
)";

TEST_F(RecordedDecisions, OfRankZeroAreTakenInTheirOrderWhereSomethingWasLeftToDecide) {
  const Choice choice{"chooser", {{"plan", Json::array()}}};
  EXPECT_EQ(options_after(kLines, choice), (Json{{"plan", {2, 0, 1}}}));
  const Json given{{"plan", {3}}};
  EXPECT_EQ(options_after(kLines, {"chooser", given}), given);
  EXPECT_EQ(options_after(kLines, {"plain", Json::object()}), Json::object());
}

TEST_F(RecordedDecisions, ThatAreNoNumbersAreRefusedWithTheirLine) {
  const Choice choice{"chooser", {{"plan", Json::array()}}};
  for (const char* wrong : {R"("2")", "2", "[-1]", "[0.5]"}) {
    const auto line = R"({"event":"iteration","rank":0,"buckets":[{"notes":{"decided":)" +
                      std::string{wrong} + "}}]}\n";
    EXPECT_THAT([&] { options_after(line, choice); },
                ThrowsMessage<ConfigError>(HasSubstr("line 1: found")));
  }
}

}  // namespace
}  // namespace pacbench::verify::decisions_test
