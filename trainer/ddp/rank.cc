#include "trainer/ddp/rank.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>

#include "base/clock.h"
#include "trainer/ddp/compute_threads.h"
#include "trainer/ddp/preparation.h"
#include "trainer/ddp/process_memory.h"
#include "trainer/pruning/mask_sample.h"
#include "trainer/training/evaluator.h"
#include "trainer/training/schedule.h"

namespace pacbench {
namespace {

// Few enough that a large model shows a sign of life between them.
constexpr std::int64_t kEvaluatedAtOnce = 1000;

LinkTraffic operator+(const LinkTraffic& a, const LinkTraffic& b) {
  return {a.sent_bytes + b.sent_bytes,           a.sent_packets + b.sent_packets,
          a.received_bytes + b.received_bytes,   a.received_packets + b.received_packets,
          a.dropped_packets + b.dropped_packets, a.retransmits + b.retransmits};
}

}  // namespace

Rank::Rank(const WorkerSpec& spec, Place place)
    : spec_{spec},
      place_{std::move(place)},
      replica_{spec, place_.dataset},
      engine_{*place_.communication.engine},
      data_parallel_{replica_.parameters(), engine_, place_.communication.process_group},
      pruning_{spec, replica_, engine_, data_parallel_},
      log_{place_.events_fd} {}

void Rank::train() {
  prepare();
  evaluate_off_the_clock();  // and starts the clock
  const auto& workload = spec_.workload;
  bool stop = false;
  while (iteration_ < workload.max_iterations && !stop) {
    if (pruning_.due(iteration_)) prune();
    ++iteration_;
    iterate();
    if (iteration_ % workload.evaluate_every == 0 || iteration_ == workload.max_iterations) {
      stop = evaluate_off_the_clock();
    }
  }
  report_done();
}

void Rank::prepare() {
  warm_up(data_parallel_, replica_);
  report_ready(scheduling_floor_ms(engine_));
  traffic();
}

void Rank::report_ready(double scheduling_floor_ms) {
  ReadyEvent ready;
  ready.rank = spec_.rank;
  for (const auto& parameter : replica_.parameters()) ready.parameters += parameter.tensor.numel();
  for (const auto& bucket : data_parallel_.layout()) {
    ready.bucket_elements.push_back(bucket.elements);
  }
  ready.compute_threads = share_of_cores(spec_.workers);
  ready.real_time = place_.communication.real_time;
  ready.scheduling_floor_ms = scheduling_floor_ms;
  ready.resident_bytes = resident_bytes();
  ready.iteration = iteration_;
  log_.write(ready);
}

/// On the clock.
void Rank::prune() {
  const auto start_s = clock_.seconds();
  pruning_.step();
  pruning_.check(iteration_);
  preparation_ = preparation_ + traffic();
  const auto end_s = clock_.seconds();
  pruning_s_ += end_s - start_s;
  if (spec_.rank != 0 || pruning_.masks().empty()) return;
  log_.keep(PrunedEvent{iteration_, end_s, end_s - start_s, pruning_.masks().kept_fraction(),
                        mask_sample(pruning_.masks())});
}

void Rank::iterate() {
  IterationEvent event;
  event.step.start_ns = monotonic_ns();
  data_parallel_.zero_gradients();
  const auto batch = replica_.batch(iteration_);
  event.forward.start_ns = monotonic_ns();
  auto loss = replica_.loss(batch);
  event.loss = loss.item<double>();
  event.forward.end_ns = event.backward.start_ns = monotonic_ns();
  check_loss(event.loss);

  engine_.begin_iteration(iteration_);
  data_parallel_.backward(loss);
  event.exposed.end_ns = monotonic_ns();
  event.backward.end_ns = event.exposed.start_ns = data_parallel_.last_gradient_ns();
  engine_.finish_iteration();

  event.optimizer.start_ns = monotonic_ns();
  take_step();
  event.step.end_ns = event.optimizer.end_ns = monotonic_ns();
  report_iteration(std::move(event));
}

void Rank::check_loss(double loss) const {
  if (std::isfinite(loss)) return;
  throw std::runtime_error{fmt::format(
      "the loss became {} in iteration {}: training diverged; try a smaller learning rate than {}",
      loss, iteration_, spec_.workload.optimizer.lr)};
}

void Rank::take_step() {
  const auto lr =
      learning_rate(spec_.workload.optimizer, iteration_, spec_.workload.max_iterations);
  auto parameters = tensors_of(replica_.parameters());
  std::vector<at::Tensor> gradients;
  for (const auto& parameter : parameters) gradients.push_back(parameter.grad());
  OptimizerView view{parameters, gradients, lr, spec_.workload.optimizer.weight_decay};
  if (!engine_.optimizer_step(view)) replica_.sgd().step(lr);
}

void Rank::report_iteration(IterationEvent event) {
  event.rank = spec_.rank;
  event.iteration = iteration_;
  event.training_s = clock_.seconds();
  event.buckets = engine_.trace();
  event.expected_sent_bytes = engine_.expected_sent_bytes();
  event.traffic = traffic();
  log_.keep(std::move(event));
}

/// The clock stands when all ranks have got here and runs again when all have done `body`.
void Rank::off_the_clock(const std::function<void()>& body) {
  wait_for_all();
  clock_.stop();
  log_.flush();
  body();
  wait_for_all();
  clock_.start();
}

void Rank::wait_for_all() {
  place_.page->barrier([this] { log_.write(AliveEvent{spec_.rank}); });
}

/// Returns whether training is to stop here, which rank 0 decides for all.
bool Rank::evaluate_off_the_clock() {
  bool stop = false;
  auto& page = *place_.page;
  off_the_clock([&] {
    page.set_hash(replica_.hash_of_weights());
    wait_for_all();
    check_weights();
    if (spec_.rank == 0) page.set_word(evaluate_here() ? 1 : 0);
    wait_for_all();
    stop = page.word() == 1;
  });
  return stop;
}

void Rank::check_weights() {
  const int other = place_.page->first_different_hash();
  if (other >= 0) {
    throw std::runtime_error{fmt::format(
        "the weights of rank {} and rank 0 differ after iteration {}: method {} did not give all "
        "ranks the same mean",
        other, iteration_, spec_.method.name)};
  }
  pruning_.check(iteration_);
}

bool Rank::evaluate_here() {
  Evaluation result;
  const auto& dataset = replica_.dataset();
  const auto& test = dataset.test();
  {
    const AllCores all_cores{spec_.workers};
    for (std::int64_t first = 0; first < test.count(); first += kEvaluatedAtOnce) {
      const auto count = std::min(kEvaluatedAtOnce, test.count() - first);
      result += evaluate(replica_.model(), dataset, test, first, count);
      log_.write(AliveEvent{spec_.rank});
    }
  }
  check_loss(result.loss());
  log_.write(EvaluationEvent{iteration_, clock_.seconds(), result.accuracy(), result.loss()});
  const auto& targets = spec_.targets;
  if (targets.empty() || spec_.workload.stop != "targets") return false;
  evaluations_at_target_ = result.accuracy() >= targets.back() ? evaluations_at_target_ + 1 : 0;
  return evaluations_at_target_ > kConfirmations;
}

LinkTraffic Rank::traffic() { return place_.meter ? place_.meter->lap() : LinkTraffic{}; }

void Rank::report_done() {
  DoneEvent done;
  done.rank = spec_.rank;
  done.iterations = iteration_;
  done.training_s = clock_.seconds();
  done.pruning_s = pruning_s_;
  done.preparation = preparation_;
  done.kept_fraction = pruning_.masks().empty() ? 1 : pruning_.masks().kept_fraction();
  done.peak_resident_bytes = peak_resident_bytes();
  log_.write(done);
}

}  // namespace pacbench
