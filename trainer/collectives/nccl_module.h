#pragma once

#include <chrono>
#include <memory>

#include "trainer/collectives/backend.h"
#include "trainer/collectives/store.h"

namespace pacbench::trainer {

/// The options with which a rank joins its group over NCCL. The process's environment tells NCCL
/// the rest (contract/worker/nccl_environment.h).
struct NcclOptions {
  StorePtr store;  ///< through which ranks tell each other where they listen
  c10::Device gpu{c10::kCUDA, 0};
  int rank = 0;
  int size = 1;
  std::chrono::milliseconds timeout{60000};  ///< of every collective
};

/// The interface of libpacbench_nccl.so, which holds all that needs CUDA's and NCCL's libraries to
/// be linked, so that one worker program serves machines with and without them.
struct NcclModule {
  const char* version;  ///< of the NCCL that is loaded: "2.28.9"

  /// Blocks until all ranks have met and every connection between them stands. Throws c10::Error
  /// when they do not within the timeout.
  std::shared_ptr<Backend> (*join)(const NcclOptions& options);
};

/// Loads the module from beside the program, or from ../lib/pacbench where that is installed.
/// Throws std::runtime_error with the reason when this build has none, or when a library that it
/// needs is not there.
const NcclModule& nccl_module();

}  // namespace pacbench::trainer

/// The one symbol of the module.
extern "C" const pacbench::trainer::NcclModule* pacbench_nccl_module();
