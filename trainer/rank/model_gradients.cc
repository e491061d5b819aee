#include "trainer/rank/model_gradients.h"

#include <c10/core/AutogradState.h>
#include <c10/util/ScopeExit.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <torch/csrc/distributed/c10d/comm.hpp>
#include <unordered_map>

#include "trainer/collectives/gpu_work.h"

namespace pacbench::trainer {
namespace {

// PyTorch's own sizes: the first bucket is small, so that communication begins early.
constexpr std::int64_t kFirstBucketBytes = 1 << 20;
constexpr std::int64_t kBucketBytes = 25 << 20;

std::unordered_map<std::size_t, std::string> names_of(const std::vector<Parameter>& parameters) {
  std::unordered_map<std::size_t, std::string> names;
  for (std::size_t i = 0; i < parameters.size(); ++i) names[i] = parameters[i].name;
  return names;
}

c10::intrusive_ptr<c10::ivalue::Future> future_of(const at::Tensor& buffer) {
  std::vector<c10::Device> devices;
  if (buffer.is_cuda()) devices.push_back(buffer.device());
  return c10::make_intrusive<c10::ivalue::Future>(c10::TensorType::get(), std::move(devices));
}

}  // namespace

void ComputePace::end_forward() {
  piece_ = 0;
  measures_ ? note_cost() : OwnCore::of_this_thread().go_on(factor_, most_ns());
  ++piece_;
}

void ComputePace::end_piece() {
  measures_ ? note_cost() : OwnCore::of_this_thread().catch_up(factor_, most_ns());
  ++piece_;
}

void ComputePace::note_cost() {
  auto& core = OwnCore::of_this_thread();
  if (measured_ns_.size() <= piece_) measured_ns_.resize(piece_ + 1);
  measured_ns_[piece_].push_back(core.cost_ns());
  core.begin();
}

void ComputePace::measure(const std::function<void()>& iterations) {
  measures_ = true;
  iterations();
  measures_ = false;
  quiet_ns_.clear();
  for (auto& costs_ns : measured_ns_) {
    const auto middle = costs_ns.begin() + std::ssize(costs_ns) / 2;
    std::nth_element(costs_ns.begin(), middle, costs_ns.end());
    quiet_ns_.push_back(*middle);
  }
  if (compute_ms_ == 0) return;
  const double quiet_ms = 1e-6 * static_cast<double>(std::accumulate(
                                     quiet_ns_.begin(), quiet_ns_.end(), std::int64_t{0}));
  if (quiet_ms > compute_ms_ * time_dilation) {
    throw std::runtime_error{fmt::format(
        "forward and backward take {:.3g} ms on a core of this machine, longer than the {:g} ms of "
        "worker_speed.compute_ms; use a time_dilation of at least {:.0f}",
        quiet_ms, compute_ms_, std::ceil(quiet_ms / compute_ms_))};
  }
  factor_ *= compute_ms_ / quiet_ms;
}

/// Hands buckets to the engine. Runs on the thread of backward, with Reducer's mutex held. So it
/// waits only for the pace, and calls nothing of Reducer.
class DataParallel::Hook final : public c10d::CommHookInterface {
 public:
  explicit Hook(DataParallel& owner) : owner_{owner} {}

  c10::intrusive_ptr<c10::ivalue::Future> runHook(c10d::GradBucket& bucket) override {
    auto buffer = bucket.getBufferRef();
    auto future = future_of(buffer);
    if (owner_.alone_) {
      if (owner_.pace_.measures()) owner_.pace_.end_piece();
      future->markCompleted(buffer);
      return future;
    }
    // Waits until the bucket has taken as long as on a slower rank's hardware, or on a core of its
    // own. A slower rank waits for the GPU first, since queued work may not have run yet.
    if (owner_.pace_.slows()) wait_for_gpu(buffer.device());
    owner_.pace_.end_piece();
    owner_.hand_over_.start(static_cast<int>(bucket.getIndex()), buffer,
                            [future, buffer](std::exception_ptr failure) {
                              failure ? future->setError(failure) : future->markCompleted(buffer);
                            });
    return future;
  }

  at::Tensor parseHookResult(const c10::IValue& result) override {
    return c10d::detail::parseCppCommHookResult(result);
  }

