#include "contract/fabric/features.h"

#include <gmock/gmock.h>

namespace pacbench::netd {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Cure, OfMissingNetemNamesTheModuleTheKernelsThatHaveItAndAWayRound) {
  for (const char* each : {feature::kNetem, feature::kIfb, feature::kMirred}) {
    // Debian's -cloud kernel has these modules (tests/tools/kernel_run_test.py), so the cure must
    // not advise to replace that kernel.
    EXPECT_THAT(cure(each), AllOf(HasSubstr("sch_netem"), HasSubstr("act_mirred"),
                                  ContainsRegex("these modules[^;.]*linux-image-cloud-amd64"),
                                  Not(HasSubstr("in place of")), HasSubstr("tools/kernel-run")));
  }
}

}  // namespace
}  // namespace pacbench::netd
