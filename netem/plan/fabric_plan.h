#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "contract/fabric/fabric_spec.h"
#include "netem/plan/shapes.h"
#include "netem/plan/tcp_buffers.h"

namespace pacbench::netem {

/// The commands of one of iproute2's programs in one namespace, one a line.
struct Batch {
  static constexpr int kSwitch = -1;
  static constexpr int kHost = -2;  ///< the network namespace of the host's own interfaces

  int place = kSwitch;  ///< worker in whose namespace it runs, or kSwitch or kHost
  std::string program;  ///< "ip" or "tc"
  std::vector<std::string> lines;
  std::string typed = {};  ///< shell command for people, which does the same; may be empty
};

/// One end of a link.
struct LinkEnd {
  int place = Batch::kSwitch;
  std::string device;
  std::string bridge;  ///< the bridge that this is a port of; empty for a worker's end, and where
                       ///< there is an uplink
  std::string passes_to = {};  ///< the device that gets all that this end receives; empty: none
};

/// One direction of a link, shaped at the end that sends and impaired at the end that receives.
struct PlannedDirection {
  std::string name;  ///< see contract/fabric/fabric_spec.h
  LinkEnd sender;
  LinkEnd receiver;
  netd::Shaper shaper;  ///< with the token buckets that this direction needs
  LinkShape shape;
  std::optional<NetemShape> netem;

  /// The shape at another rate, with the same queue.
  LinkShape shape_at(double rate_mbit) const;

  /// The ifb device at the receiving end, on which netem is, such as "port3-in".
  std::string ifb() const { return receiver.device + "-in"; }

  /// The device to which the receiving end redirects all that it receives; empty: to none.
  std::string redirected_to() const { return netem ? ifb() : receiver.passes_to; }

  /// Throws std::runtime_error when netem's packet limit is too low for that rate.
  void require_room(double rate_mbit, int mtu) const;
};

/// The names or paths by which `ip` can find the namespaces of a fabric.
struct NamespaceNames {
  std::string switches;
  std::map<int, std::string> workers;  ///< by worker, of those that are made on this host
};

/// The whole set-up of a fabric, as text, so that tests compare it and need no root.
struct FabricPlan {
  std::vector<int> workers;  ///< those that are made on this host
  int mtu = 0;
  std::int64_t gso_max_bytes = 0;  ///< of the workers' ends
  bool single_packets = false;     ///< gso_max_segs of the workers' ends is 1
  std::string congestion_control;
  int rto_min_ms = 0;           ///< of the workers' routes; 0: the kernel's
  std::vector<Sysctl> sysctls;  ///< of each worker's namespace
  /// The CPUs over which every device steers what it receives; empty on a machine with one CPU.
  /// fabric_plan() leaves it empty, and the maker of the fabric fills it in.
  std::string steering_cpus;
  std::vector<PlannedDirection> directions;  ///< in the order of netd::directions_here()
  std::optional<LinkEnd> uplink;             ///< the device on the host's interface
  bool control_network = false;
  std::vector<Batch> batches;
};

FabricPlan fabric_plan(const netd::CreateRequest& request, const NamespaceNames& namespaces);

/// The bytes that can wait in all queues of a fabric on this host, netem's (bytes_in_flight) among
/// them.
std::int64_t queued_bytes(const netd::CreateRequest& request);

/// The names of the namespaces in the commands shown to people: "switch", "worker0", "worker1", ...
NamespaceNames namespace_names(const std::vector<int>& workers);

/// The plan's commands as root could type them into a shell, to get the same fabric by hand.
std::vector<std::string> typed_commands(const FabricPlan& plan);

/// Device of a worker inside its namespace.
inline constexpr const char* kWorkerDevice = "eth0";

/// Device of a worker on the control network.
inline constexpr const char* kControlDevice = "ctl0";

}  // namespace pacbench::netem
