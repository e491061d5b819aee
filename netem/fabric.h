#pragma once

#include <string>
#include <vector>

#include "base/traffic_counters.h"
#include "netem/fabric_plan.h"
#include "netem/htb_class.h"
#include "netem/net_namespace.h"
#include "spec/netd_protocol.h"

namespace pacbench {

/// Workers' network namespaces around a switch, with every link shaped both ways. The switch is
/// in the namespace of whoever makes the fabric. All of it goes when this and the programs
/// inside have gone; nothing is on disk.
class Fabric {
 public:
  /// Sets everything up with `ip` and `tc` and then reads it back from the kernel. Throws
  /// CommandFailed with the command and its own words, or std::runtime_error when a program is
  /// missing or the kernel does not hold what was set.
  explicit Fabric(const netd::CreateRequest& request);

  int workers() const { return plan_.workers; }
  const std::vector<std::string>& directions() const { return directions_; }  ///< their names
  const NetNamespace& worker(int slot) const { return workers_.at(index(slot)); }
  int port_index(int slot) const { return ports_.at(index(slot)).interface_index; }

  /// Each command as root could type it, in order.
  std::vector<std::string> commands() const { return typed_commands(plan_); }
  /// Both directions of every link as read back.
  const std::vector<netd::ShapedLink>& links() const { return links_; }

  /// Shapes a direction, by its name, to another rate from now on. Its queue stays as long as it
  /// is, and what is in it. Throws std::system_error with the kernel's reason.
  void set_rate(const std::string& direction, double rate_mbit);

  /// Counts both directions of every link, and compares the kernel's state with the plan again.
  netd::CountersReply counters();

 private:
  /// One counted direction.
  struct Direction {
    std::string name;
    int interface_index;
    TrafficCounters counters;
    HtbClass htb_class;
    LinkShape shape;  ///< as it should be now
  };

  static std::size_t index(int slot) { return static_cast<std::size_t>(slot); }

  void set_up(const netd::CreateRequest& request);
  void wait_for_carrier() const;
  void start_counting();
  Direction& direction(const std::string& name);
  FabricPlan planned_now(const std::vector<Direction>& directions, int slot) const;
  std::vector<std::string> read_back(std::vector<netd::ShapedLink>* links) const;

  std::vector<std::string> directions_;
  FabricPlan plan_;
  std::vector<NetNamespace> workers_;
  std::vector<netd::ShapedLink> links_;
  std::vector<Direction> ports_;  ///< towards the workers, in the switch's namespace
  std::vector<Direction> ends_;   ///< from the workers
};

}  // namespace pacbench
