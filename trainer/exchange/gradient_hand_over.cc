#include "trainer/exchange/gradient_hand_over.h"

#include <utility>

#include "base/clock.h"
#include "trainer/collectives/gpu_work.h"

namespace pacbench::trainer {

void GradientHandOver::start(int bucket, const at::Tensor& gradient, ExchangeEngine::Ended ended) {
  const auto device = gradient.device();
  if (device.is_cpu()) {
    last_ready_ns_ = emulated_ns();
    return engine_.exchange(bucket, gradient, std::move(ended));
  }
  if (!waiting_) {
    waiting_.emplace();
    waiting_->post([device] { take_own_stream(device); });
  }
  waiting_->post([this, bucket, gradient, moment = GpuMoment{device}, ended = std::move(ended)] {
    try {
      moment.wait();
      last_ready_ns_ = emulated_ns();
      exchange(bucket, gradient, ended);
    } catch (...) {
      ended(std::current_exception());
    }
  });
}

void GradientHandOver::exchange(int bucket, const at::Tensor& gradient,
                                ExchangeEngine::Ended ended) {
  if (gradient.device() == engine_.device()) {
    return engine_.exchange(bucket, gradient, std::move(ended));
  }
  const auto sent = gradient.to(engine_.device());
  engine_.exchange(bucket, sent,
                   [gradient, sent, ended = std::move(ended)](std::exception_ptr failure) {
                     if (!failure) gradient.copy_(sent);
                     ended(failure);
                   });
}

}  // namespace pacbench::trainer
