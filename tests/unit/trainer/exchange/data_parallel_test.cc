// c10d's Reducer with our hook, between two ranks over loopback.
#include "trainer/rank/data_parallel.h"

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
constexpr int kIterations = 3;

/// An averager that throws before it returns a coroutine.
class Broken final : public Undeclared {
 public:
  Task<> average(Bucket&, Group&) override { throw std::runtime_error{"no exchange today"}; }
};

/// One rank: a model, its engine, and Reducer with its final buckets.
struct TestRank {
  TestRank(int rank, GlooGroup& group, std::unique_ptr<Method> method)
      : number{rank},
        engine{group.backend(), std::move(method), 1},
        data_parallel{parameters, engine, reducer_group(group.backend()), pace} {
    data_parallel.warm_up([&] { return loss(1); });
    engine.settle(data_parallel.layout());
  }

  static std::shared_ptr<Model> new_model() {
    const Choice mlp{"mlp", {{"hidden", {600, 600}}}};
    return make_model(mlp, dataset_info("digits"), 3);
  }

  at::Tensor loss(Model& of, int rank, int iteration) const {
    const BatchPosition position{1, iteration, rank, kReplicas, 16};
    const auto batch = data->training_batch(position);
    return torch::nn::functional::cross_entropy(of.forward(batch.inputs), batch.labels);
  }
  at::Tensor loss(int iteration) const { return loss(*model, number, iteration); }

  int number;
  std::shared_ptr<const Dataset> data = load_dataset(Choice{"digits", {{"transform", "none"}}}, "");
  std::shared_ptr<Model> model = new_model();
  std::vector<Parameter> parameters = parameters_of(*model);
  ExchangeEngine engine;
  ComputePace pace{1};
  DataParallel data_parallel;
};

/// The mean of all ranks' own gradients, computed without Reducer and network.
std::vector<at::Tensor> reference(const TestRank& rank, int iteration) {
  std::vector<at::Tensor> mean;
  for (int other = 0; other < kReplicas; ++other) {
    const auto model = TestRank::new_model();
    rank.loss(*model, other, iteration).backward();
    for (std::size_t i = 0; i < model->parameters().size(); ++i) {
      const auto share = model->parameters()[i].grad().div(kReplicas);
      other == 0 ? mean.push_back(share) : void(mean[i].add_(share));
    }
  }
  return mean;
}

/// Expects that each gradient is the mean over all ranks.
void expect_means(const TestRank& rank, int iteration) {
  const auto expected = reference(rank, iteration);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE(at::allclose(rank.parameters[i].tensor.grad(), expected[i], 1e-4, 1e-7))
        << rank.parameters[i].name << " in iteration " << iteration;
  }
}

/// Runs `body` for both ranks of a method, each on a thread of its own.
template <typename MakeMethod, typename Body>
void on_both_ranks(const MakeMethod& make, const Body& body) {
  const GlooRanks gloo{kReplicas};
  std::vector<std::future<void>> ranks;
  for (int number = 0; number < kReplicas; ++number) {
    ranks.push_back(std::async(std::launch::async, [&, number] {
      TestRank rank{number, gloo.group(number), make()};
      body(rank);
    }));
  }
  for (auto& rank : ranks) rank.get();
}

std::unique_ptr<Method> all_reduce() { return make_method({"all-reduce", Json::object()}); }

TEST(DataParallel, GradientsAreTheMeanOverRanksAfterTheBucketsWereRebuilt) {
  on_both_ranks(all_reduce, [](TestRank& rank) {
    ASSERT_GT(rank.data_parallel.layout().size(), 1U) << "the test wants several buckets";
    for (int iteration = 1; iteration <= kIterations; ++iteration) {
      rank.engine.begin_iteration({iteration});
      rank.data_parallel.backward(rank.loss(iteration));
      expect_means(rank, iteration);
      rank.engine.finish_iteration();
      rank.data_parallel.zero_gradients();
    }
  });
}

TEST(DataParallel, LayoutHoldsEveryParameterOnceInTheShapeOfItsBucket) {
  on_both_ranks(all_reduce, [](TestRank& rank) {
    std::vector<int> seen(rank.parameters.size(), 0);
    for (const auto& bucket : rank.data_parallel.layout()) {
      std::int64_t elements = 0;
      for (const auto& slice : bucket.slices) {
        const auto parameter = static_cast<std::size_t>(slice.parameter);
        EXPECT_EQ(slice.offset, elements);
        EXPECT_EQ(slice.elements, rank.parameters[parameter].tensor.numel());
        elements += slice.elements;
        ++seen[parameter];
      }
      EXPECT_EQ(bucket.elements, elements);
    }
    EXPECT_EQ(seen, std::vector<int>(rank.parameters.size(), 1));
  });
}

TEST(DataParallel, AFailingExchangeIsThrownByBackwardInsteadOfHangingIt) {
  const auto make = [] { return averaged_by<Broken>(); };
  on_both_ranks(make, [](TestRank& rank) {
    rank.engine.begin_iteration({1});
    const auto loss = rank.loss(1);
    EXPECT_ANY_THROW(rank.data_parallel.backward(loss));
  });
}

TEST(DataParallel, ExchangesAgainAfterABackwardWithoutExchangeFailed) {
  on_both_ranks(all_reduce, [](TestRank& rank) {
    const auto no_scalar = at::zeros({2}, at::TensorOptions{}.requires_grad(true));
    EXPECT_ANY_THROW(rank.data_parallel.backward_alone(no_scalar));
    rank.engine.begin_iteration({1});
    rank.data_parallel.backward(rank.loss(1));
    expect_means(rank, 1);
  });
}

}  // namespace
}  // namespace pacbench::trainer::test::data_parallel_test
