#pragma once

#include <string>
#include <vector>

namespace pacbench {

/// The environment (NAME=VALUE, sorted) in which NCCL, 2.28, sends every byte of a rank over the
/// shaped device, in an order and an amount that can be predicted: sockets only, one connection to
/// each neighbour, rings with the protocol that adds no bytes. `shared_gpus`: ranks on one GPU pass
/// for ranks of different hosts, since NCCL refuses two of one host on one GPU.
std::vector<std::string> nccl_environment(int rank, const std::string& interface, bool shared_gpus);

}  // namespace pacbench
