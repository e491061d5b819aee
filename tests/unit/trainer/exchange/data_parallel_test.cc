// c10d's Reducer with our hook, between two ranks over loopback, where something failed.
// AgainstPyTorch compares trainings without failures, also with several buckets and with methods
// that need each parameter's place in them.
#include "trainer/rank/model_gradients.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <future>

#include "tests/unit/trainer/averaged_by.h"
#include "tests/unit/trainer/exchange/gloo_ranks.h"
#include "trainer/collectives/reducer_group.h"
#include "trainer/data/dataset.h"

namespace pacbench::trainer::test::data_parallel_test {
namespace {

constexpr int kReplicas = 2;

/// An averager that throws before it returns a coroutine.
class Broken final : public Undeclared {
 public:
  Task<> average(Bucket&, Group&) override { throw std::runtime_error{"no exchange today"}; }
};

/// One rank: a model, its engine, and Reducer with its final buckets.
struct TestRank {
  TestRank(int rank, const std::shared_ptr<Backend>& backend, std::unique_ptr<Method> method)
      : number{rank},
        engine{backend, std::move(method), 1},
        data_parallel{parameters, engine, reducer_group(backend), pace} {
    data_parallel.warm_up([&] { return loss(*model, number); });
    engine.settle(data_parallel.layout());
  }

  static std::shared_ptr<Model> new_model() {
    const Choice mlp{"mlp", {{"hidden", {600, 600}}}};
    return make_model(mlp, dataset_info("digits"), 3);
  }

  at::Tensor loss(Model& of, int rank) const {
    const BatchPosition position{1, 1, rank, kReplicas, 16};
    const auto batch = data->training_batch(position);
    return torch::nn::functional::cross_entropy(of.forward(batch.inputs), batch.labels);
  }

  int number;
  std::shared_ptr<const Dataset> data = load_dataset(Choice{"digits", {{"transform", "none"}}}, "");
  std::shared_ptr<Model> model = new_model();
  std::vector<Parameter> parameters = parameters_of(*model);
  ExchangeEngine engine;
  ComputePace pace{1};
  DataParallel data_parallel;
};

/// Runs `body` for both ranks of a method, each on a thread of its own.
template <typename MakeMethod, typename Body>
void on_both_ranks(const MakeMethod& make, const Body& body) {
  const GlooRanks gloo{kReplicas};
  std::vector<std::future<void>> ranks;
  for (int number = 0; number < kReplicas; ++number) {
    ranks.push_back(std::async(std::launch::async, [&, number] {
      TestRank rank{number, gloo.backend(number), make()};
      body(rank);
    }));
  }
  for (auto& rank : ranks) rank.get();
}

TEST(DataParallel, AFailingExchangeIsThrownByBackwardInsteadOfHangingIt) {
  const auto make = [] { return averaged_by<Broken>(); };
  on_both_ranks(make, [](TestRank& rank) {
    rank.engine.begin_iteration({1});
    const auto loss = rank.loss(*rank.model, rank.number);
    EXPECT_ANY_THROW(rank.data_parallel.backward(loss));
  });
}

TEST(DataParallel, ExchangesAgainAfterABackwardWithoutExchangeFailed) {
  const auto make = [] { return make_method({"all-reduce", Json::object()}); };
  on_both_ranks(make, [](TestRank& rank) {
    const auto no_scalar = at::zeros({2}, at::TensorOptions{}.requires_grad(true));
    EXPECT_ANY_THROW(rank.data_parallel.backward_alone(no_scalar));
    rank.engine.begin_iteration({1});
    rank.data_parallel.backward(rank.loss(*rank.model, rank.number));
    // The mean of both ranks' own gradients, without Reducer and network.
    const auto model = TestRank::new_model();
    for (const int other : {0, 1}) (rank.loss(*model, other) / kReplicas).backward();
    for (std::size_t i = 0; i < rank.parameters.size(); ++i) {
      const auto& [name, tensor, prunable, embedding] = rank.parameters[i];
      EXPECT_TRUE(at::allclose(tensor.grad(), model->parameters()[i].grad(), 1e-4, 1e-7)) << name;
    }
  });
}

}  // namespace
}  // namespace pacbench::trainer::test::data_parallel_test
