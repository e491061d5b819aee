#include "trainer/roles/all_ranks_exchanges.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <vector>

#include "trainer/compose/methods_in_turn.h"
#include "trainer/compose/profiled_gradients.h"
#include "trainer/compose/settled_exchanges.h"
#include "trainer/roles/communication.h"

namespace pacbench::trainer {
namespace {

WorkerSpec of_rank(WorkerSpec spec, int rank) {
  spec.rank = rank;
  return spec;
}

/// A rank's weights, gradients and method.
class OneRank {
 public:
  OneRank(const WorkerSpec& spec, const std::shared_ptr<Backend>& backend)
      : replica_{spec, task_of(spec)},
        communication_{communication_over_threads(spec, backend)},
        source_{spec, replica_, *communication_.engine} {
    source_.warm_up();
    method().begin(tensors_of(replica_.parameters()));
  }

  Method& method() { return communication_.engine->method(); }
  Layout layout() const { return source_.layout(); }

  IterationInput input_of(std::int64_t number) {
    source_.prepare(number);
    IterationInput input{source_.gradients(), tensors_of(replica_.parameters()), {}};
    for (const auto& parameter : input.parameters) {
      input.parameter_gradients.push_back(parameter.grad());
    }
    return input;
  }

 private:
  Replica replica_;
  Communication communication_;
  ProfiledGradients source_;
};

class AllRanks {
 public:
  explicit AllRanks(const WorkerSpec& spec) : spec_{spec}, turns_{spec.workers} {
    for (int rank = 0; rank < spec.workers; ++rank) {
      ranks_.push_back(std::make_unique<OneRank>(of_rank(spec, rank), turns_.backend(rank)));
    }
    if (!method().pruning()) return;
    throw std::runtime_error{
        fmt::format("method {} prunes weights and can only be profiled with all its ranks at once; "
                    "such a profile makes no masks; leave the method out of this profile, and run "
                    "it with compose.exchange \"here\"",
                    spec.method.name)};
  }

  Method& method() { return ranks_.front()->method(); }

  /// Runs the `count` iterations from `first` on, and returns for each what every rank called.
  /// First runs the iterations in which the method decides (Recording::iterations_to_decide).
  std::vector<std::vector<RecordedIteration>> iterate(std::int64_t first, std::int64_t count) {
    std::vector<Method*> methods;
    for (const auto& rank : ranks_) methods.push_back(&rank->method());
    MethodsInTurn all{turns_, methods, ranks_.front()->layout(), spec_.seed};
    std::vector<std::vector<RecordedIteration>> iterations;
    const auto deciding = method().recording().iterations_to_decide;
    for (std::int64_t number = 1; number <= deciding; ++number) iterate_once(all, number);
    for (auto number = first; number < first + count; ++number) {
      iterations.push_back(iterate_once(all, number));
    }
    return iterations;
  }

 private:
  std::vector<RecordedIteration> iterate_once(MethodsInTurn& all, std::int64_t number) {
    std::vector<IterationInput> inputs;
    for (const auto& rank : ranks_) inputs.push_back(rank->input_of(number));
    const auto lr = spec_.workload.optimizer.lr;
    return all.iterate({number, lr, lr}, inputs);
  }

  WorkerSpec spec_;
  RanksInTurn turns_;
  std::vector<std::unique_ptr<OneRank>> ranks_;
};

std::int64_t rounded_up(std::int64_t number, std::int64_t period) {
  return (number + period - 1) / period * period;
}

}  // namespace

MethodExchanges exchanges_of_all_ranks(const WorkerSpec& spec) {
  AllRanks ranks{spec};
  const auto period = ranks.method().recording().period;
  // settled_exchanges_of_ranks() skips the first half.
  const auto count = 2 * rounded_up((spec.compose->iterations + 1) / 2, period);
  const auto first = ranks.method().recording().iterations_to_settle + 1;
  return settled_exchanges_of_ranks(ranks.iterate(first, count), period);
}

}  // namespace pacbench::trainer
