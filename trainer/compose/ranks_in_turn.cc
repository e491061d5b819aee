#include "trainer/compose/ranks_in_turn.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "base/clock.h"
#include "trainer/collectives/thread_group.h"

namespace pacbench::trainer {
namespace {

using Calls = std::vector<MethodExchanges::Step>;

MethodExchanges::Step step_of(const Collective& call, int rank, std::vector<int> ranks) {
  const bool has_input = call.input.defined();
  return {0,
          name_of(call.kind),
          has_input ? dtype_name(call.input.scalar_type()) : "",
          has_input ? call.input.numel() : 0,
          plan_of(call, rank).payload_bytes,
          std::move(ranks),
          call.root,
          call.send_counts,
          call.receive_counts};
}

/// The calls of a rank in the order of its trace. `seen` lacks the calls on sub-groups of which the
/// rank is no member, because its backend does not see them.
Calls in_order_of(const BucketTrace& trace, const Calls& seen) {
  Calls calls;
  auto next = seen.begin();
  for (const auto& call : trace.collectives) {
    if (call.group_size == 0) {
      calls.emplace_back().op = call.op;
    } else {
      calls.push_back(*next++);
    }
  }
  return calls;
}

/// Where a rank takes no part in a call, copies the call's members from a rank that takes part.
void name_members(std::vector<RecordedExchange>& ranks) {
  for (const auto& from : ranks) {
    for (auto& to : ranks) {
      if (to.calls.size() != from.calls.size()) {
        throw std::logic_error{
            fmt::format("one rank makes {} calls, another {}", from.calls.size(), to.calls.size())};
      }
      for (std::size_t i = 0; i < to.calls.size(); ++i) {
        const bool knows = from.trace.collectives[i].group_size != 0;
        if (knows && to.trace.collectives[i].group_size == 0)
          to.calls[i].ranks = from.calls[i].ranks;
      }
    }
  }
}

bool has_ended(const RecordedExchange& rank) { return rank.trace.exchange.end_ns != 0; }

/// The error of ranks of which none can go on. Its message has each rank's last call.
std::exception_ptr deadlock_of(const std::vector<RecordedExchange>& ranks) {
  std::string found;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const auto& calls = ranks[rank].trace.collectives;
    found += fmt::format("{}rank {} ", rank == 0 ? "" : ", ", rank);
    found += has_ended(ranks[rank]) ? fmt::format("has ended without call {}", calls.size() + 1)
                                    : fmt::format("waits in call {} ({})", calls.size(),
                                                  calls.empty() ? "none" : calls.back().op);
  }
  return std::make_exception_ptr(std::logic_error{fmt::format(
      "no rank can go on: {}; expected all ranks of a group to make the same calls on it in the "
      "same order; correct the method that makes these calls",
      found)});
}

/// Runs `body` in a coroutine. So an exception that `body` throws before it returns its task
/// becomes a failure of this coroutine.
Task<> called(const std::function<Task<>(int rank, Group& group)>& body, int rank, Group& group) {
  co_await body(rank, group);
}

/// Waits for all ranks. Throws the failure of a rank in preference to the failures that it causes
/// on other ranks.
void wait_for(const std::vector<Ending>& ends) {
  std::exception_ptr cause;
  std::exception_ptr consequence;
  for (const auto& end : ends) {
    try {
      end.future().get();
    } catch (const PeerFailed&) {
      consequence = std::current_exception();
    } catch (...) {
      if (!cause) cause = std::current_exception();
    }
  }
  if (cause) std::rethrow_exception(cause);
  if (consequence) std::rethrow_exception(consequence);
}

void keep(std::vector<RecordedExchange> called, RecordedExchange RecordedIteration::*place,
          std::vector<RecordedIteration>& iterations) {
  for (std::size_t rank = 0; rank < called.size(); ++rank) {
    iterations[rank].*place = std::move(called[rank]);
  }
}

}  // namespace

/// A backend that records its calls. It posts the end of a collective to the executor, so that a
/// rank's time on the wire ends when the rank goes on.
class RanksInTurn::Recording final : public Backend {
 public:
  /// `ranks`: the members' numbers in the whole group, which has `all` ranks.
  Recording(std::shared_ptr<Backend> inner, std::vector<int> ranks, int all, Executor& executor,
            std::shared_ptr<Calls> seen)
      : inner_{std::move(inner)},
        ranks_{std::move(ranks)},
        all_{all},
        executor_{executor},
        seen_{std::move(seen)} {}

