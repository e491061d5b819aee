#include "tests/end_to_end/with_worker.h"

namespace pacbench {
namespace {

using Baseline = WithWorker;

/// Whether a machine may leave the question open, as the curves of another CPU do.
bool may_differ_by_machine(const std::string& verdict) { return verdict == "not asked"; }

TEST_F(Baseline, IsWhatThisBuildSendsAndLearns) {
  ASSERT_EQ(run({}).status.code, 0);
  const auto compared = PacbenchProcess{
      PACBENCH_BIN "/pacbench",
      {"compare", BASELINE, out(), "--format",
       "json"}}.finish();
  // One run a side says nothing of times: inconclusive, or incomparable on another machine.
  ASSERT_THAT(compared.status.code, testing::AnyOf(3, 4)) << compared.out << compared.err;
  const auto gate = Json::parse(compared.out).at("gate");
  EXPECT_GE(gate.size(), 3 * result().cells.size());
  for (const auto& check : gate) {
    const auto verdict = check.at("verdict").get<std::string>();
    EXPECT_TRUE(verdict == "equal" || may_differ_by_machine(verdict)) << check.dump();
  }
}

}  // namespace
}  // namespace pacbench
