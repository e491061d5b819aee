#include "trainer/rank/model_gradients.h"

#include <utility>

#include "trainer/collectives/gpu_work.h"

namespace pacbench::trainer {

ModelGradients::ModelGradients(Replica& replica, ExchangeEngine& engine,
                               c10::intrusive_ptr<c10d::ProcessGroup> process_group,
                               double compute_factor)
    : replica_{replica},
      compute_{compute_factor},
      data_parallel_{replica.parameters(), engine, std::move(process_group), compute_} {}

void ModelGradients::warm_up() {
  const BuffersKept buffers_kept{replica_.model()};
  const auto batch = replica_.batch(1);
  data_parallel_.warm_up([&] { return replica_.loss(batch); });
}

void ModelGradients::begin(std::int64_t number) {
  data_parallel_.zero_gradients();
  batch_ = replica_.batch(number);
}

double ModelGradients::forward() {
  compute_.start();
  loss_ = replica_.loss(batch_);
  const auto loss = loss_.item<double>();
  compute_.wait();
  return loss;
}

void ModelGradients::backward() { data_parallel_.backward(std::exchange(loss_, at::Tensor{})); }

void ModelGradients::step(double lr) {
  replica_.optimizer().step(lr);
  wait_for_gpu(replica_.device());
}

double ModelGradients::loss() {
  const at::NoGradGuard no_grad;
  const BuffersKept buffers_kept{replica_.model()};
  compute_.start();
  const auto loss = replica_.loss(batch_).item<double>();
  compute_.wait();
  return loss;
}

void ModelGradients::compute_alone(std::int64_t number) {
  const BuffersKept buffers_kept{replica_.model()};
  data_parallel_.zero_gradients();
  data_parallel_.backward_alone(replica_.loss(replica_.batch(number)));
}

}  // namespace pacbench::trainer
