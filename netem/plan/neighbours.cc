#include "netem/plan/neighbours.h"

#include <fmt/format.h>

namespace pacbench::netem {
namespace {

std::string hex(int number) { return fmt::format("{:02x}", number); }

/// `number` is the last byte of the IPv4 address, `last` that of the hardware address.
std::string entry(const WorkerNetwork& network, const std::string& number,
                  const std::string& last) {
  return fmt::format("neigh add {}{} lladdr {}{} dev {} nud permanent", network.addresses, number,
                     network.hardware, last, network.device);
}

/// `letter` is the byte that tells the two networks of a fabric apart. Two bits of the first byte
/// say that the address is locally administered and belongs to a single device.
std::string hardware_prefix(const netd::CreateRequest& request, char letter) {
  constexpr int kAlone = 0x0a;  // of fabrics without an uplink, whose addresses nobody else sees
  if (!request.uplink) return fmt::format("02:00:{}:{}:00:", hex(kAlone), hex(letter));
  const auto& uplink = *request.uplink;
  return fmt::format("{}:{}:{}:{}:{}:", hex(0x02 | (uplink.owner >> 8) << 2),
                     hex(uplink.fabric >> 8), hex(uplink.owner & 0xff), hex(letter),
                     hex(uplink.fabric & 0xff));
}

}  // namespace

WorkerNetwork link_network(const netd::CreateRequest& request) {
  return {kWorkerDevice, "10.77.0.", hardware_prefix(request, 'M')};
}

WorkerNetwork control_network(const netd::CreateRequest& request) {
  return {kControlDevice, "10.78.0.", hardware_prefix(request, 'N')};
}

std::string hardware_address(const WorkerNetwork& network, int worker) {
  return network.hardware + hex(worker + 1);
}

std::string no_probes(const WorkerNetwork& network) {
  return fmt::format("ntable change name arp_cache dev {} mcast_probes 0", network.device);
}

void add_neighbours(const WorkerNetwork& network, int workers, int worker,
                    std::vector<Batch>& batches) {
  if (workers == 1) return;
  Batch batch{worker, "ip", {}};
  for (int number = 1; number <= workers; ++number) {
    if (number == worker + 1) continue;
    batch.lines.push_back(entry(network, std::to_string(number), hex(number)));
  }
  batch.typed = fmt::format("for n in $(seq {}); do [ $n = {} ] || ip {}; done", workers,
                            worker + 1, entry(network, "$n", "$(printf %02x $n)"));
  batches.push_back(std::move(batch));
}

}  // namespace pacbench::netem
