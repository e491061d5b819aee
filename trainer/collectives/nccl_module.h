#pragma once

#include <chrono>
#include <memory>

#include "trainer/collectives/backend.h"
#include "trainer/collectives/store.h"

namespace pacbench::trainer {

/// The options with which a rank joins its group over NCCL. The process's environment tells NCCL
/// the rest (contract/worker/nccl_environment.h).
struct NcclOptions {
  StorePtr store;  ///< through which ranks exchange their addresses
  c10::Device gpu{c10::kCUDA, 0};
  int rank = 0;
  int size = 1;
  std::chrono::milliseconds timeout{60000};  ///< of joining, and of every collective
};

/// The interface of libpacbench_nccl.so. That library holds all code that is linked with torch's
/// CUDA library, which brings NCCL, so that one worker program serves machines with and without it.
struct NcclModule {
  const char* version;  ///< of the NCCL that is loaded: "2.28.9"

  /// Blocks until all ranks have met and every connection between them is open. Throws c10::Error
  /// or std::runtime_error when that takes longer than the timeout.
  std::shared_ptr<Backend> (*join)(const NcclOptions& options);
};

/// Loads the module from the program's folder or, where that folder lacks it, from ../lib/pacbench
/// relative to that folder. Throws std::runtime_error with the reason when this build has no
/// module, or when a library that the module needs is missing.
const NcclModule& nccl_module();

}  // namespace pacbench::trainer

/// The one symbol that the worker looks up in the module.
extern "C" const pacbench::trainer::NcclModule* pacbench_nccl_module();
