#include "harness/links/fabric.h"

#include "harness/links/daemon_choice.h"

namespace pacbench::links {

Fabric::Fabric(const std::string& daemon, const netd::CreateRequest& request)
    : client_{daemon_at(daemon)}, created_{client_.create(request)} {}

const netd::ClusterNode& Fabric::node(int slot) const {
  return created_.nodes.at(static_cast<std::size_t>(slot));
}

std::string Fabric::address(int slot) const {
  return spans_hosts() ? node(slot).address : netd::worker_address(slot);
}

std::string Fabric::interface(int slot) const {
  return spans_hosts() ? node(slot).interface : "eth0";
}

std::string Fabric::control_address(int slot) const {
  return spans_hosts() ? node(slot).control_address : netd::control_address(slot);
}

}  // namespace pacbench::links
