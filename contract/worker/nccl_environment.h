#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace pacbench {

/// The environment (NAME=VALUE, sorted) in which NCCL 2.28 sends every byte of a rank over the
/// shaped device. Order and amount of the bytes can be predicted: NCCL uses sockets only, one
/// channel, and rings with the protocol that adds no bytes.
///
/// Every rank claims to be a host of its own. Ranks can then share one GPU, which NCCL forbids to
/// two ranks of one host.
inline std::vector<std::string> nccl_environment(int rank, const std::string& interface) {
  std::vector<std::string> variables{
      // Each rank claims to be a host of its own. NCCL then sees one rank on each host, whether
      // or not ranks share a GPU.
      fmt::format("NCCL_HOSTID=pacbench-rank{}", rank),
      // NCCL sends over sockets alone, and over exactly this interface.
      "NCCL_NET=Socket", "NCCL_NET_PLUGIN=none", "NCCL_IB_DISABLE=1", "NCCL_P2P_DISABLE=1",
      "NCCL_SHM_DISABLE=1", "NCCL_NVLS_ENABLE=0", "NCCL_MNNVL_ENABLE=0",
      fmt::format("NCCL_SOCKET_IFNAME=={}", interface), "NCCL_SOCKET_FAMILY=AF_INET",
      // A rank sends over its own network device, not over that of another GPU.
      "NCCL_PXN_DISABLE=1",
      // Each connection is one TCP flow: several flows would get a larger share of a queue.
      "NCCL_NSOCKS_PERTHREAD=1", "NCCL_SOCKET_NTHREADS=1",
      // In a ring a rank sends 2(N-1)/N of what is summed. Protocol LL would double its bytes, and
      // LL128 would add a fifteenth. A tree would load ranks unequally.
      "NCCL_ALGO=Ring", "NCCL_PROTO=Simple", "NCCL_TUNER_PLUGIN=none", "NCCL_PROFILER_PLUGIN=none",
      // NCCL's RAS service would open connections of its own and send keep-alives.
      "NCCL_RAS_ENABLE=0",
      // One channel fills any shaped link and leaves the GPU to the ranks that share it.
      "NCCL_MIN_NCHANNELS=1", "NCCL_MAX_NCHANNELS=1", "NCCL_MIN_P2P_NCHANNELS=1",
      "NCCL_MAX_P2P_NCHANNELS=1", "NCCL_MIN_CTAS=1", "NCCL_MAX_CTAS=1", "NCCL_BUFFSIZE=1048576",
      // NCCL uses plain memory, since registered or shared memory is of no use to sockets.
      "NCCL_CUMEM_ENABLE=0", "NCCL_CUMEM_HOST_ENABLE=0", "NCCL_GRAPH_REGISTER=0",
      "NCCL_LOCAL_REGISTER=0",
      // NCCL does not bind its threads to cores: the kernel places them, among those of all ranks.
      "NCCL_IGNORE_CPU_AFFINITY=1",
      // The backend itself sees failures and timeouts; torch's watchdog would end the process
      // before it can say why.
      "TORCH_NCCL_ASYNC_ERROR_HANDLING=0", "TORCH_NCCL_ENABLE_MONITORING=0",
      "TORCH_NCCL_DUMP_ON_TIMEOUT=0"};
  std::sort(variables.begin(), variables.end());
  return variables;
}

}  // namespace pacbench
