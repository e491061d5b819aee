#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "netem/plan/fabric_plan.h"

namespace pacbench::netem {

/// A network device as the kernel has it. A member is empty, 0 or false for what the device lacks.
struct DeviceState {
  int index = 0;
  bool up = false;
  bool carrier = false;
  std::int64_t mtu = 0;
  std::int64_t gso_max_bytes = 0;
  std::int64_t gso_max_segments = 0;
  std::string bridge;       ///< the bridge that this is a port of; empty: it is no port
  bool forwarding = false;  ///< past the bridge's listening and learning

  std::optional<std::int64_t> default_class;  ///< of the HTB root
  std::optional<std::int64_t> leaf_bytes;     ///< limit of the bfifo leaf
  std::optional<LinkShape> shape;             ///< of class 1:1 and its leaf
  std::int64_t ceil_bytes_per_s = 0;
  std::optional<NetemShape> netem;  ///< at the root
  std::string ingress;              ///< kind of the ingress qdisc; empty without one
  std::string redirect;             ///< device to which all ingress is redirected, see readback.cc
  std::string congestion_control;   ///< locked on the route through it; empty when there is none
  int rto_min_ms = 0;               ///< locked on that route; 0 when there is none
};

using Devices = std::map<std::string, DeviceState>;

/// The devices in each namespace of a fabric, by the `place` of Batch.
using Found = std::map<int, Devices>;

/// Reads every device of the calling thread's namespace. Throws std::system_error.
Devices read_devices();

/// Lists the differences between a direction's plan and the kernel's state, one in each line. A
/// line begins with the direction's name.
std::vector<std::string> deviations(const FabricPlan& plan, const PlannedDirection& direction,
                                    const Found& found);

/// Lists the differences between the plan and the state of the uplink's device. A line begins with
/// the device's name. The plan must have an uplink.
std::vector<std::string> uplink_deviations(const FabricPlan& plan, const Found& found);

}  // namespace pacbench::netem
