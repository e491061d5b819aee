#pragma once

#include <ATen/core/Tensor.h>

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "contract/worker/worker_spec.h"
#include "trainer/collectives/backend.h"
#include "trainer/methods/method.h"

namespace pacbench::trainer::test {

/// The outcome of a cell.
struct Trained {
  std::vector<std::vector<at::Tensor>> weights;  ///< by rank and parameter
  std::vector<Json> events;                      ///< of all ranks, as they were written
  std::vector<std::exception_ptr> failures;      ///< by rank, null where none

  /// The events of one kind.
  std::vector<Json> of_kind(const std::string& kind) const;
};

/// A small network on digits for 20 iterations, evaluated every five.
WorkerSpec small_cell(const Choice& method, int workers = 4);

/// Trains all ranks as threads of this process: over memory, as role learn does, or over real Gloo
/// on loopback, as processes of role train do. With `make`, which makes a rank's method, failures
/// are left in Trained::failures; otherwise the failure of the lowest rank that failed by itself is
/// thrown. A rank that fails ends the waits of the others.
using MakeMethod = std::function<std::unique_ptr<Method>(const WorkerSpec&)>;
Trained train_over_threads(const WorkerSpec& spec, const MakeMethod& make);
Trained train_over_threads(const WorkerSpec& spec);
/// Trains over a group of the test, one backend a rank.
Trained train_over(const std::vector<std::shared_ptr<Backend>>& group, const WorkerSpec& spec);
Trained train_over_gloo(const WorkerSpec& spec);
/// Trains over real Gloo as ranks of several hosts do, which meet over TCP.
Trained train_over_tcp(const WorkerSpec& spec);

/// Trains a small cell of a method over threads.
Trained trained_by(const std::string& method, const Json& options, int workers = 3);

/// Expects that each rank has the same weights in both trainings, to the bit.
void expect_same_weights(const Trained& found, const Trained& expected);

}  // namespace pacbench::trainer::test
