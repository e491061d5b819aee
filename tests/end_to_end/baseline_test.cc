#include "tests/end_to_end/with_worker.h"

namespace pacbench {
namespace {

using Baseline = WithWorker;

/// Whether a check may stay open because of the machine: curves on another CPU, and wire bytes
/// where its links were suspect.
bool may_stay_open(const Json& check) {
  return check.at("verdict") == "not asked" ||
         (check.at("verdict") == "inconclusive" &&
          check.at("quantity") == "measured bytes per iteration");
}

TEST_F(Baseline, IsWhatThisBuildSendsAndLearns) {
  ASSERT_EQ(run({}).status.code, 0);
  const auto compared = PacbenchProcess{
      PACBENCH_BIN "/pacbench",
      {"compare", BASELINE, out(), "--format",
       "json"}}.finish();
  // One run on each side decides nothing about times. The exit code is 3 (inconclusive), or 4
  // (incomparable) on another machine.
  ASSERT_THAT(compared.status.code, ::testing::AnyOf(3, 4)) << compared.out << compared.err;
  const auto gate = Json::parse(compared.out).at("gate");
  EXPECT_GE(gate.size(), 3 * result().cells.size());
  for (const auto& check : gate) {
    EXPECT_TRUE(check.at("verdict") == "equal" || may_stay_open(check)) << check.dump();
  }
}

}  // namespace
}  // namespace pacbench
