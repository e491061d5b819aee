#include "netem/kernel/readback.h"

#include "tests/unit/contract/matchers.h"

namespace pacbench::netem {
namespace {

constexpr std::size_t kUp = 0;
constexpr std::size_t kDown = 1;

FabricPlan plan() { return fabric_plan(netd::star(1, 100), namespace_names({0})); }

DeviceState as_planned() {
  DeviceState state;
  state.carrier = true;
  state.mtu = 1500;
  state.gso_max_bytes = 8192;
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

std::vector<std::string> deviations_of(std::size_t direction, const DeviceState& end,
                                       const DeviceState& port) {
  return deviations(plan(), plan().directions[direction],
                    {{0, {{"eth0", end}}}, {Batch::kSwitch, {{"port0", port}}}});
}

std::vector<std::string> of_worker(const DeviceState& state) {
  return deviations_of(kUp, state, port_as_planned());
}

std::vector<std::string> of_port(const DeviceState& state) {
  return deviations_of(kDown, as_planned(), state);
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
  EXPECT_THAT(of_worker(state),
              ElementsAre("worker0.up: burst in bytes is 15333, but was set to 15360"));
  state = as_planned();
  state.shape->ceil_burst_bytes = 0;
  EXPECT_THAT(of_worker(state),
              ElementsAre("worker0.up: cburst in bytes is 0, but was set to 1600"));
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
  EXPECT_THAT(
      of_worker(state),
      ElementsAre(
          "worker0.up: the link is down", "worker0.up: MTU is 1400, but was set to 1500",
          "worker0.up: the root qdisc is not HTB with default class 1",
          "worker0.up: rate in bytes/s is 1, but was set to 12500000",
          "worker0.up: ceil in bytes/s is 2, but was set to 12500000",
          "worker0.up: quantum in bytes is 3, but was set to 60000",
          "worker0.up: queue limit in bytes is 4, but was set to 262144",
          "worker0.up: gso_max_size is 65536, but was set to 8192",
          "worker0.up: congestion control locked on the route is \"\", but was set to \"cubic\""));
}

TEST(Deviations, AnUnshapedOrDetachedPortIsOne) {
  auto state = port_as_planned();
  state.shape.reset();
  state.forwarding = false;
  state.bridge = "br7";
  EXPECT_THAT(of_port(state),
              ElementsAre("worker0.down: no HTB class 1:1 with a bfifo leaf",
                          "worker0.down: its bridge is \"br7\", but was set to \"br0\"",
                          "worker0.down: the port does not forward"));
}

TEST(Deviations, AMissingDeviceIsOne) {
  EXPECT_THAT(deviations(plan(), plan().directions[kDown], {{Batch::kSwitch, {}}}),
              ElementsAre("worker0.down: there is no device port0",
                          "worker0.down: there is no device eth0"));
}

netd::CreateRequest impaired() {
  auto request = netd::star(1, 100);
  request.workers[0].up.impairment = {20, 2, 0.01, 0.002};
  return request;
}

/// The deviations of the impaired direction, whose receiver is `port`; `beside` are the devices in
/// the same namespace.
std::vector<std::string> of_receiver(const DeviceState& port, const Devices& beside) {
  const auto planned = fabric_plan(impaired(), namespace_names({0}));
  auto end = as_planned();
  end.gso_max_segments = 1;
  Devices on_switch = beside;
  on_switch["port0"] = port;
  return deviations(planned, planned.directions[kUp],
                    {{0, {{"eth0", end}}}, {Batch::kSwitch, on_switch}});
}

DeviceState redirected() {
  auto port = port_as_planned();
  port.ingress = "ingress";
  port.redirect = "port0-in";
  return port;
}

DeviceState ifb() {
  DeviceState state;
  state.up = true;
  state.netem = NetemShape::for_direction(impaired().workers[0].up, 1500);
  return state;
}

TEST(Deviations, NoneWhenNetemHoldsThePlanToTheRoundingOfItsShares) {
  auto state = ifb();
  state.netem->impairment.loss += 3e-10;
  EXPECT_THAT(of_receiver(redirected(), {{"port0-in", state}}), IsEmpty());
}

TEST(Deviations, NameEveryValueOfNetemThatDiffers) {
  auto state = ifb();
  state.up = false;
  state.netem = NetemShape{{1, 0, 0.5, 0.25}, 7};
  EXPECT_THAT(
      of_receiver(redirected(), {{"port0-in", state}}),
      ElementsAre("worker0.up: port0-in is down", "worker0.up: delay in ms is 1, but was set to 20",
                  "worker0.up: jitter in ms is 0, but was set to 2",
                  "worker0.up: loss is 0.5, but was set to 0.01",
                  "worker0.up: reordering is 0.25, but was set to 0.002",
                  "worker0.up: netem's limit in packets is 7, but was set to 7266"));
}

TEST(Deviations, ANetemThatNothingGoesThroughIsOne) {
  EXPECT_THAT(of_receiver(port_as_planned(), {}),
              ElementsAre("worker0.up: its ingress qdisc is \"\", but was set to \"ingress\"",
                          "worker0.up: the device that its ingress is redirected to is \"\", but "
                          "was set to \"port0-in\"",
                          "worker0.up: no netem on port0-in"));
}

TEST(Deviations, AnIngressThatNobodyPlannedOrAnotherLeastTimeOutIsOne) {
  auto end = as_planned();
  end.ingress = "clsact";
  EXPECT_THAT(deviations_of(kDown, end, port_as_planned()),
              ElementsAre("worker0.down: its ingress qdisc is \"clsact\", but was set to \"\""));
  end = as_planned();
  end.rto_min_ms = 800;
  EXPECT_THAT(of_worker(end),
              ElementsAre("worker0.up: rto_min locked on the route is 800, but was set to 0"));
}

}  // namespace
}  // namespace pacbench::netem