  int rank() const override { return inner_->rank(); }
  int size() const override { return inner_->size(); }

  void start(const Collective& call, Completion done) override {
    const bool is_whole = std::ssize(ranks_) == all_;
    seen_->push_back(step_of(call, rank(), is_whole ? std::vector<int>{} : ranks_));
    inner_->start(call, [this, done = std::move(done)](std::exception_ptr failure) {
      executor_.post([done, failure] { done(failure); });
    });
  }

  void abort(std::exception_ptr reason) override { inner_->abort(std::move(reason)); }

  std::shared_ptr<Backend> sub_group(const std::vector<int>& ranks) override {
    std::vector<int> in_whole;
    for (const int rank : ranks) in_whole.push_back(ranks_.at(static_cast<std::size_t>(rank)));
    return std::make_shared<Recording>(inner_->sub_group(ranks), in_whole, all_, executor_, seen_);
  }

  Calls take_seen() { return std::exchange(*seen_, {}); }

 private:
  std::shared_ptr<Backend> inner_;
  std::vector<int> ranks_;
  int all_;
  Executor& executor_;
  std::shared_ptr<Calls> seen_;
};

RanksInTurn::RanksInTurn(int size) : sequencers_(static_cast<std::size_t>(size)) {
  std::vector<int> all(static_cast<std::size_t>(size));
  std::iota(all.begin(), all.end(), 0);
  for (auto& inner : make_thread_group(size)) {
    backends_.push_back(std::make_shared<Recording>(std::move(inner), all, size, executor_,
                                                    std::make_shared<Calls>()));
  }
}

std::shared_ptr<Backend> RanksInTurn::backend(int rank) const {
  return backends_.at(static_cast<std::size_t>(rank));
}

/// Sets `end` when all ranks have ended. When no rank can go on, it fails the calls in which ranks
/// wait. It posts itself behind all other work of the executor, which is all that ranks can wait
/// for.
void RanksInTurn::watch(const std::vector<RecordedExchange>& ranks, const Ending& end) {
  if (std::all_of(ranks.begin(), ranks.end(), has_ended)) return end(nullptr);
  if (executor_.has_waiting_work()) {
    return executor_.post([this, &ranks, end] { watch(ranks, end); });
  }
  const auto reason = deadlock_of(ranks);
  backends_.front()->abort(reason);
  end(reason);
}

std::vector<RecordedExchange> RanksInTurn::run(
    const std::function<Task<>(int rank, Group& group)>& body) {
  std::vector<RecordedExchange> recorded(backends_.size());
  std::vector<std::unique_ptr<Group>> groups;
  const std::vector<Ending> ends(backends_.size() + 1);  // the last one is the watch's
  for (std::size_t rank = 0; rank < backends_.size(); ++rank) {
    executor_.post([&, rank, ended = ends[rank]] {
      auto& trace = recorded[rank].trace;
      sequencers_[rank].begin(1);
      trace.exchange.start_ns = emulated_ns();
      auto& group = *groups.emplace_back(std::make_unique<Group>(
          Group::Rank{executor_, sequencers_[rank]}, backends_[rank], 0, trace));
      start(called(body, static_cast<int>(rank), group),
            [this, rank, &trace, ended](std::exception_ptr failure) {
              trace.exchange.end_ns = emulated_ns();
              if (failure) backends_[rank]->abort(failure);
              sequencers_[rank].finish(0);
              ended(failure);
            });
    });
  }
  executor_.post([this, &recorded, end = ends.back()] { watch(recorded, end); });
  wait_for(ends);
  for (std::size_t rank = 0; rank < backends_.size(); ++rank) {
    recorded[rank].calls = in_order_of(recorded[rank].trace, backends_[rank]->take_seen());
  }
  name_members(recorded);
  return recorded;
}

MethodsInTurn::MethodsInTurn(RanksInTurn& ranks, std::vector<Method*> methods, Layout layout,
                             std::int64_t seed)
    : ranks_{ranks}, methods_{std::move(methods)}, layout_{std::move(layout)}, seed_{seed} {
  ranks_.run([this](int rank, Group& group) { return method(rank).settle(layout_, group); });
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
