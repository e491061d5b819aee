#include "simulate/ranks/exchange.h"

#include <cmath>
#include <utility>

namespace pacbench::simulate {

std::int64_t in_ns(double seconds) { return std::llround(1e9 * seconds); }

void Exchange::start(int place, Then ended) {
  place_ = place;
  ended_ = std::move(ended);
  trace_.exchange.start_ns = now_ns();
  if (recorded_.steps.empty()) {
    parts_.executor.post(work_s(recorded_.end_ms), [this] { end(); });
  } else {
    parts_.executor.post(work_s(recorded_.steps.front().work_ms), [this] { call(0); });
  }
}

/// Lets a collective wait for its turn, now that the work before it is done.
void Exchange::call(std::size_t step) {
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
  auto* group = parts_.group_of(recorded.ranks);
  trace_.collectives[step].group_size = group == nullptr ? 0 : group->size();
  if (group == nullptr) return ended(step, 0);
  group->start(recorded, [this, step](std::int64_t sent_bytes) { ended(step, sent_bytes); });
}

void Exchange::ended(std::size_t step, std::int64_t sent_bytes) {
  auto& trace = trace_.collectives[step];
  trace.sent_bytes = sent_bytes;
  trace.wire.end_ns = now_ns();
  const auto next = step + 1;
  if (next < recorded_.steps.size()) {
    parts_.executor.post_ahead(work_s(recorded_.steps[next].work_ms), [this, next] { call(next); });
  } else {
    parts_.executor.post_ahead(work_s(recorded_.end_ms), [this] { end(); });
  }
}

void Exchange::end() {
  trace_.exchange.end_ns = now_ns();
  parts_.turns.finish(place_);
  // Moves the callback out first, because the caller may destroy this object in it.
  const auto ended = std::move(ended_);
  ended();
}

}  // namespace pacbench::simulate
