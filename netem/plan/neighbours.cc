#include "netem/plan/neighbours.h"

#include <fmt/format.h>

namespace pacbench::netem {
namespace {

std::string hex(int number) { return fmt::format("{:02x}", number); }

/// `number` and `last` are the last bytes of the two addresses.
std::string entry(const WorkerNetwork& network, const std::string& number,
                  const std::string& last) {
  return fmt::format("neigh add {}{} lladdr {}{} dev {} nud permanent", network.addresses, number,
                     network.hardware, last, network.device);
}

}  // namespace

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
