#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "contract/catalogue/catalogue.h"
#include "contract/catalogue/choice_json.h"
#include "trainer/averaging/averager.h"
#include "trainer/averaging/pruning_plan.h"

namespace pacbench::trainer {

/// Weights and gradients, by parameter, at the optimiser's step.
struct OptimizerView {
  std::vector<at::Tensor>& parameters;
  std::vector<at::Tensor>& gradients;
  Step step = {};
  RandomKey shared_random = {};  ///< a stream of this step, the same on all ranks
  /// Runs a forward pass without gradients, and returns the loss of this rank's batch of this step
  /// at the weights that `parameters` hold now. Must be called before the first collective is
  /// awaited.
  std::function<double()> loss = {};
};

/// A way to train in parallel, as an entry of a scenario names it: an averager of gradients, and
/// whatever else it needs of the trainer. Most methods are an averager and nothing else
/// (`averaging` in method_definitions.h). Each rank has its own object. How to add a method:
/// docs/ADDING_A_METHOD.md.
class Method {
 public:
  explicit Method(std::unique_ptr<Averager> gradients,
                  std::optional<PruningPlan> pruning = std::nullopt)
      : gradients_{std::move(gradients)}, pruning_{std::move(pruning)} {}
  Method(const Method&) = delete;
  Method& operator=(const Method&) = delete;
  virtual ~Method() = default;

  /// Averages each bucket's gradient as soon as backward has made it.
  Averager& gradients() { return *gradients_; }
  const Averager& gradients() const { return *gradients_; }

  /// The plan for the trainer's pruning stage; absent when the method prunes nothing there.
  const std::optional<PruningPlan>& pruning() const { return pruning_; }

  /// kModel: the whole model comes as one bucket.
  enum class Scope { kBucket, kModel };
  virtual Scope scope() const { return Scope::kBucket; }

  /// Whether what the method averages contains momentum: the trainer's optimiser then is plain SGD.
  virtual bool has_own_momentum() const { return false; }

  /// Whether backward is to make gradients and `gradients()` is to average them. Where not, an
  /// iteration is a forward pass and optimizer_step.
  virtual bool needs_gradients() const { return true; }

  /// Called once, with the weights that training begins with, the same on all ranks. It is not
  /// called where only exchanges of gradients are measured.
  virtual void begin(const std::vector<at::Tensor>& /*weights*/) {}

  /// The tensors that are evaluated: they have the same bits on all ranks after each step. Null
  /// means the weights themselves. Where ranks train alone for a while, each rank has its own
  /// weights and momentum.
  virtual const std::vector<at::Tensor>* consensus() const { return nullptr; }

  /// True when the exchanges leave the optimiser the mean of all ranks' gradients or what the
  /// method puts in its place (see Averager::average). False when they leave it neither, as where
  /// ranks keep their own gradients.
  virtual bool leaves_mean() const { return true; }

  /// As Averager::recording, for all that this method exchanges.
  virtual Recording recording() const { return gradients_->recording(); }

  /// As Averager::settle, for all that this method averages.
  virtual Task<> settle(const Layout& layout, Group& group) {
    return gradients_->settle(layout, group);
  }

  /// Makes the optimiser's step and returns true, or returns false and leaves the step to the
  /// trainer. Collectives are allowed; step_traffic says which it will call.
  virtual Task<bool> optimizer_step(OptimizerView& view, Group& group);
  virtual PlannedCalls step_traffic(const Layout&, const Step&) const { return {}; }

  /// Called on all ranks after the optimiser's step, whoever made it; may change the weights, and
  /// weights_traffic says which collectives it will call.
  virtual Task<> step_finished(OptimizerView& view, Group& group);
  virtual PlannedCalls weights_traffic(const Layout&, const Step&) const { return {}; }
  /// Whether weights_traffic knows its answer only after step_finished().
  virtual bool declares_weights_after() const { return false; }

  virtual void visit_state(StateVisitor& visitor) { gradients_->visit_state(visitor); }
  virtual std::optional<double> residual_norm() const { return gradients_->residual_norm(); }

 private:
  std::unique_ptr<Averager> gradients_;
  std::optional<PruningPlan> pruning_;
};

using MakeAverager =
    std::function<std::unique_ptr<Averager>(const Json& options, const RunFacts& run)>;

/// A method's line in the table: what it is, and how one is made from its options (all of them
/// given, within their ranges).
struct MethodDefinition {
  MethodInfo info;
  std::function<std::unique_ptr<Method>(const Json& options, const RunFacts& run)> make;
  /// Makes the averager of a method that is an averager and nothing else; null for others.
  MakeAverager make_averager = nullptr;
};

/// All methods there are.
const std::vector<MethodDefinition>& method_table();

/// The catalogue's entries of all methods.
std::vector<MethodInfo> method_infos();

/// Throws std::invalid_argument for a name that is not in the table.
std::unique_ptr<Method> make_method(const Choice& choice, const RunFacts& run = {});

/// Makes the averager of a method, for use in another method. Throws std::invalid_argument for a
/// name that is not in the table, and for a method that is more than an averager.
std::unique_ptr<Averager> make_averager(const Choice& choice, const RunFacts& run);

/// A method with `options`, and its defaults for the options that are not given, as a scenario's
/// entry is read. Throws std::invalid_argument for a name that is not in the table.
Choice with_defaults(const std::string& method, const Json& options = Json::object());

/// As with_defaults. An option that is not given has the preset's value, or its default where the
/// preset has none. Throws std::invalid_argument for an unknown preset too.
Choice with_preset(const std::string& method, const std::string& preset,
                   const Json& options = Json::object());

}  // namespace pacbench::trainer
