#pragma once

#include <cstdint>
#include <memory>

#include "spec/worker_event.h"
#include "spec/worker_spec.h"
#include "trainer/data/dataset.h"
#include "trainer/ddp/communication.h"
#include "trainer/ddp/control_page.h"
#include "trainer/ddp/data_parallel.h"
#include "trainer/ddp/event_log.h"
#include "trainer/ddp/link_meter.h"
#include "trainer/ddp/training_clock.h"
#include "trainer/pruning/prune.h"
#include "trainer/training/sgd.h"

namespace pacbench {

/// One rank of a cell, from meeting the others to the last evaluation.
class Rank {
 public:
  /// Reads data and weights and meets the other ranks. Throws when any of it fails.
  explicit Rank(const WorkerSpec& spec);

  /// Trains and reports every event. Throws with the reason when the cell cannot go on.
  void train();

  /// Writes out what is kept back: before giving up, so that no iteration is lost.
  void flush() { log_.flush(); }

  /// The iteration that is under way; 0 before the first.
  std::int64_t iteration() const { return iteration_; }

 private:
  void settle_buckets();
  double measure_scheduling_floor_ms();
  void report_ready(double scheduling_floor_ms);
  void prune();
  void iterate();
  void check_loss(double loss) const;
  void take_step();
  void report_iteration(IterationEvent event);
  bool evaluate_off_the_clock();
  void check_weights();
  bool evaluate_here();
  void report_done();

  WorkerSpec spec_;
  int compute_threads_;
  ControlPage page_;
  Communication communication_;  ///< before anything else that starts threads
  std::shared_ptr<const Dataset> dataset_;
  std::shared_ptr<Model> model_;
  std::vector<Parameter> parameters_;
  Sgd sgd_;
  ExchangeEngine& engine_;
  DataParallel data_parallel_;
  WeightMasks masks_;
  LinkMeter meter_;
  EventLog log_;
  TrainingClock clock_;
  double pruning_s_ = 0;
  LinkTraffic preparation_;
  int evaluations_at_target_ = 0;
  std::int64_t iteration_ = 0;
};

}  // namespace pacbench
