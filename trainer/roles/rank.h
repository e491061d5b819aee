#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "contract/worker/worker_event.h"
#include "contract/worker/worker_spec.h"
#include "trainer/collectives/real_time.h"
#include "trainer/rank/event_log.h"
#include "trainer/rank/gradient_quality.h"
#include "trainer/rank/gradient_source.h"
#include "trainer/rank/replica.h"
#include "trainer/roles/pruning_stage.h"
#include "trainer/roles/rank_resources.h"

namespace pacbench::trainer {

/// Measures training time: runs while the ranks train, and stands still while they do other work,
/// such as evaluation or saving their state.
class TrainingClock {
 public:
  void start() { started_ns_ = emulated_ns(); }
  void stop() { elapsed_ns_ += running_ns(), started_ns_ = 0; }
  double seconds() const { return pacbench::seconds(elapsed_ns_ + running_ns()); }

  /// The training time up to the last stop. Use it only while the clock is stopped, to save it or
  /// to set it to a saved value.
  std::int64_t& elapsed_ns() { return elapsed_ns_; }

 private:
  std::int64_t running_ns() const { return started_ns_ == 0 ? 0 : emulated_ns() - started_ns_; }

  std::int64_t elapsed_ns_ = 0;
  std::int64_t started_ns_ = 0;
};

/// One rank of a cell: prepares, trains, evaluates and reports its events.
class Rank {
 public:
  /// Makes the model with its weights. Call it in the thread that trains.
  Rank(const WorkerSpec& spec, RankResources place);

  /// Trains and reports every event. Throws with the reason when the cell cannot go on.
  void train();

  /// Writes out the events that are kept back. Call it before giving up, so that no iteration is
  /// lost.
  void flush() { log_.flush(); }

  /// The iteration that is under way. Before the first it is 0 or, when a run resumes, that of the
  /// restored state.
  std::int64_t iteration() const { return iteration_; }

  const std::vector<Parameter>& parameters() const { return replica_.parameters(); }

 private:
  void prepare();
  void report_ready();
  enum class Change { kPruned, kRegrown };
  void change_masks(Change kind, const std::function<void()>& change);
  void be_punctual();
  void be_ordinary() { punctual_.reset(); }
  void iterate();
  void check_loss(double loss) const;
  Step step_of(std::int64_t iteration) const;
  bool take_step();
  void report_iteration(IterationEvent event);
  LinkTraffic traffic();
  void report_done();

  // Runs `body` while the clock is stopped (rank_off_the_clock.cc).
  void off_the_clock(const std::function<void()>& body);
  void wait_for_all();
  bool evaluate();
  void check_weights();
  bool evaluate_here();
  bool targets_are_met() const;
  void lay_gradient();
  void compare_gradients();
  void limit_iterations();
  void save_state();
  void restore_state();
  void visit_shared_state(StateVisitor& visitor);
  void visit_curve(StateVisitor& visitor);
  void visit_own_state(StateVisitor& visitor);
  bool weights_are_shared() const { return engine_.method().consensus() == nullptr; }

  WorkerSpec spec_;
  RankResources place_;
  ExchangeEngine& engine_;
  Replica replica_;
  std::unique_ptr<GradientSource> source_;
  PruningStage pruning_;
  EventLog log_;
  TrainingClock clock_;
  std::optional<SharedGradients> gradients_;  ///< where spec.quality_every is not 0
  std::int64_t pruning_ns_ = 0;
  LinkTraffic preparation_;
  std::vector<EvaluationEvent> curve_;  ///< what rank 0 has evaluated
  bool aggregate_is_there_ = false;     ///< whether gradients hold the last aggregate
  std::int64_t iteration_ = 0;
  std::int64_t iterations_;  ///< after which this rank is done
  std::optional<RealTimeScope> punctual_;
};

}  // namespace pacbench::trainer
