#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "spec/catalogue.h"
#include "spec/scenario.h"
#include "trainer/collectives/group.h"
#include "trainer/methods/bucket.h"

namespace pacbench {

/// What a method asks of the trainer's pruning stage before its first iteration.
struct PruningPlan {
  double ratio = 0.5;           ///< share of the prunable weights that goes, in (0, 1)
  std::string score = "grasp";  ///< grasp, magnitude or random
  bool stays_pruned = true;     ///< pruned weights never move; the run holds the method to it
};

/// Weights, gradients and optimiser settings, for a method that makes the optimiser's step itself.
struct OptimizerView {
  std::vector<at::Tensor>& parameters;
  std::vector<at::Tensor>& gradients;
  double lr = 0;
  double weight_decay = 0;
};

/// A way to turn N workers' gradients into one mean. One object a rank, used on one thread only,
/// so it needs no locks. Adding a method takes one file and one line in methods.cc:
/// docs/ADDING_A_METHOD.md.
class Method {
 public:
  virtual ~Method() = default;

  /// kModel: the whole model comes as one bucket.
  enum class Scope { kBucket, kModel };
  virtual Scope scope() const { return Scope::kBucket; }

  virtual std::optional<PruningPlan> pruning() const { return std::nullopt; }

  /// Called once on all ranks, when buckets have got their final shape and masks are known, before
  /// the first exchange. State that belongs to buckets is made here.
  virtual Task<> layout_settled(const Layout& layout, Group& group);

  /// The collectives that the next exchange of this bucket will call, in the present state; for
  /// one whose sizes only the data can tell, the expected ones. Compared with what the group
  /// counted and with what the link counted.
  virtual std::vector<PlannedCollective> expected_traffic(const BucketLayout& bucket) const = 0;

  /// The same for what iteration_finished and optimizer_step will call in this iteration.
  virtual std::vector<PlannedCollective> expected_iteration_traffic(const Layout& layout) const;

  /// Turns bucket.gradient() into the mean over all ranks, the same bits on each of them. Calling
  /// no collective at all is allowed. Buckets of one iteration run interleaved on one thread.
  virtual Task<> exchange(Bucket& bucket, Group& group) = 0;

  /// Called on all ranks after the last bucket of an iteration.
  virtual Task<> iteration_finished(Group& group);

  /// Makes the optimiser's step and returns true, or leaves it to the trainer. Collectives are
  /// allowed.
  virtual Task<bool> optimizer_step(OptimizerView& view, Group& group);
};

/// A method's line in the table: what it is, and how one is made from its options (all of them
/// given, within their ranges).
struct MethodEntryPoint {
  MethodInfo info;
  std::unique_ptr<Method> (*make)(const Json& options);
};

/// All methods there are.
const std::vector<MethodEntryPoint>& method_table();

/// Throws std::invalid_argument for a name that is not in the table.
std::unique_ptr<Method> make_method(const Choice& choice);

}  // namespace pacbench
