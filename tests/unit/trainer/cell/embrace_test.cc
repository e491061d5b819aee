// EmbRace in a training of a model that has an embedding.
#include <gtest/gtest.h>

#include "tests/unit/trainer/cell/cell.h"

namespace pacbench::trainer::test {
namespace {

WorkerSpec small_gpt(const Choice& method) {
  auto spec = small_cell(method, 3);
  spec.workload.model = {"char-gpt", {{"layers", 1}, {"width", 64}}};
  spec.workload.dataset = {"tinyshakespeare", Json::object()};
  spec.workload.batch_per_worker = 1;
  spec.workload.optimizer.lr = 0.01;
  spec.workload.max_iterations = 3;
  spec.workload.evaluate_every = 3;
  spec.workload.evaluate_samples = 2;
  return spec;
}

TEST(EmbRace, TrainsAsAllReduceDoesAndExchangesTheEmbeddingByRows) {
  const auto found = train_over_threads(small_gpt(with_defaults("embrace")));
  const auto expected = train_over_threads(small_gpt(with_defaults("all-reduce")));
  for (std::size_t i = 0; i < expected.weights[0].size(); ++i) {
    EXPECT_TRUE(at::allclose(found.weights[0][i], expected.weights[0][i], 1e-3, 1e-5)) << i;
  }
  for (const auto& event : found.of_kind("iteration")) {
    int by_rows = 0;
    for (const auto& bucket : event.at("buckets")) {
      for (const auto& call : bucket.at("collectives")) by_rows += call.at("op") == "all_to_all";
    }
    EXPECT_EQ(by_rows, 2) << "there and back, of the one table";
  }
}

}  // namespace
}  // namespace pacbench::trainer::test
