// Gradients from a profile: their buckets, their values and the method that exchanges them.
#include "trainer/compose/profiled_gradients.h"

#include <gmock/gmock.h>
#include <torch/torch.h>

#include <thread>

#include "base/clock.h"
#include "base/files.h"
#include "trainer/collectives/thread_group.h"
#include "trainer/roles/rank_resources.h"

namespace pacbench::trainer {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr int kProfiledRanks = 2;

class ProfiledRanks : public ::testing::Test {
 protected:
  ProfiledRanks() {
    spec_.role = "compose";
    spec_.workers = kProfiledRanks;
    spec_.workload.model = {"mlp", {{"hidden", {20}}}};
    spec_.workload.dataset = {"digits", {{"transform", "none"}}};
    spec_.workload.batch_per_worker = 4;
    spec_.method = {"all-reduce", Json::object()};
    const auto model = make_model(spec_.workload.model, dataset_info("digits"), 1);
    parameters_ = parameters_of(*model);
    Compose compose;
    compose.sample = folder_.path() + "/sample";
    const std::vector<float> values{0.5F, -0.25F, 0.125F, 2, 0, 1, 1, 1};
    write_file_atomically(compose.sample, {reinterpret_cast<const char*>(values.data()),
                                           values.size() * sizeof(float)});
    // Buckets are in reverse order, in which backward makes them ready.
    compose.profile.buckets = {bucket({3, 2}), bucket({1, 0})};
    compose.profile.iterations = {{1, {1, 2}, 1}};
    compose.profile.sample.counts = {2, 2, 3, 1};
    spec_.compose = compose;
  }

  Profile::Bucket bucket(const std::vector<std::size_t>& numbers) const {
    Profile::Bucket made;
    for (const auto number : numbers) {
      made.parameters.push_back(parameters_[number].name);
      made.elements += parameters_[number].tensor.numel();
    }
    return made;
  }

  /// Runs `body` for each rank on a thread of its own.
  void on_ranks(
      const std::function<void(int, ProfiledGradients&, ExchangeEngine&, Replica&)>& body) {
    const auto backends = make_thread_group(kProfiledRanks);
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < kProfiledRanks; ++rank) {
      threads.emplace_back([&, rank] {
        auto spec = spec_;
        spec.rank = rank;
        Replica replica{spec, task_of(spec, load_dataset(spec.workload.dataset, ""))};
        const auto communication =
            communication_over_threads(spec, backends[static_cast<std::size_t>(rank)]);
        ProfiledGradients source{spec, replica, *communication.engine};
        source.warm_up();
        communication.engine->settle(source.layout());
        body(rank, source, *communication.engine, replica);
      });
    }
  }

  TemporaryFolder folder_;
  WorkerSpec spec_;
  std::vector<Parameter> parameters_;
};

at::Tensor gradients_of(const Replica& replica) {
  std::vector<at::Tensor> all;
  for (const auto& each : replica.parameters()) all.push_back(each.tensor.grad().flatten());
  return at::cat(all);
}

TEST_F(ProfiledRanks, ExchangeTheMeanOfWhatEachOfThemDrew) {
  std::vector<at::Tensor> own(kProfiledRanks);
  std::vector<at::Tensor> mean(kProfiledRanks);
  std::vector<std::uint64_t> hashes(kProfiledRanks);
  on_ranks([&](int rank, auto& source, auto& engine, auto& replica) {
    const auto place = static_cast<std::size_t>(rank);
    source.prepare(1);
    own[place] = gradients_of(replica);
    const auto before_ns = monotonic_ns();
    source.begin(1);
    source.forward();
    engine.begin_iteration({1});
    source.backward();
    engine.finish_iteration();
    mean[place] = gradients_of(replica);
    hashes[place] = source.hash();
    const auto trace = engine.trace();
    EXPECT_EQ(trace.size(), 2U);
    EXPECT_GE(trace[1].exchange.start_ns - before_ns, 3'000'000)
        << "1 ms of forward and 2 of backward, and a sleep never ends early";
  });
  EXPECT_FALSE(at::equal(own[0], own[1])) << "each rank draws its own";
  EXPECT_TRUE(at::allclose(mean[0], (own[0] + own[1]) / kProfiledRanks));
  EXPECT_TRUE(at::equal(mean[0], mean[1]));
  EXPECT_EQ(hashes[0], hashes[1]);
}

TEST_F(ProfiledRanks, DrawOtherValuesInEachIterationFromThoseOfEachParameter) {
  on_ranks([&](int rank, auto& source, auto&, auto& replica) {
    if (rank != 0) return;
    source.prepare(1);
    const auto first = gradients_of(replica);
    source.prepare(2);
    EXPECT_FALSE(at::equal(first, gradients_of(replica)));
    source.prepare(1);
    EXPECT_TRUE(at::equal(first, gradients_of(replica))) << "a function of seed and iteration";
    // The last sample is that of the first parameter, whose one value is 1. Draws scale it by 0.9
    // to 1.1.
    const auto drawn = replica.parameters()[0].tensor.grad();
    EXPECT_TRUE(drawn.ge(0.9).logical_and(drawn.le(1.1)).all().template item<bool>());
  });
}

TEST_F(ProfiledRanks, RefuseTheProfileOfAnotherModel) {
  const auto taking = [&](const std::vector<Profile::Bucket>& buckets) {
    return [this, buckets] {
      auto profile = spec_.compose->profile;
      profile.buckets = buckets;
      layout_of(profile, parameters_);
    };
  };
  const auto refuses = [](const char* what) { return ThrowsMessage<ConfigError>(HasSubstr(what)); };
  auto other = bucket({1, 0});
  EXPECT_THAT(taking({other}), refuses("2 of the model's parameters are in no bucket"));
  other.elements += 1;
  EXPECT_THAT(taking({bucket({3, 2}), other}), refuses("/buckets/1/elements"));
  other.parameters[0] = "conv.weight";
  EXPECT_THAT(taking({bucket({3, 2}), other}), refuses("found \"conv.weight\""));
}

TEST_F(ProfiledRanks, RefuseASampleThatIsNotAsLongAsTheProfileSays) {
  EXPECT_THROW(GradientSample(spec_.compose->sample, {2, 2, 3, 2}), ConfigError);
}

TEST(GradientSample, KeepsSmallGradientsWholeAndRunsOfLargeOnes) {
  const auto both = at::arange(100 + 100'000, at::kFloat);
  const GradientSample sample{both.split_with_sizes({100, 100'000})};
  EXPECT_EQ(sample.counts(), (std::vector<std::int64_t>{100, 16384}));
  const auto bytes = sample.bytes();
  ASSERT_EQ(bytes.size(), 4U * (100 + 16384));
  const auto* values = reinterpret_cast<const float*>(bytes.data());
  EXPECT_EQ(values[99], 99);
  EXPECT_EQ(values[101] - values[100], 1) << "neighbours stay neighbours";
  EXPECT_EQ(values[100 + 16383], 100'099) << "up to the last";
}

}  // namespace
}  // namespace pacbench::trainer
