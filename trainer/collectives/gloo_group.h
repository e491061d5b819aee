#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "trainer/collectives/backend.h"
#include "trainer/collectives/store.h"

namespace pacbench::trainer {

/// The options with which a rank joins its group over Gloo.
struct GlooOptions {
  StorePtr store;         ///< through which ranks exchange their addresses
  std::string interface;  ///< the device that every connection is bound to; empty: Gloo's choice
  int rank = 0;
  int size = 1;
  std::chrono::milliseconds timeout{60000};  ///< of joining, and of every collective
};

/// A rank's group of processes over Gloo. Its threads inherit the scheduling class of the thread
/// that makes it (collectives/real_time.h).
class GlooGroup {
 public:
  /// Blocks until all ranks have met. Throws c10::Error when that exceeds the timeout.
  explicit GlooGroup(const GlooOptions& options);
  ~GlooGroup();

  std::shared_ptr<Backend> backend() const;

 private:
  class GlooBackend;

  std::shared_ptr<GlooBackend> backend_;
};

}  // namespace pacbench::trainer
