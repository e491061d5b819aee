#include "harness/record/sleeps.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/errors.h"
#include "contract/catalogue/choice_json.h"
#include "contract/network/link_facts.h"
#include "contract/scenario/scenario.h"

namespace pacbench::record {
namespace {

std::int64_t in_ns(double ms, double factor) {
  return static_cast<std::int64_t>(ms * factor * 1e6);
}

/// Adds the time that a rank slept beyond its due time.
void add_late(std::int64_t due_ns, std::int64_t awake_ns, std::vector<Span>& late) {
  if (awake_ns > due_ns) late.push_back({due_ns, awake_ns});
}

/// Work that a thread replaced by sleep: when it was asked for (the thread may have had other work
/// then), when the sleep ended, and how long the profile says that the work takes.
struct Work {
  std::int64_t asked_ns = 0;
  std::int64_t end_ns = 0;
  double meant_ms = 0;
};

/// Adds the work before each collective of a bucket, and after the last.
void add_works(const MethodExchanges::Bucket& meant, const BucketTrace& trace,
               std::vector<Work>& works) {
  if (trace.collectives.size() != meant.steps.size()) return;  // broken off
  auto asked_ns = trace.exchange.start_ns;
  for (std::size_t i = 0; i < meant.steps.size(); ++i) {
    works.push_back({asked_ns, trace.collectives[i].ready_ns, meant.steps[i].work_ms});
    asked_ns = trace.collectives[i].wire.end_ns;
  }
  works.push_back({asked_ns, trace.exchange.end_ns, meant.end_ms});
}

/// Adds the late time of work that one thread does piece by piece.
void add_late_work(std::vector<Work> works, double factor, std::vector<Span>& late) {
  std::ranges::sort(works, {}, &Work::end_ns);
  std::int64_t free_ns = 0;
  for (const auto& [asked_ns, end_ns, meant_ms] : works) {
    add_late(std::max(asked_ns, free_ns) + in_ns(meant_ms, factor), end_ns, late);
    free_ns = end_ns;
  }
}

/// The `count` collectives of a trace from `first` on, as a bucket exchanged in `exchange`.
BucketTrace part_of(const BucketTrace& trace, std::size_t first, std::size_t count, Span exchange) {
  BucketTrace part;
  part.exchange = exchange;
  for (auto i = first; i < first + count && i < trace.collectives.size(); ++i) {
    part.collectives.push_back(trace.collectives[i]);
  }
  return part;
}

/// The collective calls around the optimiser's step, as those of one bucket. The work between them
/// includes the time of the step and of forward passes.
MethodExchanges::Bucket around_the_step(const MethodExchanges::Iteration& meant,
                                        const Profile::Iteration& times) {
  auto around = meant.step;
  around.end_ms += times.optimizer_ms;
  for (auto step : meant.weights.steps) {
    step.work_ms += std::exchange(around.end_ms, 0);
    around.steps.push_back(std::move(step));
  }
  around.end_ms += meant.weights.end_ms;
  auto& first_ms = around.steps.empty() ? around.end_ms : around.steps.front().work_ms;
  first_ms += static_cast<double>(meant.losses) * times.forward_ms;
  return around;
}

std::vector<Work> works_of(const MethodExchanges::Iteration& meant, const IterationEvent& event,
                           const Profile::Iteration& times) {
  std::vector<Work> works;
  BucketTrace beside;
  for (const auto& bucket : event.buckets) {
    if (bucket.index < 0) {
      beside = bucket;
    } else if (static_cast<std::size_t>(bucket.index) < meant.buckets.size()) {
      add_works(meant.buckets[static_cast<std::size_t>(bucket.index)], bucket, works);
    }
  }
  const auto after_buckets = meant.beside.steps.size();
  add_works(meant.beside,
            part_of(beside, 0, after_buckets, {event.exposed.end_ns, event.optimizer.start_ns}),
            works);
  add_works(around_the_step(meant, times),
            part_of(beside, after_buckets, beside.collectives.size(), event.optimizer), works);
  return works;
}

}  // namespace

const MethodExchanges& profiled_exchanges(const Scenario& scenario, const plan::Cell& cell) {
  const auto* found =
      find_exchanges(scenario.compose->profile.exchanges, choice_to_json(cell.method.choice),
                     scenario.workers, link_facts(cell.link));
  if (found != nullptr) return *found;
  throw std::invalid_argument{
      "the profile has no exchanges for this cell's method, workers and link"};
}

Sleeps::Sleeps(const Scenario& scenario, const plan::Cell& cell) {
  if (!scenario.compose) throw std::invalid_argument{"sleeps of a scenario that does not compose"};
  const auto& profile = scenario.compose->profile;
  for (int rank = 0; rank < scenario.workers; ++rank) {
    ranks_.push_back({{profile, cell.seed, rank}, worker_traits(scenario, rank).compute_factor});
  }
  if (!replays_exchanges(*scenario.compose)) return;
  replayed_ = profiled_exchanges(scenario, cell);
}

std::vector<Span> Sleeps::late(const IterationEvent& event) const {
  const auto& [iterations, factor] = ranks_.at(static_cast<std::size_t>(event.rank));
  const auto& meant = iterations.of(event.iteration);
  std::vector<Span> late;
  add_late(event.forward.start_ns + in_ns(meant.forward_ms, factor), event.forward.end_ns, late);
  const auto buckets =
      std::ranges::count_if(event.buckets, [](const auto& bucket) { return bucket.index >= 0; });
  for (const auto& bucket : event.buckets) {
    if (bucket.index < 0) continue;
    // A bucket that is the whole model is ready when the profile's last bucket is.
    const auto place =
        buckets == 1 ? meant.ready_ms.size() - 1 : static_cast<std::size_t>(bucket.index);
    if (place >= meant.ready_ms.size()) {
      throw ProtocolError{
          fmt::format("found bucket {} of rank {}, but the profile has only {} buckets",
                      bucket.index, event.rank, meant.ready_ms.size())};
    }
    add_late(event.backward.start_ns + in_ns(meant.ready_ms[place], factor),
             bucket.exchange.start_ns, late);
  }
  if (replayed_) {
    const auto called = replayed_->iteration_of(event.rank, event.iteration);
    add_late_work(works_of(called, event, meant), factor, late);
  }
  return late;
}

std::optional<Sleeps> sleeps_of(const Scenario& scenario, const plan::Cell& cell) {
  if (!sleeps(scenario)) return std::nullopt;
  return Sleeps{scenario, cell};
}

}  // namespace pacbench::record
