#include "trainer/roles/tasks.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>

#include "base/clock.h"
#include "contract/catalogue/choice_json.h"
#include "contract/catalogue/method_exchanges.h"
#include "contract/scenario/mode.h"
#include "trainer/collectives/identical_ranks.h"
#include "trainer/compose/profiled_gradients.h"
#include "trainer/compose/replayed_exchanges.h"
#include "trainer/compose/settled_exchanges.h"
#include "trainer/methods/method.h"
#include "trainer/rank/compute_threads.h"
#include "trainer/roles/pruning_stage.h"
#include "trainer/roles/rank_resources.h"

namespace pacbench::trainer {
namespace {

/// The masks of pruning plans, kept because choosing masks may take longer than everything else.
using KnownMasks = std::vector<std::pair<PruningPlan, WeightMasks>>;

/// A rank with its weights and its method, whose gradients are drawn from the profile's sample.
struct DrawnRank {
  DrawnRank(const WorkerSpec& spec, const std::shared_ptr<Backend>& backend)
      : replica{spec, task_of(spec)},
        communication{communication_over_threads(spec, backend)},
        source{spec, replica, engine()} {
    source.warm_up();
  }

  ExchangeEngine& engine() { return *communication.engine; }
  Method& method() { return engine().method(); }

  IterationInput input() const {
    IterationInput input{source.gradients(), tensors_of(replica.parameters()), {}};
    for (const auto& parameter : input.parameters) {
      input.parameter_gradients.push_back(parameter.grad());
    }
    return input;
  }

  Replica replica;
  Communication communication;
  ProfiledGradients source;
};

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
        backend_{make_identical_ranks(spec.workers)},
        rank_{spec, backend_},
        pruning_{alone(spec), rank_.replica, rank_.engine(), rank_.source} {
    prune(known);
  }

  /// Runs an iteration. Returns the traces of the buckets, and last the trace of the calls after
  /// all buckets.
  std::vector<BucketTrace> iterate(std::int64_t number) {
    rank_.source.prepare(number);
    without_zeros(rank_.source.gradients());
    auto& averager = rank_.method().gradients();
    const RandomKey random{.seed = spec_.seed, .iteration = number};
    std::vector<BucketTrace> traces;
    for (const auto& layout : rank_.engine().layout()) {
      const auto& gradient = rank_.source.gradients()[static_cast<std::size_t>(layout.index)];
      Bucket bucket{layout, gradient, gradient, false, random, step_of(number)};
      traces.push_back(traced([&](Group& group) { return averager.average(bucket, group); }));
      traces.back().elements = layout.elements;
    }
    traces.push_back(traced([&](Group& group) { return averager.finish_iteration(group); }));
    return traces;
  }

  Recording recording() { return rank_.method().gradients().recording(); }

