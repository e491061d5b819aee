#include <nccl.h>

#include <stdexcept>
#include <string>

#include "trainer/collectives/nccl_module.h"
#include "trainer/nccl/nccl_backend.h"

namespace pacbench::trainer {
namespace {

/// The version of the loaded NCCL as text: "2.28.9" for 22809.
std::string loaded_version() {
  int code = 0;
  if (ncclGetVersion(&code) != ncclSuccess) throw std::runtime_error{"NCCL reports no version"};
  return std::to_string(code / 10000) + '.' + std::to_string(code / 100 % 100) + '.' +
         std::to_string(code % 100);
}

std::shared_ptr<Backend> join(const NcclOptions& options) { return join_nccl_group(options); }

}  // namespace
}  // namespace pacbench::trainer

const pacbench::trainer::NcclModule* pacbench_nccl_module() {
  static const auto version = pacbench::trainer::loaded_version();
  static const pacbench::trainer::NcclModule module{version.c_str(), pacbench::trainer::join};
  return &module;
}
