#include "trainer/ddp/rank.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <thread>

#include "base/clock.h"
#include "trainer/methods/method.h"
#include "trainer/models/model.h"
#include "trainer/training/checkpoint.h"
#include "trainer/training/evaluator.h"
#include "trainer/training/schedule.h"

namespace pacbench {
namespace {

// Few enough that a large model shows a sign of life between them.
constexpr std::int64_t kEvaluatedAtOnce = 1000;

int cores() { return static_cast<int>(std::max(1U, std::thread::hardware_concurrency())); }

int use_compute_threads(int threads) {
  at::set_num_threads(threads);
  return threads;
}

std::shared_ptr<Model> initial_model(const WorkerSpec& spec, const DatasetInfo& dataset) {
  auto model = make_model(spec.workload.model, dataset, spec.seed);
  if (!spec.checkpoint.empty()) load_checkpoint(*model, spec.checkpoint);
  model->train();
  return model;
}

std::vector<at::Tensor> tensors_of(const std::vector<Parameter>& parameters) {
  std::vector<at::Tensor> tensors;
  for (const auto& parameter : parameters) tensors.push_back(parameter.tensor);
  return tensors;
}

BatchPosition position_of(const WorkerSpec& spec, std::int64_t iteration) {
  return {spec.seed, iteration, spec.rank, spec.workers, spec.workload.batch_per_worker};
}

std::int64_t resident_bytes() {
  std::ifstream statm{"/proc/self/statm"};
  std::int64_t total = 0;
  std::int64_t resident = 0;
  statm >> total >> resident;
  return resident * 4096;
}

std::int64_t peak_resident_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss * 1024;
}

std::uint64_t hash_of(const std::vector<Parameter>& parameters) {
  std::uint64_t hash = 0;
  for (const auto& parameter : parameters) {
    const auto bytes = parameter.tensor.detach().contiguous();
    const std::string_view view{static_cast<const char*>(bytes.data_ptr()), bytes.nbytes()};
    hash = hash * 0x9E3779B97F4A7C15U + std::hash<std::string_view>{}(view);
  }
  return hash;
}

}  // namespace

Rank::Rank(const WorkerSpec& spec)
    : spec_{spec},
      compute_threads_{use_compute_threads(std::max(1, cores() / spec.workers))},
      page_{worker_fd::kControl, spec.rank, spec.workers},
      communication_{spec},
      dataset_{load_dataset(spec.workload.dataset, spec.data_folder)},
      model_{initial_model(spec, dataset_->info())},
      parameters_{parameters_of(*model_)},
      sgd_{tensors_of(parameters_),
           {spec.workload.optimizer.momentum, spec.workload.optimizer.weight_decay}},
      engine_{communication_.engine()},
      data_parallel_{parameters_, engine_, communication_.group().process_group()},
      meter_{spec.interface} {}

void Rank::train() {
  settle_buckets();
  report_ready(measure_scheduling_floor_ms());
  meter_.lap();
  evaluate_off_the_clock();  // and starts the clock
  prune();
  preparation_ = meter_.lap();
  const auto& workload = spec_.workload;
  bool stop = false;
  while (iteration_ < workload.max_iterations && !stop) {
    ++iteration_;
    iterate();
    if (iteration_ % workload.evaluate_every == 0 || iteration_ == workload.max_iterations) {
      stop = evaluate_off_the_clock();
    }
  }
  report_done();
}

void Rank::settle_buckets() {
  // Batch norm's running statistics must not remember a pass that belongs to no iteration.
  std::vector<at::Tensor> before;
  for (const auto& buffer : model_->buffers()) before.push_back(buffer.clone());
  const auto batch = dataset_->training_batch(position_of(spec_, 1));
  data_parallel_.warm_up([&] {
    return torch::nn::functional::cross_entropy(model_->forward(batch.images), batch.labels);
  });
  auto buffers = model_->buffers();
  for (std::size_t i = 0; i < buffers.size(); ++i) buffers[i].copy_(before[i]);
}

double Rank::measure_scheduling_floor_ms() {
  constexpr int kRounds = 11;
  std::vector<double> times_ms;
  engine_.run([&](Group& group) -> Task<> {
    auto tiny = at::zeros({1024});
    for (int round = 0; round < kRounds; ++round) {
      const auto start_ns = monotonic_ns();
      co_await group.all_reduce(tiny);
      times_ms.push_back(seconds(monotonic_ns() - start_ns) * 1e3);
    }
  });
  std::nth_element(times_ms.begin(), times_ms.begin() + kRounds / 2, times_ms.end());
  return times_ms[kRounds / 2];
}

void Rank::report_ready(double scheduling_floor_ms) {
  ReadyEvent ready;
  ready.rank = spec_.rank;
  for (const auto& parameter : parameters_) ready.parameters += parameter.tensor.numel();
  for (const auto& bucket : data_parallel_.layout()) {
    ready.bucket_elements.push_back(bucket.elements);
  }
  ready.compute_threads = compute_threads_;
  ready.real_time = communication_.real_time();
  ready.scheduling_floor_ms = scheduling_floor_ms;
  ready.resident_bytes = resident_bytes();
  log_.write(ready);
}