 private:
  DataParallel& owner_;
};

DataParallel::DataParallel(const std::vector<Parameter>& parameters, ExchangeEngine& engine,
                           c10::intrusive_ptr<c10d::ProcessGroup> process_group, ComputePace& pace)
    : parameters_{parameters}, pace_{pace}, hand_over_{engine} {
  const bool whole_model = engine.method().scope() == Method::Scope::kModel;
  const auto unlimited = std::numeric_limits<std::int64_t>::max();
  const auto first_cap = whole_model ? unlimited : kFirstBucketBytes;
  const auto cap = whole_model ? unlimited : kBucketBytes;
  const auto tensors = tensors_of(parameters);
  auto buckets = std::get<0>(c10d::compute_bucket_assignment_by_size(
      tensors, {static_cast<std::size_t>(first_cap), static_cast<std::size_t>(cap)}));
  std::reverse(buckets.begin(), buckets.end());
  reducer_ = std::make_unique<c10d::Reducer>(
      tensors, std::move(buckets), std::move(process_group),
      std::vector<bool>(tensors.size(), false), cap, /*find_unused_parameters=*/false,
      /*gradient_as_bucket_view=*/true, names_of(parameters), first_cap,
      /*skip_all_reduce_unused_params=*/false, /*use_python_reducer=*/false,
      std::vector<std::int64_t>{});
  reducer_->register_comm_hook(std::make_unique<Hook>(*this));
}

DataParallel::~DataParallel() = default;

void DataParallel::warm_up(const std::function<at::Tensor()>& loss) {
  backward_alone(loss());
  reducer_->rebuild_buckets();
  zero_gradients();
}

Layout DataParallel::layout() const {
  std::unordered_map<const c10::TensorImpl*, std::size_t> numbers;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    numbers[parameters_[i].tensor.unsafeGetTensorImpl()] = i;
  }
  Layout layout;
  for (const auto& bucket : reducer_->get_grad_buckets(/*return_zero_tensors=*/true)) {
    BucketLayout described;
    described.index = static_cast<int>(bucket.getIndex());
    for (const auto& tensor : bucket.getParameters()) {
      const auto number = numbers.at(tensor.unsafeGetTensorImpl());
      add_to(described, number, parameters_[number]);
    }
    layout.push_back(std::move(described));
  }
  return layout;
}

void DataParallel::backward(const at::Tensor& loss) {
  reducer_->prepare_for_forward();
  reducer_->prepare_for_backward({});
  // On this thread. By default a process has one backward thread for a GPU, on which the first
  // rank's wait for its means would keep the other ranks from starting their backward.
  auto& state = c10::AutogradState::get_tls_state();
  const bool before = state.get_multithreading_enabled();
  const auto restored = c10::make_scope_exit([&] { state.set_multithreading_enabled(before); });
  state.set_multithreading_enabled(false);
  loss.backward();
}

void DataParallel::backward_alone(const at::Tensor& loss) {
  alone_ = true;
  const auto ended = c10::make_scope_exit([this] { alone_ = false; });
  backward(loss);
}

void DataParallel::zero_gradients() {
  // Replaces torch::optim's zero_grad, which detaches gradients and so throws on views of
  // buckets.
  const at::NoGradGuard no_grad;
  for (const auto& parameter : parameters_) {
    auto gradient = parameter.tensor.grad();
    if (gradient.defined()) gradient.zero_();
  }
}

void ModelGradients::warm_up() {
  const ValuesKept buffers_kept{tensors_of(replica_.buffers())};
  const auto batch = replica_.batch(1);
  data_parallel_.warm_up([&] { return replica_.loss(batch); });
}

void ModelGradients::measure_quiet() {
  constexpr int kIterations = 5;
  const ValuesKept buffers_kept{tensors_of(replica_.buffers())};
  const auto batch = replica_.batch(1);
  pace_.measure([&] {
    for (int i = 0; i < kIterations; ++i) {
      data_parallel_.zero_gradients();
      OwnCore::of_this_thread().begin();
      const auto loss = replica_.loss(batch);
      static_cast<void>(loss.item<double>());
      pace_.end_forward();
      data_parallel_.backward_alone(loss);
    }
  });
  data_parallel_.zero_gradients();
}

void ModelGradients::begin(std::int64_t number) {
  OwnCore::of_this_thread().begin();
  data_parallel_.zero_gradients();
  batch_ = replica_.batch(number);
  OwnCore::of_this_thread().go_on();
}

double ModelGradients::forward() {
  loss_ = replica_.loss(batch_);
  const auto loss = loss_.item<double>();
  pace_.end_forward();
  return loss;
}

void ModelGradients::step(double lr) {
  OwnCore::of_this_thread().begin();
  replica_.task().clip_gradients();
  replica_.optimizer().step(lr);
  wait_for_gpu(replica_.device());
  OwnCore::of_this_thread().catch_up();
}

double ModelGradients::loss() {
  const at::NoGradGuard no_grad;
  const ValuesKept buffers_kept{tensors_of(replica_.buffers())};
  OwnCore::of_this_thread().go_on();
  const auto loss = replica_.loss(batch_).item<double>();
  pace_.end_forward();
  return loss;
}

void ModelGradients::compute_alone(std::int64_t number) {
  const ValuesKept buffers_kept{tensors_of(replica_.buffers())};
  data_parallel_.zero_gradients();
  data_parallel_.backward_alone(replica_.loss(replica_.batch(number)));
}

}  // namespace pacbench::trainer
