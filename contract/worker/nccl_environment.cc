#include "contract/worker/nccl_environment.h"

#include <fmt/format.h>

#include <algorithm>

namespace pacbench {

std::vector<std::string> nccl_environment(int rank, const std::string& interface) {
  std::vector<std::string> variables{
      // A host for each rank: shared GPUs or not, NCCL sees the same world.
      fmt::format("NCCL_HOSTID=pacbench-rank{}", rank),
      // Sockets and nothing else, over exactly this interface.
      "NCCL_NET=Socket", "NCCL_NET_PLUGIN=none", "NCCL_IB_DISABLE=1", "NCCL_P2P_DISABLE=1",
      "NCCL_SHM_DISABLE=1", "NCCL_NVLS_ENABLE=0", "NCCL_MNNVL_ENABLE=0",
      fmt::format("NCCL_SOCKET_IFNAME=={}", interface), "NCCL_SOCKET_FAMILY=AF_INET",
      // A rank sends by its own device, not by that of another GPU beside its own.
      "NCCL_PXN_DISABLE=1",
      // One flow for each of its connections: several would get more of a queue than one.
      "NCCL_NSOCKS_PERTHREAD=1", "NCCL_SOCKET_NTHREADS=1",
      // A ring sends 2(N-1)/N of what is summed. LL would double its bytes, LL128 add a fifteenth,
      // and a tree load ranks unequally.
      "NCCL_ALGO=Ring", "NCCL_PROTO=Simple", "NCCL_TUNER_PLUGIN=none", "NCCL_PROFILER_PLUGIN=none",
      // Its watch over ranks has connections of its own and sends keep-alives.
      "NCCL_RAS_ENABLE=0",
      // One channel fills any shaped link, and leaves the GPU to those who share it.
      "NCCL_MIN_NCHANNELS=1", "NCCL_MAX_NCHANNELS=1", "NCCL_MIN_P2P_NCHANNELS=1",
      "NCCL_MAX_P2P_NCHANNELS=1", "NCCL_MIN_CTAS=1", "NCCL_MAX_CTAS=1", "NCCL_BUFFSIZE=1048576",
      // Plain memory: what is registered or mapped beyond a process is of no use to sockets.
      "NCCL_CUMEM_ENABLE=0", "NCCL_CUMEM_HOST_ENABLE=0", "NCCL_GRAPH_REGISTER=0",
      "NCCL_LOCAL_REGISTER=0",
      // Threads stay where the kernel puts them, among those of all ranks.
      "NCCL_IGNORE_CPU_AFFINITY=1",
      // The backend itself sees failures and timeouts; torch's watch would end the process before
      // it can say why.
      "TORCH_NCCL_ASYNC_ERROR_HANDLING=0", "TORCH_NCCL_ENABLE_MONITORING=0",
      "TORCH_NCCL_DUMP_ON_TIMEOUT=0"};
  std::sort(variables.begin(), variables.end());
  return variables;
}

}  // namespace pacbench
