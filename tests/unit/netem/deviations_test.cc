#include <gmock/gmock.h>

#include "netem/readback.h"

namespace pacbench {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

FabricPlan plan() { return fabric_plan(netd::star(1, 100), {"worker0"}); }

DeviceState as_planned() {
  DeviceState state;
  state.carrier = true;
  state.forwarding = true;
  state.mtu = 1500;
  state.gso_max_bytes = 16384;
  state.default_class = 1;
  state.shape = plan().shape;
  state.ceil_bytes_per_s = plan().shape.rate_bytes_per_s;
  state.congestion_control = "cubic";
  return state;
}

TEST(Deviations, NoneWhenTheKernelHoldsThePlan) {
  EXPECT_THAT(worker_deviations("w", as_planned(), plan()), IsEmpty());
  EXPECT_THAT(port_deviations("p", as_planned(), plan()), IsEmpty());
}

TEST(Deviations, ToleratesOnlyTheRoundingOfBursts) {
  auto state = as_planned();
  state.shape->burst_bytes -= 25;  // two microseconds at 100 Mbit/s
  EXPECT_THAT(worker_deviations("w", state, plan()), IsEmpty());
  state.shape->burst_bytes -= 2;
  EXPECT_THAT(worker_deviations("w", state, plan()),
              ElementsAre("w: burst in bytes is 15333, 15360 was set"));
  state = as_planned();
  state.shape->ceil_burst_bytes = 0;
  EXPECT_THAT(worker_deviations("w", state, plan()),
              ElementsAre("w: cburst in bytes is 0, 1600 was set"));
}

TEST(Deviations, NameEveryValueThatDiffers) {
  auto state = as_planned();
  state.carrier = false;
  state.mtu = 1400;
  state.gso_max_bytes = 65536;
  state.default_class = 0;
  state.shape->rate_bytes_per_s = 1;
  state.ceil_bytes_per_s = 2;
  state.shape->quantum_bytes = 3;
  state.shape->queue_bytes = 4;
  state.congestion_control = "";
  EXPECT_THAT(worker_deviations("w", state, plan()),
              ElementsAre("w: the link is down", "w: MTU is 1400, 1500 was set",
                          "w: the root qdisc is not HTB with default class 1",
                          "w: rate in bytes/s is 1, 12500000 was set",
                          "w: ceil in bytes/s is 2, 12500000 was set",
                          "w: quantum in bytes is 3, 60000 was set",
                          "w: queue limit in bytes is 4, 262144 was set",
                          "w: gso_max_size is 65536, 16384 was set",
                          "w: congestion control locked on the route is , cubic was set"));
}

TEST(Deviations, AnUnshapedOrDetachedPortIsOne) {
  auto state = as_planned();
  state.shape.reset();
  state.forwarding = false;
  EXPECT_THAT(port_deviations("p", state, plan()),
              ElementsAre("p: no HTB class 1:1 with a bfifo leaf",
                          "p: it is not a forwarding port of the bridge"));
}

}  // namespace
}  // namespace pacbench
