// pacbench refuses wrong scenario files: exit code 2, the place and the reason, nothing written.
#include <gmock/gmock.h>

#include <filesystem>

#include "contract/catalogue/catalogue.h"
#include "tests/end_to_end/driver.h"
#include "tests/unit/contract/example_catalogue.h"
#include "tests/unit/contract/scenario/scenario_mistakes.h"

namespace pacbench {
namespace {

using ::testing::HasSubstr;
using testing::Mistake;

class ScenarioFile : public ::testing::Test {
 protected:
  Output run(const std::string& scenario) const {
    write_file_atomically(folder_.path() + "/catalog.json",
                          to_json(testing::example_catalogue()).dump());
    write_file_atomically(folder_.path() + "/wrong.json", scenario);
    return PacbenchProcess{PACBENCH_BIN "/pacbench",
                           {"run", folder_.path() + "/wrong.json", "--out", out()},
                           {"PACBENCH_PROGRAMS=" + folder_.path()}}
        .finish();
  }

  std::string out() const { return folder_.path() + "/out"; }

 private:
  TemporaryFolder folder_;
};

class WrongScenario : public ScenarioFile, public ::testing::WithParamInterface<Mistake> {};

TEST_P(WrongScenario, EndsWithTwoAndSaysWhereAndWhat) {
  auto scenario = testing::example_scenario();
  scenario[Json::json_pointer{GetParam().pointer}] = Json::parse(GetParam().value);
  const auto output = run(scenario.dump());
  EXPECT_EQ(output.status.code, 2);
  EXPECT_THAT(output.err, HasSubstr(std::string{"wrong.json: "} + GetParam().reported_at + ": "));
  EXPECT_THAT(output.err, HasSubstr(GetParam().words));
  EXPECT_EQ(output.out, "");
  EXPECT_FALSE(std::filesystem::exists(out()));
}

const auto name_of = [](const auto& mistake) { return std::string{mistake.param.name}; };

INSTANTIATE_TEST_SUITE_P(Schema, WrongScenario, ::testing::ValuesIn(testing::mistakes()), name_of);
INSTANTIATE_TEST_SUITE_P(BeyondTheSchema, WrongScenario,
                         ::testing::ValuesIn(testing::mistakes_beyond_the_schema()), name_of);

TEST_F(ScenarioFile, ThatIsNotJsonIsRefusedWithItsLine) {
  const auto output = run("{\n  \"version\": 1,\n  oops\n}");
  EXPECT_EQ(output.status.code, 2);
  EXPECT_THAT(output.err, HasSubstr("line 3"));
}

}  // namespace
}  // namespace pacbench
