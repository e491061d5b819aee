#include "simulate/ranks/exchange.h"

#include <cmath>
#include <utility>

namespace pacbench::simulate {

std::int64_t in_ns(double seconds) { return std::llround(1e9 * seconds); }

void Turns::begin(int buckets) { buckets_.assign(static_cast<std::size_t>(buckets), Bucket{}); }

void Turns::ask(int bucket, Then start) {
  buckets_.at(static_cast<std::size_t>(bucket)).parked = std::move(start);
  start_what_may_go();
}

void Turns::finish(int bucket) {
  buckets_.at(static_cast<std::size_t>(bucket)).finished = true;
  start_what_may_go();
}

void Turns::start_what_may_go() {
  for (auto* bucket = next(); bucket != nullptr && bucket->parked; bucket = next()) {
    ++bucket->stage;
    std::exchange(bucket->parked, {})();
  }
}

/// The bucket whose turn it is, whether it is ready or not; null when all buckets have ended.
Turns::Bucket* Turns::next() {
  Bucket* first = nullptr;
  std::int64_t first_key = 0;
  for (std::size_t index = 0; index < buckets_.size(); ++index) {
    auto& bucket = buckets_[index];
    const auto key = static_cast<std::int64_t>(index) + 2 * bucket.stage;
    if (!bucket.finished && (first == nullptr || key < first_key)) {
      first = &bucket;
      first_key = key;
    }
  }
  return first;
}

void Executor::add(Queue& queue, double work_s, Then then) {
  queue.push_back({work_s, std::move(then)});
  run();
}

void Executor::run() {
  while (!busy_ && !(ahead_.empty() && queue_.empty())) {
    auto& queue = ahead_.empty() ? queue_ : ahead_;
    auto work = std::move(queue.front());
    queue.pop_front();
    busy_ = true;
    const auto end = [this, then = std::move(work.then)] {
      then();
      busy_ = false;
    };
    // Work that takes no time needs no event.
    if (work.work_s <= 0) {
      end();
      continue;
    }
    network_.after(work.work_s, [this, end] {
      end();
      run();
    });
  }
}

void Exchange::start(int place, Then ended) {
  place_ = place;
  ended_ = std::move(ended);
  trace_.exchange.start_ns = now_ns();
  parts_.executor.post(work_before_s(0), [this] { call(0); });
}

/// The work before a collective, or before the end where there is no such collective.
double Exchange::work_before_s(std::size_t step) const {
  const auto& steps = recorded_.steps;
  const double recorded_ms = step < steps.size() ? steps[step].work_ms : recorded_.end_ms;
  return 1e-3 * recorded_ms * parts_.compute_factor;
}

/// Lets a collective wait for its turn, now that the work before it is done. Ends the exchange when
/// there is no such collective.
void Exchange::call(std::size_t step) {
  if (step == recorded_.steps.size()) return end();
  const auto& recorded = recorded_.steps[step];
  CollectiveTrace trace;
  trace.op = recorded.op;
  trace.dtype = recorded.dtype;
  trace.elements = recorded.elements;
  trace.payload_bytes = recorded.payload_bytes;
  trace.ready_ns = now_ns();
  trace.wire = {trace.ready_ns, trace.ready_ns};
  trace_.collectives.push_back(std::move(trace));
  parts_.executor.post_ahead(
      0, [this, step] { parts_.turns.ask(place_, [this, step] { issue(step); }); });
}

void Exchange::issue(std::size_t step) {
  trace_.collectives[step].wire.start_ns = now_ns();
  const auto& recorded = recorded_.steps[step];
  auto* group = parts_.groups.of(recorded.ranks);
  trace_.collectives[step].group_size = group == nullptr ? 0 : group->size();
  if (group == nullptr) return ended(step, 0);
  group->start(recorded, [this, step](std::int64_t sent_bytes) { ended(step, sent_bytes); });
}

void Exchange::ended(std::size_t step, std::int64_t sent_bytes) {
  auto& trace = trace_.collectives[step];
  trace.sent_bytes = sent_bytes;
  trace.wire.end_ns = now_ns();
  parts_.executor.post_ahead(work_before_s(step + 1), [this, step] { call(step + 1); });
}

void Exchange::end() {
  trace_.exchange.end_ns = now_ns();
  parts_.turns.finish(place_);
  // Moves the callback out first, because the caller may destroy this object in it.
  const auto ended = std::move(ended_);
  ended();
}

}  // namespace pacbench::simulate