/// On the clock: scoring on rank 0, its masks to the others over the shaped links, and what the
/// method prepares.
void Rank::prune() {
  auto layout = data_parallel_.layout();
  if (const auto plan = engine_.method().pruning()) {
    masks_ = WeightMasks{parameters_};
    if (spec_.rank == 0) {
      // The other ranks wait for it.
      at::set_num_threads(cores());
      masks_ = choose_masks(*model_, *dataset_, *plan, plan->ratio, masks_, spec_.seed);
      at::set_num_threads(compute_threads_);
    }
    auto packed = masks_.pack();
    engine_.run([&](Group& group) -> Task<> { co_await group.broadcast(packed, 0); });
    masks_.unpack(packed);
    masks_.apply(sgd_);
    for (auto& bucket : layout) {
      for (auto& slice : bucket.slices) {
        const auto& mask = masks_.mask(static_cast<std::size_t>(slice.parameter));
        if (mask.defined()) slice.mask = mask.flatten();
      }
    }
  }
  engine_.settle(std::move(layout));
  pruning_s_ = clock_.seconds();
}

void Rank::iterate() {
  IterationEvent event;
  event.step.start_ns = monotonic_ns();
  const auto batch = dataset_->training_batch(position_of(spec_, iteration_));
  event.forward.start_ns = monotonic_ns();
  auto loss = torch::nn::functional::cross_entropy(model_->forward(batch.images), batch.labels);
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
  auto parameters = tensors_of(parameters_);
  std::vector<at::Tensor> gradients;
  for (const auto& parameter : parameters) gradients.push_back(parameter.grad());
  OptimizerView view{parameters, gradients, lr, spec_.workload.optimizer.weight_decay};
  if (!engine_.optimizer_step(view)) sgd_.step(lr);
  data_parallel_.zero_gradients();
}

void Rank::report_iteration(IterationEvent event) {
  event.rank = spec_.rank;
  event.iteration = iteration_;
  event.training_s = clock_.seconds();
  event.buckets = engine_.trace();
  event.expected_sent_bytes = engine_.expected_sent_bytes();
  event.traffic = meter_.lap();
  log_.keep(std::move(event));
}

/// Returns whether training is to stop here, which rank 0 decides for all.
bool Rank::evaluate_off_the_clock() {
  const auto sign_of_life = [this] { log_.write(AliveEvent{spec_.rank}); };
  // The iteration ends when it has ended on all ranks: the clock waits for the last one.
  page_.barrier(sign_of_life);
  clock_.stop();
  log_.flush();
  page_.set_hash(hash_of(parameters_));
  page_.barrier(sign_of_life);
  check_weights();
  if (spec_.rank == 0) page_.set_word(evaluate_here() ? 1 : 0);
  page_.barrier(sign_of_life);
  const bool stop = page_.word() == 1;
  clock_.start();
  return stop;
}

void Rank::check_weights() {
  const int other = page_.first_different_hash();
  if (other >= 0) {
    throw std::runtime_error{fmt::format(
        "the weights of rank {} and rank 0 differ after iteration {}: method {} did not give all "
        "ranks the same mean",
        other, iteration_, spec_.method.name)};
  }
  const auto plan = engine_.method().pruning();
  if (masks_.empty() || !plan || !plan->stays_pruned) return;
  if (const auto moved = masks_.first_violation(parameters_)) {
    throw std::runtime_error{
        fmt::format("a pruned weight of {} is not zero after iteration {}", *moved, iteration_)};
  }
}

bool Rank::evaluate_here() {
  at::set_num_threads(cores());
  Evaluation result;
  const auto& test = dataset_->test();
  for (std::int64_t first = 0; first < test.count(); first += kEvaluatedAtOnce) {
    const auto count = std::min(kEvaluatedAtOnce, test.count() - first);
    result += evaluate(*model_, *dataset_, test, first, count);
    log_.write(AliveEvent{spec_.rank});
  }
  at::set_num_threads(compute_threads_);
  check_loss(result.loss());
  log_.write(EvaluationEvent{iteration_, clock_.seconds(), result.accuracy(), result.loss()});
  const auto& targets = spec_.targets;
  if (targets.empty() || spec_.workload.stop != "targets") return false;
  evaluations_at_target_ = result.accuracy() >= targets.back() ? evaluations_at_target_ + 1 : 0;
  return evaluations_at_target_ > kConfirmations;
}

void Rank::report_done() {
  DoneEvent done;
  done.rank = spec_.rank;
  done.iterations = iteration_;
  done.training_s = clock_.seconds();
  done.pruning_s = pruning_s_;
  done.preparation = preparation_;
  done.kept_fraction = masks_.empty() ? 1 : masks_.kept_fraction();
  done.peak_resident_bytes = peak_resident_bytes();
  log_.write(done);
}

}  // namespace pacbench
