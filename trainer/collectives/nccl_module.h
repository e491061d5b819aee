#pragma once

#include <memory>

#include "trainer/collectives/process_backend.h"

namespace pacbench::trainer {

/// The interface of libpacbench_nccl.so. That library holds all code that is linked with torch's
/// CUDA library, which brings NCCL, so that one worker program serves machines with and without it.
struct NcclModule {
  const char* version;  ///< of the NCCL that is loaded: "2.28.9"

  /// Joins a group of processes over NCCL, to which the process's environment tells the rest
  /// (contract/worker/nccl_environment.h). Blocks until all ranks have met and every connection
  /// between them is open. Throws c10::Error or std::runtime_error when that takes longer than the
  /// timeout.
  std::shared_ptr<Backend> (*join)(const Membership& membership, c10::Device gpu);
};

/// Loads the module from the program's folder or, where that folder lacks it, from ../lib/pacbench
/// relative to that folder. Throws std::runtime_error with the reason when this build has no
/// module, or when a library that the module needs is missing.
const NcclModule& nccl_module();

}  // namespace pacbench::trainer

/// The one symbol that the worker looks up in the module.
extern "C" const pacbench::trainer::NcclModule* pacbench_nccl_module();
