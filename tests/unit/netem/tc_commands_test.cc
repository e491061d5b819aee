#include "netem/plan/shapes.h"

#include "tests/unit/contract/matchers.h"

namespace pacbench::netem {
namespace {

std::string netem_line(const netd::Impairment& impairment) {
  return netem_lines("port0", "port0-in", {impairment, 1000}).front();
}

TEST(DeviceCommands, IngressGoesThroughNetemOnItsOwnDevice) {
  EXPECT_THAT(netem_lines("port0", "port0-in", {{20, 2, 0.01, 0.002}, 6605}),
              ElementsAre("qdisc add dev port0-in root handle 1: netem limit 6605 delay 20ms 2ms "
                          "loss 1% reorder 0.2%",
                          "qdisc add dev port0 handle ffff: ingress",
                          "filter add dev port0 parent ffff: protocol all prio 1 u32 match u32 0 0 "
                          "action mirred egress redirect dev port0-in"));
}

TEST(DeviceCommands, OnlyWhatIsAskedForIsSaidToNetem) {
  EXPECT_THAT(netem_line({0.25, 0, 0, 0}), EndsWith("netem limit 1000 delay 0.25ms"));
  EXPECT_THAT(netem_line({0, 0, 0.07, 0}), EndsWith("netem limit 1000 loss 7%"));
  EXPECT_THAT(netem_line({0, 0, 1e-6, 0}), EndsWith("netem limit 1000 loss 0.0001%"));
}

}  // namespace
}  // namespace pacbench::netem
