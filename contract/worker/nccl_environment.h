#pragma once

#include <string>
#include <vector>

namespace pacbench {

/// The environment (NAME=VALUE, sorted) in which NCCL 2.28 sends every byte of a rank over the
/// shaped device. Order and amount of the bytes can be predicted: NCCL uses sockets only, one
/// channel, and rings with the protocol that adds no bytes.
///
/// Every rank claims to be a host of its own. Ranks can then share one GPU, which NCCL forbids to
/// two ranks of one host.
std::vector<std::string> nccl_environment(int rank, const std::string& interface);

}  // namespace pacbench
