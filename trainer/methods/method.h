#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "spec/catalogue.h"
#include "spec/choice.h"
#include "spec/link_facts.h"
#include "trainer/collectives/group.h"
#include "trainer/methods/bucket.h"
#include "trainer/methods/pruning_plan.h"
#include "trainer/methods/state_visitor.h"

namespace pacbench::trainer {

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

  /// Called on all ranks when buckets have got their final shape and masks are known, before the
  /// first exchange, and again between two iterations whenever masks have changed. State that
  /// belongs to buckets is made here; what is keyed by parameter outlives it.
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

  /// All that this method remembers from one iteration to the next, for checkpoints. Called between
  /// iterations, after layout_settled.
  virtual void visit_state(StateVisitor& visitor);

  /// Euclidean norm of what error feedback holds back on this rank; absent without it.
  virtual std::optional<double> residual_norm() const { return std::nullopt; }

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
  std::unique_ptr<Method> (*make)(const Json& options, const LinkFacts& link);
};

/// All methods there are.
const std::vector<MethodEntryPoint>& method_table();

/// Throws std::invalid_argument for a name that is not in the table.
std::unique_ptr<Method> make_method(const Choice& choice, const LinkFacts& link = {});

}  // namespace pacbench::trainer
