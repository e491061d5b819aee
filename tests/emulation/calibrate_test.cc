// Measures real links. The tests check the form of the results, and that no value is too low.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include "harness/calibration/calibrate.h"
#include "tests/emulation/daemon_client.h"

namespace pacbench {
namespace {

using ::testing::Each;
using ::testing::Gt;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr calibration::Network kThree{3, 1500};
constexpr double kRateMbit = 50;

TEST(Calibrate, StepsOfTheRateLeaveTheLinksAsTheyWere) {
  REQUIRE_FABRIC();
  const Interrupt interrupt;
  links::Fabric fabric{PACBENCH_NETD,
                       calibration::network_of(kThree, kRateMbit, calibration::Shaped::kBoth)};
  calibration::Measurer measurer{fabric, kThree, PACBENCH_LINK_PROBE, interrupt};
  const auto rows = measurer.run({{kRateMbit, calibration::Quantity::kRateStep}, 1, 0});
  ASSERT_THAT(rows, SizeIs(2));
  EXPECT_THAT(rows[0].measured, SizeIs(2)) << "there and back";
  EXPECT_THAT(rows[0].measured, Each(Gt(0)));
  EXPECT_THAT(rows[1].measured, Each(Gt(0)));
  EXPECT_THAT(fabric.counters().deviations, IsEmpty());
}

}  // namespace
}  // namespace pacbench
