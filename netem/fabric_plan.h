#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "spec/netd_protocol.h"

namespace pacbench {

/// How one direction of a link is to be shaped.
struct LinkShape {
  std::int64_t rate_bytes_per_s = 0;
  std::int64_t burst_bytes = 0;
  std::int64_t ceil_burst_bytes = 0;
  std::int64_t quantum_bytes = 0;
  std::int64_t queue_bytes = 0;

  static LinkShape for_rate(double rate_mbit);
};

/// What one of iproute2's programs is to do in one namespace, a command a line.
struct Batch {
  static constexpr int kSwitch = -1;

  int place = kSwitch;  ///< the worker in whose namespace, or kSwitch
  std::string program;  ///< "ip" or "tc"
  std::vector<std::string> lines;
};

/// The whole set-up of a fabric, as text. Pure: tests compare it and need no root.
struct FabricPlan {
  LinkShape shape;
  int mtu = 0;
  std::int64_t gso_max_bytes = 0;  ///< of the workers' ends
  std::string congestion_control;
  int workers = 0;
  std::vector<Batch> batches;
};

/// `namespaces` holds, for each worker, the name or path by which `ip` can find its namespace.
FabricPlan fabric_plan(const netd::CreateRequest& request,
                       const std::vector<std::string>& namespaces);

/// "worker0", "worker1", ...: what the namespaces are called in the commands shown to people.
std::vector<std::string> namespace_names(int workers);

/// The plan's commands as root could type them into a shell, to get the same fabric by hand.
std::vector<std::string> typed_commands(const FabricPlan& plan);

/// Device of a worker inside its namespace, and of its port on the switch.
inline constexpr const char* kWorkerDevice = "eth0";
std::string port_device(int worker);

std::string worker_address(int worker);  ///< "10.77.0.1" for worker 0

}  // namespace pacbench
