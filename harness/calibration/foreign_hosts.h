#pragma once

#include <string>
#include <vector>

#include "base/json_reader.h"
#include "harness/links/slot_host.h"
#include "harness/links/started_programs.h"

namespace pacbench::calibration {

/// A network that is not ours, such as the hosts of another emulator, as described in the file that
/// `pacbench calibrate --network` reads.
struct ForeignNetwork {
  struct Host {
    std::int64_t pid = 0;  ///< of any process in the host's network namespace
    std::string address;
    std::string interface;
  };
  std::string name;  ///< "Mininet 2.3.0"
  double rate_mbit = 0;
  int mtu = 1500;
  std::string congestion_control;
  std::string topology = "star";  ///< or "chain3", see Network
  std::vector<Host> hosts;
};

/// Throws ConfigError with each mistake's pointer.
ForeignNetwork foreign_network_from_json(const std::string& source, const Json& document);

/// Starts programs in the network namespaces of a foreign network's hosts, which needs root. The
/// programs end when this object does.
class ForeignHosts : public links::SlotHost {
 public:
  explicit ForeignHosts(const ForeignNetwork& network) : network_{network} {}

  int fd() const override { return -1; }
  std::vector<netd::ExitedEvent> take_exited() override { return programs_.take_exited(); }
  int pid() const override;
  netd::SpawnedReply spawn(const netd::SpawnRequest& request, const std::vector<int>& fds) override;
  std::string address(int slot) const override { return host(slot).address; }
  std::string interface(int slot) const override { return host(slot).interface; }

 private:
  const ForeignNetwork::Host& host(int slot) const {
    return network_.hosts.at(static_cast<std::size_t>(slot));
  }

  const ForeignNetwork& network_;
  links::StartedPrograms programs_;
};

}  // namespace pacbench::calibration
