#pragma once

#include <string>
#include <vector>

namespace pacbench {

/// The environment (NAME=VALUE, sorted) in which NCCL, 2.28, sends every byte of a rank over the
/// shaped device, in an order and an amount that can be predicted: sockets only, one channel, rings
/// with the protocol that adds no bytes. Every rank passes for a host of its own, so only the links
/// separate ranks. They can share one GPU, which NCCL refuses to two ranks of one host.
std::vector<std::string> nccl_environment(int rank, const std::string& interface);

}  // namespace pacbench
