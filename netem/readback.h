#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "netem/fabric_plan.h"

namespace pacbench {

/// One end of a veth as the kernel has it; what it lacks is absent.
struct DeviceState {
  int index = 0;
  bool carrier = false;
  std::int64_t mtu = 0;
  std::int64_t gso_max_bytes = 0;
  bool forwarding = false;  ///< a port of the bridge, and past its listening and learning

  std::optional<std::int64_t> default_class;  ///< of the HTB root
  std::optional<LinkShape> shape;             ///< of class 1:1 and its bfifo leaf
  std::int64_t ceil_bytes_per_s = 0;
  std::string congestion_control;  ///< locked on the route through it; empty when there is none
};

/// Reads a device of the calling thread's namespace. Throws std::system_error, ENODEV when there
/// is none of that name.
DeviceState read_device(const std::string& name);

/// Everything in which a device is not as planned, each in words that begin with `who`.
std::vector<std::string> port_deviations(const std::string& who, const DeviceState& found,
                                         const FabricPlan& plan);
std::vector<std::string> worker_deviations(const std::string& who, const DeviceState& found,
                                           const FabricPlan& plan);

}  // namespace pacbench
