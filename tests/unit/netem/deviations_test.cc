#include <gmock/gmock.h>

#include "netem/readback.h"

namespace pacbench {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::size_t kUp = 0;
constexpr std::size_t kDown = 1;

FabricPlan plan() { return fabric_plan(netd::star(1, 100), {"worker0"}); }

DeviceState as_planned() {
  DeviceState state;
  state.carrier = true;
  state.mtu = 1500;
  state.gso_max_bytes = 16384;
  state.default_class = 1;
  state.shape = plan().directions[kUp].shape;
  state.ceil_bytes_per_s = 12'500'000;
  state.congestion_control = "cubic";
  return state;
}

DeviceState port_as_planned() {
  auto state = as_planned();
  state.bridge = "br0";
  state.forwarding = true;
  state.gso_max_bytes = 65536;
  state.congestion_control = "";
  return state;
}

std::vector<std::string> of_worker(const DeviceState& state) {
  return deviations(plan(), plan().directions[kUp], {{0, {{"eth0", state}}}});
}

std::vector<std::string> of_port(const DeviceState& state) {
  return deviations(plan(), plan().directions[kDown], {{Batch::kSwitch, {{"port0", state}}}});
}

TEST(Deviations, NoneWhenTheKernelHoldsThePlan) {
  EXPECT_THAT(of_worker(as_planned()), IsEmpty());
  EXPECT_THAT(of_port(port_as_planned()), IsEmpty());
}

TEST(Deviations, ToleratesOnlyTheRoundingOfBursts) {
  auto state = as_planned();
  state.shape->burst_bytes -= 25;  // two microseconds at 100 Mbit/s
  EXPECT_THAT(of_worker(state), IsEmpty());
  state.shape->burst_bytes -= 2;
  EXPECT_THAT(of_worker(state), ElementsAre("worker0.up: burst in bytes is 15333, 15360 was set"));
  state = as_planned();
  state.shape->ceil_burst_bytes = 0;
  EXPECT_THAT(of_worker(state), ElementsAre("worker0.up: cburst in bytes is 0, 1600 was set"));
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
  EXPECT_THAT(of_worker(state),
              ElementsAre("worker0.up: the link is down", "worker0.up: MTU is 1400, 1500 was set",
                          "worker0.up: the root qdisc is not HTB with default class 1",
                          "worker0.up: rate in bytes/s is 1, 12500000 was set",
                          "worker0.up: ceil in bytes/s is 2, 12500000 was set",
                          "worker0.up: quantum in bytes is 3, 60000 was set",
                          "worker0.up: queue limit in bytes is 4, 262144 was set",
                          "worker0.up: gso_max_size is 65536, 16384 was set",
                          "worker0.up: congestion control locked on the route is \"\", \"cubic\" "
                          "was set"));
}

TEST(Deviations, AnUnshapedOrDetachedPortIsOne) {
  auto state = port_as_planned();
  state.shape.reset();
  state.forwarding = false;
  state.bridge = "br7";
  EXPECT_THAT(of_port(state),
              ElementsAre("worker0.down: no HTB class 1:1 with a bfifo leaf",
                          "worker0.down: the bridge that it is a port of is \"br7\", \"br0\" was "
                          "set",
                          "worker0.down: the port does not forward"));
}

TEST(Deviations, AMissingDeviceIsOne) {
  EXPECT_THAT(deviations(plan(), plan().directions[kDown], {{Batch::kSwitch, {}}}),
              ElementsAre("worker0.down: there is no device port0"));
}

}  // namespace
}  // namespace pacbench
