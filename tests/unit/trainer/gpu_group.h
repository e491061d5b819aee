#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

#include "tests/unit/trainer/arms.h"
#include "trainer/collectives/thread_group.h"
#include "trainer/rank/device.h"

namespace pacbench::trainer::test {

inline const c10::Device kGpu{c10::kCUDA, 0};

/// A backend over threads that takes tensors in a GPU's memory. It exchanges copies on the host and
/// writes the results to the GPU.
class OfGpuMemory final : public Backend {
 public:
  explicit OfGpuMemory(std::shared_ptr<Backend> threads) : threads_{std::move(threads)} {}

  int rank() const override { return threads_->rank(); }
  int size() const override { return threads_->size(); }
  c10::Device device() const override { return kGpu; }

  void start(const Collective& call, Completion done) override {
    auto on_host = call;
    if (call.input.defined()) on_host.input = call.input.cpu().clone();
    if (call.output.defined()) on_host.output = call.output.cpu().clone();
    threads_->start(on_host, [call, on_host, done](std::exception_ptr failure) {
      if (!failure && call.output.defined()) at::Tensor{call.output}.copy_(on_host.output);
      if (!failure && !call.output.defined() && call.input.defined()) {
        at::Tensor{call.input}.copy_(on_host.input);
      }
      done(failure);
    });
  }

  void abort(std::exception_ptr reason) override { threads_->abort(std::move(reason)); }
  std::shared_ptr<Backend> sub_group(const std::vector<int>& ranks) override {
    return std::make_shared<OfGpuMemory>(threads_->sub_group(ranks));
  }

 private:
  std::shared_ptr<Backend> threads_;
};

/// The backends of a group of `ranks` threads, whose tensors are in a GPU's memory.
inline std::vector<std::shared_ptr<Backend>> gpu_group(int ranks) {
  std::vector<std::shared_ptr<Backend>> group;
  for (auto& threads : make_thread_group(ranks)) {
    group.push_back(std::make_shared<OfGpuMemory>(threads));
  }
  return group;
}

/// Every arm where there is a GPU, and none elsewhere: hundreds of skipped tests would hide others.
inline std::vector<Choice> every_arm_on_gpu() {
  return devices().gpus.empty() ? std::vector<Choice>{} : every_arm();
}

}  // namespace pacbench::trainer::test
