// Compares methods whose gradients lie on a GPU with the same methods on the CPU. Skipped where
// there is no GPU.
#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <future>

#include "tests/unit/trainer/exchange/thread_ranks.h"
#include "tests/unit/trainer/print_method.h"
#include "trainer/exchange/gradient_hand_over.h"
#include "trainer/methods/with_defaults.h"
#include "trainer/rank/device.h"

namespace pacbench::trainer::test::methods_on_gpu_test {
namespace {

const Layout kGpuLayout = layout_of({{4000, 80}, {6000}, {250, 5}});
const c10::Device kGpu{c10::kCUDA, 0};
constexpr int kGpuRanks = 4;  // a power of two: no kernel rounds a division by it

/// A backend of threads that behaves like a backend of a GPU's memory.
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

std::vector<std::shared_ptr<Backend>> gpu_group() {
  std::vector<std::shared_ptr<Backend>> group;
  for (auto& threads : make_thread_group(kGpuRanks)) {
    group.push_back(std::make_shared<OfGpuMemory>(threads));
  }
  return group;
}

/// Gradients without equal magnitudes, so that top-k has no ties.
Gradients gradients_of(int iteration) {
  Gradients gradients;
  for (int rank = 0; rank < kGpuRanks; ++rank) {
    gradients.emplace_back();
    for (const auto& bucket : kGpuLayout) {
      const auto i = at::arange(bucket.elements, at::kDouble);
      const auto phase = i * (0.37 + 0.11 * rank) + iteration + bucket.index;
      gradients.back().push_back(at::sin(phase).mul(1 + 0.001 * rank).to(at::kFloat));
      // Some entries are always zero, for masks to find.
      gradients.back().back().narrow(0, 8, 40).zero_();
    }
  }
  return gradients;
}

Gradients moved_to(const Gradients& gradients, c10::Device device) {
  auto moved = gradients;
  for (auto& rank : moved) {
    for (auto& bucket : rank) bucket = bucket.to(device);
  }
  return moved;
}

class OnGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const auto here = devices(); here.gpus.empty()) GTEST_SKIP() << here.no_gpus;
  }
};

class MethodsOnGpu : public OnGpu, public ::testing::WithParamInterface<Choice> {};

TEST_P(MethodsOnGpu, GiveTheBitsThatTheyGiveOnTheCpu) {
  const auto make = [] { return make_method(GetParam()); };
  ThreadRanks on_cpu{kGpuRanks, kGpuLayout, make};
  ThreadRanks on_gpu{gpu_group(), kGpuLayout, make};
  for (int iteration = 1; iteration <= 6; ++iteration) {
    const auto gradients = gradients_of(iteration);
    const auto expected = on_cpu.exchange(gradients);
    const auto found = on_gpu.exchange(moved_to(gradients, kGpu));
    for (int rank = 0; rank < kGpuRanks; ++rank) {
      const auto place = static_cast<std::size_t>(rank);
      EXPECT_EQ(on_gpu.issued(rank), on_cpu.issued(rank));
      for (std::size_t bucket = 0; bucket < kGpuLayout.size(); ++bucket) {
        EXPECT_TRUE(found[place][bucket].device() == kGpu);
        EXPECT_TRUE(at::equal(found[place][bucket].cpu(), expected[place][bucket]))
            << "iteration " << iteration << ", rank " << rank << ", bucket " << bucket;
      }
    }
  }
}

Choice pactrain(Json options) {
  options["stable_after"] = 2;
  options["check_every"] = 2;
  return with_preset("pactrain", "paper", options);
}

INSTANTIATE_TEST_SUITE_P(
    All, MethodsOnGpu,
    ::testing::Values(
        choice("all-reduce"), choice("fp16", {{"sum", "ring"}}),
        choice("bf16", {{"sum", "direct"}}), choice("topk", {{"ratio", 0.1}}),
        pactrain(Json::object()), pactrain({{"quantize", "fp16"}, {"error_feedback", true}}),
        pactrain({{"quantize", "ternary"}, {"encoding", "lanes"}}),
        pactrain({{"quantize", "4-bit"}, {"encoding", "all-to-all"}, {"error_feedback", true}}),
        with_preset("terngrad", "paper", {{"scale_from", "last"}})));

/// One rank over a group of the host, with gradients of the GPU.
TEST_F(OnGpu, MethodsOverAGroupOfTheHostGetTheirGradientsFromTheGpuAndGiveThemBack) {
  ExchangeEngine engine{make_thread_group(1).front(), make_method(choice("all-reduce")), 1};
  engine.take_gradients_from(kGpu);
  engine.settle(layout_of({{1000}}));
  engine.begin_iteration({1});
  GradientHandOver hand_over{engine};
  const auto gradient = at::arange(1000, at::TensorOptions{kGpu}.dtype(at::kFloat)).mul_(2);
  std::promise<void> ended;
  hand_over.start(0, gradient, [&](std::exception_ptr failure) {
    failure ? ended.set_exception(failure) : ended.set_value();
  });
  ended.get_future().get();
  EXPECT_TRUE(at::equal(gradient.cpu(), at::arange(1000, at::kFloat).mul(2)));
  EXPECT_GT(hand_over.last_ready_ns(), 0);
}

TEST(NcclModule, TellsItsVersionOrWhatItLacks) {
  const auto here = devices();
  EXPECT_TRUE(here.nccl_version.starts_with("2.28.") ||
              here.no_nccl.find("libpacbench_nccl.so") != std::string::npos)
      << here.nccl_version << here.no_nccl;
}

}  // namespace
}  // namespace pacbench::trainer::test::methods_on_gpu_test
