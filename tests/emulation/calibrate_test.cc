// Measures real links. The tests check the form of the results, and that no value is too low.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include "harness/calibration/calibrate.h"
#include "harness/calibration/foreign_hosts.h"
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
  calibration::Measurer measurer{{fabric, &fabric}, kThree, PACBENCH_LINK_PROBE, interrupt};
  const auto rows = measurer.run({{kRateMbit, calibration::Quantity::kRateStep}, 1, 0});
  ASSERT_THAT(rows, SizeIs(2));
  EXPECT_THAT(rows[0].measured, SizeIs(2)) << "there and back";
  EXPECT_THAT(rows[0].measured, Each(Gt(0)));
  EXPECT_THAT(rows[1].measured, Each(Gt(0)));
  EXPECT_THAT(fabric.counters().deviations, IsEmpty());
}

TEST(Calibrate, MeasuresHostsInNamespacesOfOthers) {
  if (::getuid() != 0) GTEST_SKIP() << "enters network namespaces, which takes root";
  const Interrupt interrupt;
  links::Fabric fabric{PACBENCH_NETD,
                       calibration::network_of(kThree, kRateMbit, calibration::Shaped::kBoth)};
  // A process in a worker's namespace stands for a host.
  calibration::ForeignNetwork network{"theirs", kRateMbit, 1500, "cubic", "star", {}};
  const UniqueFd null{::open("/dev/null", O_RDWR | O_CLOEXEC)};
  for (int slot = 0; slot < kThree.workers; ++slot) {
    const auto started =
        fabric.spawn({slot, {"/bin/sleep", "60"}, {}}, {null.get(), null.get(), null.get()});
    network.hosts.push_back({started.pid, fabric.address(slot), "eth0"});
  }
  calibration::ForeignHosts hosts{network};
  calibration::Measurer measurer{{hosts, nullptr}, kThree, PACBENCH_LINK_PROBE, interrupt};
  const auto rows = measurer.run(
      {{kRateMbit, calibration::Quantity::kMessage, calibration::Shaped::kBoth, 64 * 1024}, 2, 0});
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_THAT(rows[0].measured, SizeIs(2));
  EXPECT_THAT(rows[0].measured, Each(Gt(5))) << "ms: 50 Mbit/s hold there";
}

}  // namespace
}  // namespace pacbench
