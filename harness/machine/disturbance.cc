#include "harness/machine/disturbance.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"

namespace pacbench {
namespace {

// Others count as a disturbance of a second when they use over this share of the CPUs in it. What a
// machine does beside any run, such as timers and logs, stays below.
constexpr double kOthersShare = 0.05;
constexpr double kStolenShare = 0.1;
// The share of lost time that a hypervisor must have counted as stolen, on each CPU, for a stop of
// the machine; the kernel counts in ticks of 10 ms.
constexpr double kConfirmed = 0.8;
constexpr double kTick_s = 0.01;
constexpr double kShortestCount_s = 0.5;

double overlap_s(std::int64_t from_ns, std::int64_t to_ns, std::int64_t other_from_ns,
                 std::int64_t other_to_ns) {
  return seconds(
      std::max<std::int64_t>(0, std::min(to_ns, other_to_ns) - std::max(from_ns, other_from_ns)));
}

/// The shares of a trace that are not in its disturbances, in proportion to the time.
void scale(MachineTrace& trace, double factor) {
  trace.stolen_s *= factor;
  trace.others_s *= factor;
  trace.throttled_s *= factor;
}

}  // namespace

double MachineTrace::taken_share() const {
  const double all_s = cpus * seconds(to_ns - from_ns);
  if (all_s <= 0) return 0;
  double unseen_s = 0;
  for (const auto& one : disturbances) {
    const double length_s = seconds(one.to_ns - one.from_ns);
    if (one.by != TakenBy::kUnseen || length_s <= 0) continue;
    unseen_s += one.lost_s * overlap_s(one.from_ns, one.to_ns, from_ns, to_ns) / length_s;
  }
  // A program of a higher class is among the others, and what it takes is lost to threads too.
  const double others_s_beside = std::max(0.0, others_s - std::max(0.0, unseen_s - stolen_s));
  return std::clamp((std::max(unseen_s, stolen_s) + others_s_beside + throttled_s) / all_s, 0.0,
                    1.0);
}

bool is_disturbed(const MachineTrace& trace, std::int64_t from_ns, std::int64_t to_ns) {
  return std::ranges::any_of(trace.disturbances, [&](const auto& one) {
    return one.from_ns < to_ns && one.to_ns > from_ns;
  });
}

MachineTrace part_of(const MachineTrace& trace, std::int64_t from_ns, std::int64_t to_ns) {
  auto part = trace;
  part.from_ns = std::max(from_ns, trace.from_ns);
  part.to_ns = std::max(part.from_ns, std::min(to_ns, trace.to_ns));
  const double all_s = seconds(trace.to_ns - trace.from_ns);
  scale(part, all_s > 0 ? seconds(part.to_ns - part.from_ns) / all_s : 0);
  std::erase_if(part.disturbances, [&](const auto& one) {
    return one.from_ns >= part.to_ns || one.to_ns <= part.from_ns;
  });
  return part;
}

MachineTrace in_emulated_time(MachineTrace trace) {
  trace.time_dilation = time_dilation;
  trace.from_ns = emulated_ns(trace.from_ns);
  trace.to_ns = emulated_ns(trace.to_ns);
  scale(trace, 1.0 / time_dilation);
  for (auto& one : trace.disturbances) {
    one.from_ns = emulated_ns(one.from_ns);
    one.to_ns = emulated_ns(one.to_ns);
    one.lost_s /= time_dilation;
    one.stopped_s /= time_dilation;
  }
  return trace;
}

void MeterLines::take(const Json& line, std::optional<std::int64_t> throttled_ns) {
  std::vector<std::int64_t> stolen_ns;
  for (const auto& one : line.at("stolen_ns")) stolen_ns.push_back(one.at(1));
  if (line.at("event") == "metering") {
    line.at("real_time").get_to(watched_);
    line.at("cpus").get_to(cpus_);
    const std::int64_t from_ns = line.at("from_ns");
    windows_.push_back({from_ns, from_ns});
  } else {
    Window window{until_ns(), std::max(until_ns(), line.at("until_ns").get<std::int64_t>())};
    std::vector<double> stolen_s;
    for (std::size_t i = 0; i < std::min(stolen_ns.size(), stolen_ns_.size()); ++i) {
      stolen_s.push_back(seconds(stolen_ns[i] - stolen_ns_[i]));
      window.stolen_s += stolen_s.back();
    }
    if (throttled_ns && throttled_ns_) window.throttled_s = seconds(*throttled_ns - *throttled_ns_);
    windows_.push_back(window);
    std::vector<Late> lates;
    for (const auto& late : line.at("late")) {
      lates.push_back({late.at(0), late.at(1), late.at(2), late.at(3)});
    }
    add_disturbances(lates, stolen_s);
    take_stolen(line.value("stolen_parts", Json::array()));
    if (window.throttled_s > 0) {
      disturbances_.push_back(
          {TakenBy::kThrottled, window.from_ns, window.to_ns, window.throttled_s});
    }
    if (const auto others = line.find("others_ns"); others != line.end()) {
      unshared_s_ += seconds(others->get<std::int64_t>());
      take_others();
    }
  }
  stolen_ns_ = std::move(stolen_ns);
  throttled_ns_ = throttled_ns;
}

/// Joins the times in which single CPUs were not to be had to times in which any was not.
void MeterLines::add_disturbances(const std::vector<Late>& lates,
                                  const std::vector<double>& stolen_s) {
  if (lates.empty()) return;
  std::vector<double> lost_s(cpus_.size(), 0);
  for (const auto& late : lates) {
    const auto cpu = std::find(cpus_.begin(), cpus_.end(), late.cpu) - cpus_.begin();
    if (cpu < std::ssize(lost_s)) lost_s[static_cast<std::size_t>(cpu)] += seconds(late.lost_ns);
  }
  bool is_confirmed = stolen_s.size() == cpus_.size();
  for (std::size_t i = 0; is_confirmed && i < lost_s.size(); ++i) {
    is_confirmed = stolen_s[i] > 0 && stolen_s[i] >= kConfirmed * lost_s[i] - kTick_s;
  }
  auto sorted = lates;
  std::ranges::sort(sorted, {}, &Late::from_ns);
  for (auto first = sorted.begin(); first != sorted.end();) {
    Disturbance joined{TakenBy::kUnseen, first->from_ns, first->to_ns};
    // All stood still from the last time at which a CPU ought to have run, to the first at which
    // one ran again.
    auto stood_from_ns = first->to_ns - first->lost_ns;
    auto stood_to_ns = first->to_ns;
    std::size_t late_cpus = 0;
    auto last = first;
    for (; last != sorted.end() && last->from_ns <= joined.to_ns; ++last, ++late_cpus) {
      joined.to_ns = std::max(joined.to_ns, last->to_ns);
      joined.lost_s += seconds(last->lost_ns);
      stood_from_ns = std::max(stood_from_ns, last->to_ns - last->lost_ns);
      stood_to_ns = std::min(stood_to_ns, last->to_ns);
    }
    if (is_confirmed && late_cpus == cpus_.size() && stood_to_ns > stood_from_ns) {
      joined.stopped_s = seconds(stood_to_ns - stood_from_ns);
    }
    disturbances_.push_back(joined);
    first = last;
  }
}

/// Notes the parts in which a hypervisor stole more than threads lost by waking late.
void MeterLines::take_stolen(const Json& parts) {
  for (const auto& part : parts) {
    const std::int64_t from_ns = part.at(0);
    const std::int64_t to_ns = part.at(1);
    const double beside_s = seconds(part.at(2).get<std::int64_t>()) - lost_between(from_ns, to_ns);
    const double all_s = seconds(to_ns - from_ns) * static_cast<double>(cpus_.size());
    if (beside_s <= kStolenShare * all_s) continue;
    disturbances_.push_back({TakenBy::kStolen, from_ns, to_ns, beside_s});
  }
}

/// Shares the CPU time of others out among the windows it was counted in, once these are long
/// enough for a count in ticks.
void MeterLines::take_others() {
  const auto first = windows_.begin() + static_cast<std::ptrdiff_t>(scanned_);
  if (first == windows_.end()) return;
  const auto from_ns = first->from_ns;
  const auto to_ns = windows_.back().to_ns;
  const double all_s = seconds(to_ns - from_ns);
  if (all_s < kShortestCount_s) return;
  const double others_s = std::exchange(unshared_s_, 0);
  for (auto window = first; window != windows_.end(); ++window) {
    window->others_s = others_s * seconds(window->to_ns - window->from_ns) / all_s;
  }
  scanned_ = windows_.size();
  const double beside_s = others_s - lost_between(from_ns, to_ns);
  if (beside_s <= kOthersShare * all_s * static_cast<double>(cpus_.size())) return;
  disturbances_.push_back({TakenBy::kOthers, from_ns, to_ns, beside_s});
}

double MeterLines::lost_between(std::int64_t from_ns, std::int64_t to_ns) const {
  double lost_s = 0;
  for (const auto& one : disturbances_) {
    if (one.by == TakenBy::kUnseen && one.to_ns > from_ns && one.from_ns < to_ns) {
      lost_s += one.lost_s;
    }
  }
  return lost_s;
}

MachineTrace MeterLines::between(std::int64_t from_ns, std::int64_t to_ns) const {
  MachineTrace trace;
  trace.watched = watched_;
  trace.cpus = static_cast<int>(cpus_.size());
  trace.from_ns = from_ns;
  trace.to_ns = to_ns;
  for (const auto& window : windows_) {
    const double all_s = seconds(window.to_ns - window.from_ns);
    if (all_s <= 0) continue;
    const double part = overlap_s(window.from_ns, window.to_ns, from_ns, to_ns) / all_s;
    trace.stolen_s += part * window.stolen_s;
    trace.others_s += part * window.others_s;
    trace.throttled_s += part * window.throttled_s;
  }
  for (const auto& one : disturbances_) {
    if (one.from_ns < to_ns && one.to_ns > from_ns) trace.disturbances.push_back(one);
  }
  std::ranges::sort(trace.disturbances, {}, &Disturbance::from_ns);
  return trace;
}

void MeterLines::forget_before(std::int64_t at_ns) {
  std::erase_if(disturbances_, [&](const auto& one) { return one.to_ns < at_ns; });
  // The windows that others' time has not been told of stay, and so does the last.
  const auto keep = std::min(scanned_, windows_.empty() ? 0 : windows_.size() - 1);
  const auto end = windows_.begin() + static_cast<std::ptrdiff_t>(keep);
  const auto first = std::find_if(windows_.begin(), end,
                                  [&](const auto& window) { return window.to_ns >= at_ns; });
  scanned_ -= static_cast<std::size_t>(first - windows_.begin());
  windows_.erase(windows_.begin(), first);
}

}  // namespace pacbench
