#include "trainer/rank/model_gradients.h"

#include <utility>

#include "trainer/collectives/gpu_work.h"
#include "trainer/collectives/own_core.h"

namespace pacbench::trainer {

ModelGradients::ModelGradients(Replica& replica, ExchangeEngine& engine,
                               c10::intrusive_ptr<c10d::ProcessGroup> process_group,
                               const ComputePace& pace)
    : replica_{replica},
      pace_{pace},
      data_parallel_{replica.parameters(), engine, std::move(process_group), pace_} {}

void ModelGradients::warm_up() {
  const BuffersKept buffers_kept{replica_};
  const auto batch = replica_.batch(1);
  data_parallel_.warm_up([&] { return replica_.loss(batch); });
}

void ModelGradients::measure_quiet() {
  constexpr int kIterations = 5;
  const BuffersKept buffers_kept{replica_};
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

void ModelGradients::backward() { data_parallel_.backward(std::exchange(loss_, at::Tensor{})); }

void ModelGradients::step(double lr) {
  OwnCore::of_this_thread().begin();
  replica_.task().clip_gradients();
  replica_.optimizer().step(lr);
  wait_for_gpu(replica_.device());
  OwnCore::of_this_thread().catch_up();
}

double ModelGradients::loss() {
  const at::NoGradGuard no_grad;
  const BuffersKept buffers_kept{replica_};
  OwnCore::of_this_thread().go_on();
  const auto loss = replica_.loss(batch_).item<double>();
  pace_.end_forward();
  return loss;
}

void ModelGradients::compute_alone(std::int64_t number) {
  const BuffersKept buffers_kept{replica_};
  data_parallel_.zero_gradients();
  data_parallel_.backward_alone(replica_.loss(replica_.batch(number)));
}

}  // namespace pacbench::trainer
