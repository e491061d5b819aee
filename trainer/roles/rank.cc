#include "trainer/roles/rank.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <stdexcept>

#include "trainer/averaging/averager.h"
#include "trainer/collectives/own_core.h"
#include "trainer/compose/profiled_gradients.h"
#include "trainer/pruning/weight_masks.h"
#include "trainer/rank/compute_threads.h"
#include "trainer/rank/model_gradients.h"
#include "trainer/training/optimizer.h"

namespace pacbench::trainer {
namespace {

bool every(std::int64_t period, std::int64_t iteration) {
  return period > 0 && iteration % period == 0;
}

std::int64_t elements_of(const std::vector<Parameter>& parameters) {
  std::int64_t elements = 0;
  for (const auto& parameter : parameters) elements += parameter.tensor.numel();
  return elements;
}

std::unique_ptr<GradientSource> source_of(const WorkerSpec& spec, Replica& replica,
                                          const Communication& communication) {
  if (spec.compose) {
    return std::make_unique<ProfiledGradients>(spec, replica, *communication.engine);
  }
  return std::make_unique<ModelGradients>(replica, *communication.engine,
                                          communication.process_group,
                                          ComputePace{spec.traits.compute_factor, spec.compute_ms});
}

/// The trainer's optimiser is made SGD without momentum where the method has momentum of its own.
WorkerSpec as_trained_with(WorkerSpec spec, Method& method) {
  if (!method.has_own_momentum()) return spec;
  spec.workload.optimizer.name = "sgd";
  spec.workload.optimizer.momentum = 0;
  return spec;
}

std::int64_t resident_bytes() {
  std::ifstream statm{"/proc/self/statm"};
  std::int64_t total = 0;
  std::int64_t resident = 0;
  statm >> total >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

std::int64_t peak_resident_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss * 1024;
}

/// The median time of 11 all-reduces of one number: the cost of a collective whose bytes take next
/// to no time.
double scheduling_floor_ms(ExchangeEngine& engine) {
  constexpr int kRounds = 11;
  auto times_s = time_all_reduces(engine, 1, kRounds);
  std::nth_element(times_s.begin(), times_s.begin() + kRounds / 2, times_s.end());
  return times_s[kRounds / 2] * 1e3;
}

LinkTraffic operator+(const LinkTraffic& a, const LinkTraffic& b) {
  return {a.sent_bytes + b.sent_bytes,           a.sent_packets + b.sent_packets,
          a.received_bytes + b.received_bytes,   a.received_packets + b.received_packets,
          a.dropped_packets + b.dropped_packets, a.retransmits + b.retransmits};
}

}  // namespace

Rank::Rank(const WorkerSpec& spec, RankResources place)
    : spec_{spec},
      place_{std::move(place)},
      engine_{*place_.communication.engine},
      replica_{as_trained_with(spec, engine_.method()), task_of(spec, place_.dataset)},
      source_{source_of(spec, replica_, place_.communication)},
      pruning_{spec, replica_, engine_, *source_},
      log_{place_.events_fd},
      iterations_{spec.compose ? spec.compose->iterations : spec.workload.max_iterations} {
  engine_.method().begin(tensors_of(replica_.parameters()));
  if (spec.quality_every == 0) return;
  const auto elements = elements_of(replica_.parameters());
  if (place_.samples) {
    gradients_.emplace(place_.samples, spec.rank, spec.workers, elements);
  } else {
    gradients_.emplace(place_.gradients_fd, spec.rank, spec.workers, elements);
  }
}

void Rank::train() {
  prepare();
  const auto& workload = spec_.workload;
  // A run may resume from an iteration after which all targets were met.
  bool stop = targets_are_met();
  while (iteration_ < iterations_ && !stop) {
    if (pruning_.due(iteration_)) change_masks(Change::kPruned, [this] { pruning_.step(); });
    ++iteration_;
    const bool compared = every(spec_.quality_every, iteration_);
    if (compared) lay_gradient();
    if (source_->needs_preparation()) off_the_clock([this] { source_->prepare(iteration_); });
    // After what is off the clock, for which the ranks wait for each other.
    if (iteration_ == 1)
      sleep_until(emulated_ns() + std::llround(1e9 * spec_.traits.start_delay_s));
    iterate();
    if (pruning_.regrows_after(iteration_)) {
      change_masks(Change::kRegrown, [this] { pruning_.regrow(iteration_); });
    }
    const bool is_limited = spec_.compose && spec_.compose->cell_s > 0;
    if (is_limited && iteration_ == kLeastComposed) limit_iterations();
    if (compared && aggregate_is_there_) compare_gradients();
    if (every(workload.evaluate_every, iteration_) || iteration_ == iterations_) {
      stop = evaluate();
    }
    if (every(spec_.state_every, iteration_)) save_state();
  }
  report_done();
}

/// Prepares this rank for training, and ends with the clock running.
void Rank::prepare() {
  source_->warm_up();
  if (source_->needs_measure()) {
    for (int turn = 0; turn < spec_.workers; ++turn) {
      if (turn == spec_.rank) source_->measure_quiet();
      wait_for_all();
    }
  }
  const bool resumes = place_.state && place_.state->resumes();
  if (resumes) restore_state();
  report_ready();
  traffic();
  if (resumes || !source_->trains()) {
    off_the_clock([] {});
  } else {
    evaluate();
  }
}

void Rank::report_ready() {
  ReadyEvent ready;
  ready.rank = spec_.rank;
  ready.parameters = elements_of(replica_.parameters());
  for (const auto& bucket : source_->layout()) {
    ready.bucket_elements.push_back(bucket.elements);
  }
  ready.compute_threads = share_of_cores(spec_.workers);
  ready.real_time = place_.communication.real_time;
  ready.scheduling_floor_ms = scheduling_floor_ms(engine_);
  ready.floor_bytes = sizeof(float);
  ready.resident_bytes = resident_bytes();
  ready.iteration = iteration_;
  log_.write(ready);
}

/// Changes masks on the clock, except where exchanges are replayed: then a step prunes nothing and
/// only makes the payloads of the replay, which the method would not do in training.
void Rank::change_masks(Change kind, const std::function<void()>& change) {
  be_ordinary();
  if (spec_.compose && replays_exchanges(*spec_.compose)) return off_the_clock(change);
  const auto start_ns = emulated_ns();
  OwnCore::of_this_thread().begin();
  change();
  pruning_.check(iteration_);
  OwnCore::of_this_thread().catch_up();
  preparation_ = preparation_ + traffic();
  const auto spent_ns = emulated_ns() - start_ns;
  pruning_ns_ += spent_ns;
  if (spec_.rank != 0 || pruning_.masks().empty()) return;
  log_.keep(PrunedEvent{iteration_, clock_.seconds(), seconds(spent_ns),
                        pruning_.masks().kept_fraction(), mask_sample(pruning_.masks()),
                        kind == Change::kRegrown});
}

/// Enters the real-time class when this thread sleeps instead of computing: it must wake up in
/// time, however busy exchanges keep the cores. With a GPU it stays in the ordinary class, because
/// CUDA's threads, which start later, would inherit the real-time class.
void Rank::be_punctual() {
  if (source_->trains() || !replica_.device().is_cpu() || punctual_) return;
  punctual_.emplace(RealTimeScope::kSleeperPriority);
}

/// Runs one iteration. Afterwards the gradients hold the aggregate, with three exceptions: the
/// method made or skipped the optimiser's step itself, it exchanges something other than gradients
/// (Method::leaves_mean), or its exchanges are only replayed (compose.exchange "profile").
void Rank::iterate() {
  be_punctual();
  IterationEvent event;
  event.step.start_ns = emulated_ns();
  source_->begin(iteration_);
  event.forward.start_ns = emulated_ns();
  event.loss = source_->forward();
  event.forward.end_ns = event.backward.start_ns = emulated_ns();
  check_loss(event.loss);

  const bool backward = engine_.method().needs_gradients();
  engine_.begin_iteration(step_of(iteration_), backward);
  if (backward) source_->backward();
  event.exposed.end_ns = emulated_ns();
  event.backward.end_ns = event.exposed.start_ns =
      backward ? source_->last_gradient_ns() : event.backward.start_ns;
  engine_.finish_iteration();

  event.optimizer.start_ns = emulated_ns();
  aggregate_is_there_ = !take_step() && engine_.method().leaves_mean();
  event.step.end_ns = event.optimizer.end_ns = emulated_ns();
  report_iteration(std::move(event));
}

void Rank::check_loss(double loss) const {
  if (std::isfinite(loss)) return;
  throw Diverged{fmt::format(
      "the loss became {} in iteration {}: training diverged; try a smaller learning rate than {}",
      loss, iteration_, spec_.workload.optimizer.lr)};
}

Step Rank::step_of(std::int64_t iteration) const {
  const auto& workload = spec_.workload;
  const auto lr_of = [&](std::int64_t number) {
    return learning_rate(workload.optimizer, number, workload.max_iterations);
  };
  return {iteration, lr_of(iteration), lr_of(std::max<std::int64_t>(iteration - 1, 1))};
}

/// Makes the optimiser's step, unless the method makes or skips it; returns whether the method did
/// so.
bool Rank::take_step() {
  auto parameters = tensors_of(replica_.parameters());
  std::vector<at::Tensor> gradients;
  for (const auto& parameter : parameters) gradients.push_back(parameter.grad());
  const RandomKey random{.seed = spec_.seed, .iteration = iteration_};
  OptimizerView view{parameters, gradients, step_of(iteration_), random,
                     [this] { return source_->loss(); }};
  const bool stepped = engine_.optimizer_step(view);
  if (stepped && spec_.workload.optimizer.name == kOwnOptimizer) {
    throw std::logic_error{spec_.method.name + " makes steps itself, and its owns_step is not set"};
  }
  if (!stepped) source_->step(view.step.lr);
  engine_.step_finished(view);
  if (replica_.task().shares_buffers()) {
    const auto buffers = tensors_of(replica_.buffers());
    if (!buffers.empty()) engine_.share(buffers);
  }
  return stepped;
}

void Rank::report_iteration(IterationEvent event) {
  OwnCore::of_this_thread().begin();
  event.rank = spec_.rank;
  event.iteration = iteration_;
  event.training_s = clock_.seconds();
  event.buckets = engine_.trace();
  event.expected_sent_bytes = engine_.expected_sent_bytes();
  event.traffic = traffic();
  event.late = OwnCore::take_late();
  std::erase_if(event.late, [&](const Span& span) { return span.start_ns < event.step.start_ns; });
  log_.keep(std::move(event));
  OwnCore::of_this_thread().catch_up();
}

LinkTraffic Rank::traffic() { return place_.meter ? place_.meter->lap() : LinkTraffic{}; }

void Rank::report_done() {
  DoneEvent done;
  done.rank = spec_.rank;
  done.iterations = iteration_;
  done.training_s = clock_.seconds();
  done.pruning_s = seconds(pruning_ns_);
  done.preparation = preparation_;
  done.kept_fraction = pruning_.masks().empty() ? 1 : pruning_.masks().kept_fraction();
  done.peak_resident_bytes = peak_resident_bytes();
  log_.write(done);
}

}  // namespace pacbench::trainer
