#include "netem/session/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/clock.h"

namespace pacbench::netem {
namespace {

constexpr std::int64_t kNsPerMs = 1'000'000;

std::chrono::steady_clock::time_point at(std::int64_t monotonic) {
  return std::chrono::steady_clock::time_point{std::chrono::nanoseconds{monotonic}};
}

}  // namespace

std::optional<Timeline::Step> Timeline::next() const {
  if (place_ == request_.steps.size()) return std::nullopt;
  const auto& step = request_.steps[place_];
  return Step{round_start_ns_ + step.at_ms * kNsPerMs, step.rate_mbit};
}

void Timeline::advance() {
  ++place_;
  if (place_ < request_.steps.size() || request_.repeat_ms == 0) return;
  place_ = 0;
  round_start_ns_ += request_.repeat_ms * kNsPerMs;
}

Schedule::Schedule(boost::asio::io_context& io, KernelFabric& fabric, int number,
                   netd::ScheduleRequest request, Listener listener)
    : timer_{io},
      fabric_{fabric},
      number_{number},
      start_ns_{monotonic_ns()},
      directions_{request.directions},
      timeline_{std::move(request), start_ns_},
      listener_{std::move(listener)} {
  await_step();
}

bool Schedule::moves(const std::string& direction) const {
  return running() && std::ranges::find(directions_, direction) != directions_.end();
}

void Schedule::await_step() {
  const auto step = timeline_.next();
  if (!step) return;
  timer_.expires_at(at(step->due_ns));
  timer_.async_wait([this, step = *step](const boost::system::error_code& error) {
    if (!error) take(step);
  });
}

void Schedule::take(const Timeline::Step& step) {
  try {
    for (const auto& direction : directions_) fabric_.set_rate(direction, step.rate_mbit);
  } catch (const std::exception& error) {
    return listener_.failed(fmt::format("schedule {} cannot set its links to {} Mbit/s: {}",
                                        number_, step.rate_mbit, error.what()));
  }
  timeline_.advance();
  await_step();
  listener_.stepped({number_, step.due_ns, monotonic_ns(), step.rate_mbit});
}

}  // namespace pacbench::netem
