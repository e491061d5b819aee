#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/traffic_counters.h"
#include "contract/fabric/netd_protocol.h"
#include "netem/kernel/htb_rate_change.h"
#include "netem/kernel/net_namespace.h"
#include "netem/kernel/packet_steering.h"
#include "netem/kernel/readback.h"
#include "netem/plan/fabric_plan.h"

namespace pacbench::netem {

/// Workers' network namespaces around switches, with every link shaped both ways. The switches are
/// in the namespace of the thread that makes the fabric. All of it disappears when this object,
/// that thread and the programs inside have gone; nothing is on disk.
class KernelFabric {
 public:
  /// Refuses to work in the initial network namespace, see net_namespace.h.
  /// Sets everything up with `ip` and `tc` and then reads it back from the kernel. Throws
  /// CommandFailed with the command that failed and the words of `ip` or `tc`. Throws
  /// std::runtime_error when a program or a feature of the kernel is missing, or the kernel does
  /// not hold what was set. The kernel charges the workers' namespaces to `charged`, if given.
  /// `host` is the network namespace of the interfaces that an uplink leads to; a fabric without an
  /// uplink needs none.
  explicit KernelFabric(const netd::CreateRequest& request, std::optional<uid_t> charged = {},
                        const NetNamespace* host = nullptr);

  /// Removes the devices that were made over the host's interfaces and, where a user is charged,
  /// all shaped links. A program may keep a namespace, with all other devices in it, beyond the
  /// session. Where no user is charged, links go when their namespaces go.
  ~KernelFabric();
  KernelFabric(const KernelFabric&) = delete;
  KernelFabric& operator=(const KernelFabric&) = delete;

  /// The number of workers of the fabric, those on other hosts included.
  int workers() const { return workers_of_fabric_; }
  /// Throws std::runtime_error when the worker is on another host.
  const NetNamespace& worker(int slot) const;
  int port_index(int slot) const;
  const std::vector<std::string>& directions() const { return directions_; }  ///< their names

  /// Each set-up command as root could type it, in order.
  std::vector<std::string> commands() const { return typed_commands(plan_); }
  /// Every direction as read back when it had been set up.
  const std::vector<netd::ShapedLink>& links() const { return links_; }

  /// Shapes a direction, by its name, to another rate from now on. The length of its queue and the
  /// packets in it stay. Throws std::system_error with the kernel's reason.
  void set_rate(const std::string& direction, double rate_mbit);

  /// Throws std::runtime_error, with the arithmetic, when a direction cannot have that rate.
  void require_rate(const std::string& direction, double rate_mbit) const;

  /// Reads every direction's counters, and compares the kernel's state with the plan again.
  netd::CountersReply counters();

 private:
  /// The device at the sending end of a direction.
  struct Sender {
    int interface_index;
    TrafficCounters counters;
    RouteSocket route_socket;
  };

  void set_up(const netd::CreateRequest& request, const NetNamespace* host);
  void delete_links() const;
  void delete_uplink() const;
  void wait_for_carrier() const;
  void take_hold(const Found& found);
  Found read_back() const;
  std::vector<std::string> compare(const Found& found) const;
  std::size_t index_of(const std::string& direction) const;
  /// Calls `work` in the namespace of the switches and in that of each worker.
  void for_each_place(const std::function<void(int place)>& work) const;
  /// Moves the calling thread to a worker's namespace; nowhere for Batch::kSwitch.
  std::optional<NetNamespace::Entered> enter(int place) const;

  std::string steering_cpus_ = steering_cpus();
  bool charged_;  ///< whether the kernel charges the namespaces to a user of a service
  int workers_of_fabric_;
  std::vector<std::string> directions_;
  FabricPlan plan_;                      ///< holds the current rates
  std::map<int, NetNamespace> workers_;  ///< those that are made on this host
  std::vector<netd::ShapedLink> links_;
  std::vector<Sender> senders_;  ///< in the order of directions_
};

}  // namespace pacbench::netem
