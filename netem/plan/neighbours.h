#pragma once

#include <string>
#include <vector>

#include "netem/plan/fabric_plan.h"

namespace pacbench::netem {

/// A network on which each worker has a device. The last byte of the device's IPv4 address and of
/// its hardware address is the worker's number plus one.
struct WorkerNetwork {
  std::string device;
  std::string addresses;  ///< the bytes before the last one, "10.77.0."
  std::string hardware;   ///< the bytes before the last one; the first marks an address as locally
                          ///< administered
};

/// The network of the links. Fabrics with an uplink share the network between hosts, so their
/// hardware addresses hold the numbers of the fabric and of its owner (netd::Uplink).
WorkerNetwork link_network(const netd::CreateRequest& request);

/// The control network. Its hardware addresses differ from those of the links.
WorkerNetwork control_network(const netd::CreateRequest& request);

std::string hardware_address(const WorkerNetwork& network, int worker);

/// The `ip` command after which the kernel sends no ARP requests on a worker's device. The kernel
/// then drops the entry of an address that add_neighbours() did not add as soon as it needs the
/// entry's place.
std::string no_probes(const WorkerNetwork& network);

/// Adds a batch that tells a worker the hardware addresses of the other workers. The kernel keeps
/// at most 1,024 answers to ARP for all namespaces together. 64 workers would need 4,032, and one
/// worker that asks for addresses that nobody has could use up the places of all users. Permanent
/// entries take no place.
void add_neighbours(const WorkerNetwork& network, int workers, int worker,
                    std::vector<Batch>& batches);

}  // namespace pacbench::netem
