#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "contract/fabric/netd_protocol.h"
#include "netem/session/fabric.h"

namespace pacbench::netem {

/// Computes when each step of a schedule is due, one after another, without reading a clock.
class Timeline {
 public:
  struct Step {
    std::int64_t due_ns;  ///< CLOCK_MONOTONIC
    double rate_mbit;
  };

  Timeline(netd::ScheduleRequest request, std::int64_t start_ns)
      : request_{std::move(request)}, round_start_ns_{start_ns} {}

  std::optional<Step> next() const;  ///< nothing after the last step, unless the schedule repeats
  void advance();

 private:
  netd::ScheduleRequest request_;
  std::int64_t round_start_ns_;
  std::size_t place_ = 0;
};

/// A schedule that a fabric's directions follow from now on.
class Schedule {
 public:
  /// `stepped` is called for each step once all directions follow it. `failed` is called with the
  /// kernel's error; after that no further step is tried.
  struct Listener {
    std::function<void(const netd::SteppedEvent&)> stepped;
    std::function<void(const std::string&)> failed;
  };

  Schedule(boost::asio::io_context& io, KernelFabric& fabric, int number,
           netd::ScheduleRequest request, Listener listener);

  netd::ScheduledReply scheduled() const { return {number_, start_ns_}; }
  bool running() const { return timeline_.next().has_value(); }
  bool moves(const std::string& direction) const;

 private:
  void await_step();
  void take(const Timeline::Step& step);

  boost::asio::steady_timer timer_;
  KernelFabric& fabric_;
  int number_;
  std::int64_t start_ns_;
  std::vector<std::string> directions_;
  Timeline timeline_;
  Listener listener_;
};

}  // namespace pacbench::netem
