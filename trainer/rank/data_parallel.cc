#include "trainer/rank/data_parallel.h"

#include <c10/core/AutogradState.h>

#include <algorithm>
#include <limits>
#include <torch/csrc/distributed/c10d/comm.hpp>
#include <unordered_map>

#include "trainer/collectives/gpu_work.h"
#include "trainer/rank/replica.h"

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

/// Makes backward run on the thread that calls it. By default a process has one backward thread for
/// a GPU, on which the first rank's wait for its means would keep the other ranks from starting
/// their backward.
class BackwardHere {
 public:
  BackwardHere() { state().set_multithreading_enabled(false); }
  BackwardHere(const BackwardHere&) = delete;
  BackwardHere& operator=(const BackwardHere&) = delete;
  ~BackwardHere() { state().set_multithreading_enabled(before_); }

 private:
  static c10::AutogradState& state() { return c10::AutogradState::get_tls_state(); }
  bool before_ = state().get_multithreading_enabled();
};

/// Keeps a flag true as long as the object lives.
class HeldTrue {
 public:
  explicit HeldTrue(bool& flag) : flag_{flag} { flag_ = true; }
  HeldTrue(const HeldTrue&) = delete;
  HeldTrue& operator=(const HeldTrue&) = delete;
  ~HeldTrue() { flag_ = false; }

 private:
  bool& flag_;
};

}  // namespace

/// Hands buckets to the engine. Runs on the thread of backward, with Reducer's mutex held. So it
/// waits only in slow_down(), and calls nothing of Reducer.
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
    owner_.slow_down(buffer.device());
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
  std::unordered_map<const c10::TensorImpl*, int> numbers;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    numbers[parameters_[i].tensor.unsafeGetTensorImpl()] = static_cast<int>(i);
  }
  Layout layout;
  for (const auto& bucket : reducer_->get_grad_buckets(/*return_zero_tensors=*/true)) {
    BucketLayout described;
    described.index = static_cast<int>(bucket.getIndex());
    for (const auto& tensor : bucket.getParameters()) {
      const int number = numbers.at(tensor.unsafeGetTensorImpl());
      const auto& parameter = parameters_[static_cast<std::size_t>(number)];
      described.slices.push_back({number,
                                  parameter.name,
                                  tensor.sizes().vec(),
                                  described.elements,
                                  tensor.numel(),
                                  {},
                                  parameter.embedding,
                                  parameter.prunable});
      described.elements += tensor.numel();
    }
    layout.push_back(std::move(described));
  }
  return layout;
}

void DataParallel::backward(const at::Tensor& loss) {
  reducer_->prepare_for_forward();
  reducer_->prepare_for_backward({});
  const BackwardHere on_this_thread;
  loss.backward();
}

void DataParallel::backward_alone(const at::Tensor& loss) {
  const HeldTrue alone{alone_};
  backward(loss);
}

/// Waits until the bucket has taken as long as on a slower rank's hardware, or on a core of its
/// own. A slower rank waits for the GPU first, since queued work may not have run yet.
void DataParallel::slow_down(c10::Device device) {
  if (pace_.slows()) wait_for_gpu(device);
  pace_.end_piece();
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

}  // namespace pacbench::trainer
