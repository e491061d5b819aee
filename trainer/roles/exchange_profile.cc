#include "trainer/roles/exchange_profile.h"
#include "contract/catalogue/choice_json.h"
#include "contract/catalogue/exchanges_keys.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <future>

#include "base/clock.h"
#include "trainer/collectives/identical_ranks.h"
#include "trainer/compose/profiled_gradients.h"
#include "trainer/compose/replayed_exchanges.h"
#include "trainer/compose/settled_exchanges.h"
#include "trainer/rank/compute_threads.h"
#include "trainer/roles/communication.h"
#include "trainer/roles/pruning_stage.h"

namespace pacbench::trainer {
namespace {

/// The speed of a copy in memory, read and written: the median of a few, larger than any cache.
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

/// The masks of pruning plans, kept because choosing masks may take longer than everything else.
using KnownMasks = std::vector<std::pair<PruningPlan, WeightMasks>>;

/// Pruning gives the cores back as to one rank of a single one.
WorkerSpec alone(WorkerSpec spec) {
  spec.workers = 1;
  return spec;
}

/// A weight that no sample of one worker moved is moved by those of another. Here is one alone, and
/// its zeros lie elsewhere in each draw: with them a mask that is found out would never settle.
void without_zeros(const std::vector<at::Tensor>& gradients) {
  for (auto gradient : gradients) gradient.masked_fill_(gradient == 0, 0x1p-126);
}

/// One rank whose buckets are exchanged one after another. Its engine is there for pruning alone:
/// where buckets take turns, one would wait for another in the middle of its exchange.
class LoneExchanges {
 public:
  LoneExchanges(const WorkerSpec& spec, KnownMasks& known)
      : spec_{spec},
        replica_{spec, dataset_of(spec.workload, spec.data_folder)},
        backend_{make_identical_ranks(spec.workers)},
        communication_{communication_over_threads(spec, backend_)},
        source_{spec, replica_, engine()},
        pruning_{alone(spec), replica_, engine(), source_} {
    source_.warm_up();
    prune(known);
  }

  /// The traces of the buckets, and last of what is called beside them.
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

  /// Throws when ranks send different amounts.
  void require_ranks_alike() {
    if (!engine().method().gradients().ranks_are_alike()) {
      refuse("sends different amounts from different ranks");
    }
  }

  std::int64_t iterations_to_settle() {
    return engine().method().gradients().iterations_to_settle();
  }

  /// Throws when the first bucket's exchange would never end.
  void require_buckets_end_alone() {
    if (!engine().method().gradients().ends_alone()) refuse("averages several buckets as one");
  }

  /// Throws when the method does more than exchange gradients.
  void require_step_left() {
    auto parameters = tensors_of(replica_.parameters());
    std::vector<at::Tensor> gradients;
    for (const auto& parameter : parameters) gradients.push_back(parameter.grad());
    OptimizerView view{parameters, gradients, step_of(1)};
    auto& method = engine().method();
    if (!method.leaves_mean() || engine().optimizer_step(view)) {
      refuse("makes the optimiser's step itself or averages weights");
    }
  }

 private:
  [[noreturn]] void refuse(const char* what_it_does) const {
    throw std::runtime_error{
        fmt::format("method {} {}, which cannot be replayed; compose it with exchange \"here\"",
                    spec_.method.name, what_it_does)};
  }

  /// Runs a coroutine on the executor, with a group of its own. Throws what it throws.
  BucketTrace traced(const std::function<Task<>(Group&)>& body) {
    BucketTrace trace;
    Group group{{executor_, sequencer_}, backend_, 0, trace};
    // Shared, because the executor may still be inside set_value when the wait is over.
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

  /// All steps at once: what comes after the last is most of a training.
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
  Executor executor_;  ///< last: its thread ends before anything that it uses
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
          "method {} calls {} with a payload of {} bytes, of which it sends {}; only collectives "
          "of all {} ranks with shares of one size and root 0 can be replayed, {} and {} bytes; "
          "compose it with exchange \"here\"",
          spec.method.name, call.op, call.payload_bytes, call.sent_bytes, spec.workers,
          plan.payload_bytes, sent_bytes(plan, 0, spec.workers))};
    }
  }
}

MethodExchanges profiled(const WorkerSpec& spec, KnownMasks& known) {
  LoneExchanges rank{spec, known};
  rank.require_ranks_alike();
  rank.require_buckets_end_alone();
  std::vector<std::vector<BucketTrace>> iterations;
  // The first half counts as settling.
  const auto count = std::max(spec.compose->iterations, 2 * rank.iterations_to_settle());
  for (std::int64_t number = 1; number <= count; ++number) {
    iterations.push_back(rank.iterate(number));
    require_replayable(iterations.back(), spec);
  }
  rank.require_step_left();
  auto exchanges = settled_exchanges(iterations);
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
  for (const auto& [method, link] : spec.exchanges) {
    one.method = method;
    one.link = link;
    event["exchanges"].push_back(profiled(one, known));
  }
  fmt::print("{}\n", event.dump());
  std::fflush(stdout);
}

}  // namespace pacbench::trainer
