#include "trainer/roles/lone_exchanges.h"

#include <ATen/Functions.h>
#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <stdexcept>

#include "base/clock.h"
#include "trainer/collectives/identical_ranks.h"
#include "trainer/compose/profiled_gradients.h"
#include "trainer/compose/replayed_calls.h"
#include "trainer/compose/settled_exchanges.h"
#include "trainer/roles/communication.h"
#include "trainer/roles/pruning_stage.h"

namespace pacbench::trainer {
namespace {

/// The specification with one worker, so that pruning gives this rank all cores back.
WorkerSpec alone(WorkerSpec spec) {
  spec.workers = 1;
  return spec;
}

/// Replaces zeros in gradients by tiny numbers. In training, a weight whose gradient is zero on one
/// worker mostly has a non-zero gradient on another. Here the rank is alone, and its drawn
/// gradients have their zeros at other places in each iteration. A method that takes its mask from
/// the zeros of the gradients would never settle on a mask.
void without_zeros(const std::vector<at::Tensor>& gradients) {
  for (auto gradient : gradients) gradient.masked_fill_(gradient == 0, 0x1p-126);
}

/// One rank whose buckets are exchanged one after another. Its engine holds the method and shares
/// masks, but exchanges no bucket: an engine lets buckets take turns, so a bucket would wait for
/// another in the middle of its exchange.
class LoneExchanges {
 public:
  LoneExchanges(const WorkerSpec& spec, KnownMasks& known)
      : spec_{spec},
        replica_{spec, task_of(spec)},
        backend_{make_identical_ranks(spec.workers)},
        communication_{communication_over_threads(spec, backend_)},
        source_{spec, replica_, engine()},
        pruning_{alone(spec), replica_, engine(), source_} {
    source_.warm_up();
    prune(known);
  }

  /// Runs an iteration. Returns the traces of the buckets, and last the trace of the calls after
  /// all buckets.
  std::vector<BucketTrace> iterate(std::int64_t number) {
    source_.prepare(number);
    without_zeros(source_.gradients());
    auto& averager = engine().method().gradients();
    RandomKey random;
    random.seed = spec_.seed;
    random.iteration = number;
    std::vector<BucketTrace> traces;
    for (const auto& layout : engine().layout()) {
      const auto& gradient = source_.gradients()[static_cast<std::size_t>(layout.index)];
      Bucket bucket{layout, gradient, gradient, false, random, step_of(number)};
      traces.push_back(traced([&](Group& group) { return averager.average(bucket, group); }));
      traces.back().elements = layout.elements;
    }
    traces.push_back(traced([&](Group& group) { return averager.finish_iteration(group); }));
    return traces;
  }

  const Averager& averager() { return engine().method().gradients(); }

  /// Throws when the method makes the optimiser's step itself.
  void require_step_left() {
    auto parameters = tensors_of(replica_.parameters());
    std::vector<at::Tensor> gradients;
    for (const auto& parameter : parameters) gradients.push_back(parameter.grad());
    OptimizerView view{parameters, gradients, step_of(1)};
    if (!engine().optimizer_step(view)) return;
    throw std::runtime_error{
        fmt::format("method {} makes the optimiser's step itself, which cannot be replayed; "
                    "leave it out of this profile, and run it with compose.exchange \"here\"",
                    spec_.method.name)};
  }

 private:
  /// Runs a coroutine on the executor, with a group of its own, and returns its trace. Throws what
  /// the coroutine throws.
  BucketTrace traced(const std::function<Task<>(Group&)>& body) {
    BucketTrace trace;
    Group group{{executor_, sequencer_}, backend_, 0, trace};
    // The promise is shared, because the executor may still be inside set_value after the wait.
    const auto ended = std::make_shared<std::promise<void>>();
    executor_.post([&, ended] {
      sequencer_.begin(1);
      trace.exchange.start_ns = monotonic_ns();
      start(body(group), [&, ended](std::exception_ptr failure) {
        trace.exchange.end_ns = monotonic_ns();
        sequencer_.finish(0);
        failure ? ended->set_exception(failure) : ended->set_value();
      });
    });
    ended->get_future().get();
    return trace;
  }

  ExchangeEngine& engine() { return *communication_.engine; }

  Step step_of(std::int64_t number) const {
    return {number, spec_.workload.optimizer.lr, spec_.workload.optimizer.lr};
  }

  /// Makes all pruning steps at once, since most of a training comes after the last one, or takes
  /// the masks that `known` has for the same plan.
  void prune(KnownMasks& known) {
    const auto& plan = pruning_.plan();
    if (!plan) return pruning_.step();
    const auto found = std::find_if(known.begin(), known.end(),
                                    [&](const auto& entry) { return entry.first == *plan; });
    if (found != known.end()) return pruning_.take(found->second);
    for (std::int64_t iteration = 0; iteration <= plan->steps * plan->every; ++iteration) {
      if (pruning_.due(iteration)) pruning_.step();
    }
    known.emplace_back(*plan, pruning_.masks());
  }

  WorkerSpec spec_;
  Replica replica_;
  std::shared_ptr<Backend> backend_;
  Communication communication_;
  ProfiledGradients source_;
  PruningStage pruning_;
  Sequencer sequencer_;
  Executor executor_;  ///< declared last: its thread ends before what it uses
};

void require_replayable(const std::vector<BucketTrace>& iteration, const WorkerSpec& spec) {
  for (const auto& bucket : iteration) {
    for (const auto& call : bucket.collectives) {
      const MethodExchanges::Step step{0, call.op, call.dtype, call.elements, call.payload_bytes};
      const auto plan = plan_of(step, 0, spec.workers);
      if (plan.payload_bytes == call.payload_bytes &&
          sent_bytes(plan, 0, spec.workers) == call.sent_bytes) {
        continue;
      }
      throw std::runtime_error{fmt::format(
          "method {} calls {} with a payload of {} bytes and sends {} bytes; if its {} ranks were "
          "alike, the call would have a payload of {} bytes and send {}. "
          "Recording::ranks_are_alike must be false for this method",
          spec.method.name, call.op, call.payload_bytes, call.sent_bytes, spec.workers,
          plan.payload_bytes, sent_bytes(plan, 0, spec.workers))};
    }
  }
}

}  // namespace

MethodExchanges exchanges_of_lone_rank(const WorkerSpec& spec, KnownMasks& known) {
  LoneExchanges rank{spec, known};
  std::vector<std::vector<BucketTrace>> iterations;
  const auto deciding = rank.averager().recording().iterations_to_decide;
  for (std::int64_t number = 1; number <= deciding; ++number) rank.iterate(number);
  const auto first = rank.averager().recording().iterations_to_settle + 1;
  for (auto number = first; number < first + spec.compose->iterations; ++number) {
    iterations.push_back(rank.iterate(number));
    require_replayable(iterations.back(), spec);
  }
  rank.require_step_left();
  return settled_exchanges(iterations);
}

}  // namespace pacbench::trainer
