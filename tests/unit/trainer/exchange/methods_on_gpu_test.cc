// Compares methods whose gradients lie on a GPU with the same methods on the CPU. Skipped where
// there is no GPU.
#include <ATen/Functions.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <future>

#include "tests/unit/trainer/arms.h"
#include "tests/unit/trainer/exchange/thread_ranks.h"
#include "tests/unit/trainer/exchange/trace_of_nan.h"
#include "tests/unit/trainer/gpu_group.h"
#include "tests/unit/trainer/print_method.h"
#include "trainer/exchange/exchange_engine.h"
#include "trainer/methods/method.h"
#include "trainer/rank/device.h"

namespace pacbench::trainer::test::methods_on_gpu_test {
namespace {

const Layout kGpuLayout = layout_of({{4000, 80}, {6000}, {250, 5}});
constexpr int kGpuRanks = 4;  // a power of two: no kernel rounds a division by it

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

/// Exchanges the same gradients on both, 6 times. Expects the same calls, and hands each mean of
/// the CPU and of the GPU to `compare`.
template <typename Compare>
void compare_six_times(ThreadRanks& on_cpu, ThreadRanks& on_gpu, const Compare& compare) {
  for (int iteration = 1; iteration <= 6; ++iteration) {
    const auto gradients = gradients_of(iteration);
    const auto expected = on_cpu.exchange(gradients);
    const auto found = on_gpu.exchange(moved_to(gradients, kGpu));
    for (std::size_t rank = 0; rank < kGpuRanks; ++rank) {
      const auto number = static_cast<int>(rank);
      ASSERT_EQ(on_gpu.issued(number), on_cpu.issued(number)) << "rank " << rank;
      for (std::size_t bucket = 0; bucket < kGpuLayout.size(); ++bucket) {
        SCOPED_TRACE(fmt::format("iteration {}, rank {}, bucket {}", iteration, rank, bucket));
        ASSERT_TRUE(found[rank][bucket].device() == kGpu);
        ASSERT_NO_FATAL_FAILURE(compare(expected[rank][bucket], found[rank][bucket].cpu()));
      }
    }
  }
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
  ThreadRanks on_gpu{gpu_group(kGpuRanks), kGpuLayout, make};
  compare_six_times(on_cpu, on_gpu, [](const at::Tensor& expected, const at::Tensor& found) {
    EXPECT_TRUE(at::equal(found, expected));
  });
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

/// Tests every arm with its gradients on a GPU. Sums over a whole bucket, as norms are, add in
/// another order there, so means may differ a little from those of the CPU.
class EveryArmOnGpu : public ::testing::TestWithParam<Choice> {
 protected:
  static ThreadRanks ranks(const std::vector<std::shared_ptr<Backend>>& group) {
    return ThreadRanks{group, layout(), [] {
                         RunFacts run;
                         run.optimizer.momentum = 0.9;
                         return make_method(GetParam(), run);
                       }};
  }

  /// A matrix, an embedding and vectors.
  static Layout layout() {
    auto layout = kGpuLayout;
    layout[0].slices[0].shape = {80, 50};
    layout[1].slices[0].shape = {600, 10};
    layout[1].slices[0].embedding = true;
    return layout;
  }

 private:
  ::testing::ScopedTrace label_{__FILE__, __LINE__, ::testing::PrintToString(GetParam())};
};

TEST_P(EveryArmOnGpu, MakesTheCallsAndNearlyTheMeansThatItMakesOnTheCpu) {
  auto on_cpu = ranks(make_thread_group(kGpuRanks));
  auto on_gpu = ranks(gpu_group(kGpuRanks));
  double worst = 0;
  int other_bits = 0;
  compare_six_times(on_cpu, on_gpu, [&](const at::Tensor& mean, const at::Tensor& found) {
    const auto distance =
        at::norm(found - mean).item<double>() / (at::norm(mean).item<double>() + 1e-30);
    // Also false for NaN, which std::max would pass over.
    ASSERT_LT(distance, 0.01);
    worst = std::max(worst, distance);
    other_bits += at::equal(found, mean) ? 0 : 1;
  });
  RecordProperty("relative_difference", fmt::format("{:.3g}", worst));
  RecordProperty("means_with_other_bits", other_bits);
}

TEST_P(EveryArmOnGpu, TakesGradientsOfZeros) {
  auto all = ranks(gpu_group(kGpuRanks));
  const auto gradients = moved_to(all.gradients(0, 1), kGpu);
  for (int iteration = 0; iteration < 3; ++iteration) {
    const auto means = all.exchange(gradients);
    for (const auto& mean : means[0]) ASSERT_TRUE(at::isfinite(mean).all().item<bool>());
  }
}

TEST_P(EveryArmOnGpu, HidesNothingThatIsNotFinite) {
  auto all = ranks(gpu_group(kGpuRanks));
  const auto gradients = moved_to(gradients_of(1), kGpu);
  all.exchange(gradients);
  expect_a_trace_of_nan(all, gradients, make_method(GetParam())->leaves_mean());
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EveryArmOnGpu);
INSTANTIATE_TEST_SUITE_P(Arms, EveryArmOnGpu, ::testing::ValuesIn(every_arm_on_gpu()), arm_name);

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
