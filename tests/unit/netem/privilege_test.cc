#include "netem/session/privilege.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pacbench::netem {
namespace {

using ::testing::HasSubstr;

TEST(Privilege, SaysWhatToDoWhereTheKernelRefusesNamespaces) {
  EXPECT_THAT(cure({true, true}), HasSubstr("docker run --cap-add SYS_ADMIN"));
  EXPECT_THAT(cure({false, true}),
              HasSubstr("sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"));
  EXPECT_THAT(cure({false, false, true}), HasSubstr("kernel.unprivileged_userns_clone=1"));
  EXPECT_THAT(cure({false, false, false, true}), HasSubstr("user.max_user_namespaces=10000"));
  EXPECT_THAT(cure({}), HasSubstr("sudo pacbench"));
}

}  // namespace
}  // namespace pacbench::netem
