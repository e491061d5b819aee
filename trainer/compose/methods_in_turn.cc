#include "trainer/compose/methods_in_turn.h"

#include <algorithm>
#include <deque>
#include <stdexcept>
#include <utility>

namespace pacbench::trainer {
namespace {

/// Stores each rank's calls in its iteration, in the member `place`.
void keep(std::vector<RecordedExchange> called, RecordedExchange RecordedIteration::*place,
          std::vector<RecordedIteration>& iterations) {
  for (std::size_t rank = 0; rank < called.size(); ++rank) {
    iterations[rank].*place = std::move(called[rank]);
  }
}

}  // namespace

MethodsInTurn::MethodsInTurn(RanksInTurn& ranks, std::vector<Method*> methods, Layout layout,
                             std::int64_t seed)
    : ranks_{ranks}, methods_{std::move(methods)}, layout_{std::move(layout)}, seed_{seed} {
  ranks_.run([this](int rank, Group& group) { return method(rank).settle(layout_, group); });
}

RandomKey MethodsInTurn::random_of(int rank, const Step& step) const {
  RandomKey random;
  random.seed = seed_;
  random.rank = rank;
  random.iteration = step.number;
  return random;
}

std::vector<RecordedIteration> MethodsInTurn::iterate(const Step& step,
                                                      std::vector<IterationInput>& inputs) {
  std::vector<RecordedIteration> iterations(methods_.size());
  if (method(0).needs_gradients()) exchange_buckets(step, inputs, iterations);
  keep(ranks_.run([this](int rank, Group& group) {
    return method(rank).gradients().finish_iteration(group);
  }),
       &RecordedIteration::beside, iterations);
  step_and_average_weights(step, inputs, iterations);
  return iterations;
}

void MethodsInTurn::exchange_buckets(const Step& step, std::vector<IterationInput>& inputs,
                                     std::vector<RecordedIteration>& iterations) {
  for (const auto& bucket : layout_) {
    std::deque<Bucket> of_ranks;  // a deque, because its elements do not move
    for (int rank = 0; rank < ranks_.size(); ++rank) {
      const auto& gradient = inputs[static_cast<std::size_t>(rank)].gradients.at(
          static_cast<std::size_t>(bucket.index));
      of_ranks.push_back({bucket, gradient, gradient, false, random_of(rank, step), step});
    }
    auto called = ranks_.run([&](int rank, Group& group) {
      return method(rank).gradients().average(of_ranks[static_cast<std::size_t>(rank)], group);
    });
    for (std::size_t rank = 0; rank < called.size(); ++rank) {
      called[rank].trace.elements = bucket.elements;
      iterations[rank].buckets.push_back(std::move(called[rank]));
    }
  }
}

void MethodsInTurn::step_and_average_weights(const Step& step, std::vector<IterationInput>& inputs,
                                             std::vector<RecordedIteration>& iterations) {
  std::vector<OptimizerView> views;
  for (int rank = 0; rank < ranks_.size(); ++rank) {
    auto& input = inputs[static_cast<std::size_t>(rank)];
    auto& losses = iterations[static_cast<std::size_t>(rank)].losses;
    views.push_back({input.parameters, input.parameter_gradients, step,
                     random_of(RandomKey::kShared, step), [&losses] {
                       ++losses;
                       return 0.0;
                     }});
  }
  bool stepped = false;
  keep(ranks_.run([&](int rank, Group& group) -> Task<> {
    auto& view = views[static_cast<std::size_t>(rank)];
    if (co_await method(rank).optimizer_step(view, group)) stepped = true;
  }),
       &RecordedIteration::step, iterations);
  if (stepped)
    throw std::runtime_error{
        "the method makes the optimiser's step itself, which cannot be replayed"};
  keep(ranks_.run([&](int rank, Group& group) {
    return method(rank).step_finished(views[static_cast<std::size_t>(rank)], group);
  }),
       &RecordedIteration::weights, iterations);
}

}  // namespace pacbench::trainer