  void require_step_left() {
    auto input = rank_.input();
    OptimizerView view{input.parameters, input.parameter_gradients, step_of(1)};
    if (!rank_.engine().optimizer_step(view)) return;
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
    const Ending ended;
    executor_.post([&, ended] {
      sequencer_.begin(1);
      trace.exchange.start_ns = monotonic_ns();
      start(body(group), [&, ended](std::exception_ptr failure) {
        trace.exchange.end_ns = monotonic_ns();
        sequencer_.finish(0);
        ended(failure);
      });
    });
    ended.future().get();
    return trace;
  }

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
  std::shared_ptr<Backend> backend_;
  DrawnRank rank_;
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

std::int64_t rounded_up(std::int64_t number, std::int64_t period) {
  return (number + period - 1) / period * period;
}

/// Returns the recorded exchanges of a method whose ranks all make the same calls, and only for
/// gradients. Rank 0 runs one bucket after another. The other ranks are simulated with its data
/// (collectives/identical_ranks.h). Throws what the method throws. Throws std::runtime_error for
/// calls that equal ranks would not make, with unequal parts or a root other than rank 0, and for a
/// method that makes the optimiser's step itself.
MethodExchanges exchanges_of_lone_rank(const WorkerSpec& spec, KnownMasks& known) {
  LoneExchanges rank{spec, known};
  std::vector<std::vector<BucketTrace>> iterations;
  const auto deciding = rank.recording().iterations_to_decide;
  for (std::int64_t number = 1; number <= deciding; ++number) rank.iterate(number);
  const auto first = rank.recording().iterations_to_settle + 1;
  for (auto number = first; number < first + spec.compose->iterations; ++number) {
    iterations.push_back(rank.iterate(number));
    require_replayable(iterations.back(), spec);
  }
  rank.require_step_left();
  return settled_exchanges(iterations);
}

/// Returns the recorded exchanges of a method whose ranks make different calls, whose calls repeat
/// only after several iterations, or which exchanges something other than gradients. All ranks run
/// in this process, one after another, with gradients of their own (compose/ranks_in_turn.h).
/// Iterations before the method's calls repeat are left out. Throws what the method throws, and
/// std::runtime_error for a method with a pruning plan, since this function makes no masks.
MethodExchanges exchanges_of_all_ranks(const WorkerSpec& spec) {
  RanksInTurn turns{spec.workers};
  std::deque<DrawnRank> ranks;
  std::vector<Method*> methods;
  auto own = spec;
  for (own.rank = 0; own.rank < spec.workers; ++own.rank) {
    auto& rank = ranks.emplace_back(own, turns.backend(own.rank));
    methods.push_back(&rank.method());
    rank.method().begin(tensors_of(rank.replica.parameters()));
  }
  const auto& method = *methods.front();
  if (method.pruning()) {
    throw std::runtime_error{
        fmt::format("method {} prunes weights and can only be profiled with all its ranks at once; "
                    "such a profile makes no masks; leave the method out of this profile, and run "
                    "it with compose.exchange \"here\"",
                    spec.method.name)};
  }
  const auto period = method.recording().period;
  const auto first = method.recording().iterations_to_settle + 1;
  // settled_exchanges_of_ranks() skips the first half.
  const auto count = 2 * rounded_up((spec.compose->iterations + 1) / 2, period);
  MethodsInTurn all{turns, methods, ranks.front().source.layout(), spec.seed};
  const auto iterate = [&](std::int64_t number) {
    std::vector<IterationInput> inputs;
    for (auto& rank : ranks) {
      rank.source.prepare(number);
      inputs.push_back(rank.input());
    }
    const auto lr = spec.workload.optimizer.lr;
    return all.iterate({number, lr, lr}, inputs);
  };
  const auto deciding = method.recording().iterations_to_decide;
  for (std::int64_t number = 1; number <= deciding; ++number) iterate(number);
  std::vector<std::vector<RecordedIteration>> iterations;
  for (auto number = first; number < first + count; ++number) {
    iterations.push_back(iterate(number));
  }
  return settled_exchanges_of_ranks(iterations, period);
}

/// The speed of a copy in memory in GB/s, bytes read and bytes written together: the median of nine
/// copies of 128 MiB, more than most caches hold.
double copy_gb_per_s() {
  const auto from = at::ones({1 << 25});
  auto to = at::ones_like(from);
  std::vector<std::int64_t> times_ns;
  for (int i = 0; i < 9; ++i) {
    const auto start_ns = monotonic_ns();
    to.copy_(from);
    times_ns.push_back(monotonic_ns() - start_ns);
  }
  std::nth_element(times_ns.begin(), times_ns.begin() + 4, times_ns.end());
  return 2 * static_cast<double>(from.nbytes()) / static_cast<double>(times_ns[4]);
}

/// Throws when a bucket's exchange waits for later buckets. It would never end where buckets run
/// one after another.
void require_buckets_end_alone(const WorkerSpec& spec, const Method& method) {
  if (method.recording().ends_alone) return;
  throw std::runtime_error{
      fmt::format("method {} averages several buckets together, which cannot be replayed; leave "
                  "it out of this profile, and run it with compose.exchange \"here\"",
                  spec.method.name)};
}

/// Throws when there are too many ranks to run in this process, each with its own weights and
/// gradients.
void require_room_for_all_ranks(const WorkerSpec& spec) {
  if (spec.workers <= kMostWorkers) return;
  throw std::runtime_error{fmt::format(
      "method {} makes different calls on different ranks or in different iterations, or exchanges "
      "something other than gradients, so all {} ranks would have to run here, but at most {} can; "
      "leave the method out of this profile",
      spec.method.name, spec.workers, kMostWorkers)};
}

MethodExchanges profiled(const WorkerSpec& spec, KnownMasks& known) {
  const auto method =
      make_method(spec.method, {spec.link, spec.workload.optimizer, spec.workload.max_iterations});
  require_buckets_end_alone(spec, *method);
  const bool one_tells_all = method->leaves_mean() && method->recording().ranks_are_alike &&
                             method->recording().period == 1;
  if (!one_tells_all) require_room_for_all_ranks(spec);
  auto exchanges =
      one_tells_all ? exchanges_of_lone_rank(spec, known) : exchanges_of_all_ranks(spec);
  exchanges.method = choice_to_json(spec.method);
  exchanges.workers = spec.workers;
  if (looks_at_links(exchanges.method, method_infos())) exchanges.link = spec.link;
  exchanges.copy_gb_per_s = copy_gb_per_s();
  return exchanges;
}

}  // namespace

void run_exchange_profile(const WorkerSpec& spec) {
  at::set_num_threads(share_of_cores(1));
  KnownMasks known;
  Json event{{"event", "exchanges-profiled"}, {"exchanges", Json::array()}};
  auto one = spec;
  for (const auto& [method, link, _] : spec.exchanges) {
    one.method = method;
    one.link = link;
    event["exchanges"].push_back(profiled(one, known));
  }
  fmt::print("{}\n", event.dump());
  std::fflush(stdout);
}

}  // namespace pacbench::trainer
