// Trains the small cell of every arm with the model and the method on a GPU. There are no such
// tests where there is no GPU.
#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include "tests/unit/trainer/cell/cell.h"
#include "tests/unit/trainer/gpu_group.h"
#include "tests/unit/trainer/print_method.h"

namespace pacbench::trainer::test {
namespace {

class EveryCellOnGpu : public ::testing::TestWithParam<Choice> {};

double last_loss(const Trained& trained) {
  return trained.of_kind("evaluation").back().at("loss").get<double>();
}

/// Ranks compare the bits of their weights after each evaluation, so a cell ends only when all
/// ranks have the same.
TEST_P(EveryCellOnGpu, LearnsNearlyWhatItLearnsOnTheCpu) {
  SCOPED_TRACE(::testing::PrintToString(GetParam()));
  auto spec = small_cell(GetParam());
  // With the cell's learning rate, estimates from losses alone diverge.
  if (GetParam().name == "zeroth-order") spec.workload.optimizer.lr = 0.01;
  const auto expected = last_loss(train_over_threads(spec));
  spec.device = "cuda";
  for (const bool methods_on_gpu : {true, false}) {
    SCOPED_TRACE(methods_on_gpu ? "methods on the GPU" : "methods on the CPU");
    const auto found =
        methods_on_gpu ? train_over(gpu_group(spec.workers), spec) : train_over_threads(spec);
    ASSERT_TRUE(found.weights[0][0].device() == kGpu);
    RecordProperty(methods_on_gpu ? "loss_ratio" : "loss_ratio_host_group",
                   std::to_string(last_loss(found) / expected));
    EXPECT_NEAR(last_loss(found) / expected, 1, 0.05);
  }
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EveryCellOnGpu);
INSTANTIATE_TEST_SUITE_P(Arms, EveryCellOnGpu, ::testing::ValuesIn(every_arm_on_gpu()), arm_name);

}  // namespace
}  // namespace pacbench::trainer::test
