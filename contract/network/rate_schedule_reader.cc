#include "contract/network/rate_schedule_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <sstream>
#include <system_error>

#include "base/files.h"
#include "base/json/read_keys.h"
#include "contract/network/network.h"

namespace pacbench {
namespace {

constexpr double kPacketKilobits = 1500 * 8 / 1000;
constexpr auto kMostMs = static_cast<std::int64_t>(1000 * kMostScheduleS);

[[noreturn]] void refuse(const std::string& path, std::size_t line, std::string why) {
  throw ConfigError{fmt::format("{}:{}", path, line), {{"", std::move(why)}}};
}

std::vector<std::int64_t> read_times(const std::string& path) {
  std::vector<std::int64_t> times;
  std::istringstream text{read_file(path)};
  std::size_t number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    std::int64_t time = 0;
    const auto* end = line.data() + line.size();
    const auto parsed = std::from_chars(line.data(), end, time);
    if (parsed.ec != std::errc{} || parsed.ptr != end || time < 0 || time > kMostMs) {
      refuse(path, number,
             fmt::format("found {}, expected a time in whole milliseconds, 0 to {}",
                         describe_found(line), kMostMs));
    }
    if (!times.empty() && time < times.back()) {
      refuse(path, number,
             fmt::format("found {} ms after {} ms in the line above, expected ascending times",
                         time, times.back()));
    }
    times.push_back(time);
  }
  if (times.empty() || times.back() == 0) {
    refuse(path, std::max<std::size_t>(number, 1), "expected at least one time after 0 ms");
  }
  return times;
}

/// An interval of the trace, and how much crosses the link in it.
struct Interval {
  std::int64_t start_ms = 0;
  std::int64_t length_ms = 0;
  double kilobits = 0;

  double rate_mbit() const { return kilobits / static_cast<double>(length_ms); }
  double least_kilobits() const { return kLeastLinkMbit * static_cast<double>(length_ms); }
};

/// Raises intervals to the least rate, and takes what this adds from later ones, so that the trace
/// keeps its mean. What is still owed at the end is taken from the beginning, since the trace
/// repeats. A trace whose mean is below the least rate has that rate.
void hold_least_rate(std::vector<Interval>& intervals) {
  double owed = 0;
  for (int pass = 0; pass < 2; ++pass) {
    for (auto& interval : intervals) {
      const double spare = interval.kilobits - interval.least_kilobits();
      const double repaid = std::clamp(owed, 0.0, std::max(spare, 0.0));
      owed += spare < 0 ? -spare : -repaid;
      interval.kilobits = std::max(interval.kilobits - repaid, interval.least_kilobits());
    }
  }
}

/// Rounds a time to whole milliseconds, in which the daemon counts.
double whole_ms(double time_s) { return std::round(time_s * 1000) / 1000; }

/// Says what is wrong with the time of a step that follows the steps `before`; empty when nothing
/// is.
std::string fault_of_time(double at_s, const std::vector<RateSchedule::Step>& before) {
  if (before.empty()) {
    return at_s == 0 ? "" : fmt::format("found {}, expected the first step at 0", at_s);
  }
  const double last_s = before.back().at_s;
  if (at_s <= last_s) {
    return fmt::format("found {}, expected a time after {}, that of the step before", at_s, last_s);
  }
  if (at_s - last_s < kLeastStepS - 1e-9) {
    return fmt::format("found a step {:g} ms after the one before, expected at least {:g} ms",
                       1000 * (at_s - last_s), 1000 * kLeastStepS);
  }
  return "";
}

RateSchedule read_steps(ObjectReader& reader) {
  RateSchedule schedule;
  read_keys(reader, schedule);
  bool in_order = true;
  std::vector<RateSchedule::Step> before;
  for (auto& step : schedule.steps) {
    step.at_s = whole_ms(step.at_s);
    const auto fault = fault_of_time(step.at_s, before);
    // Only the first misplaced step is reported: it makes later steps look misplaced too.
    if (in_order && !fault.empty()) {
      reader.complain_at(fmt::format("steps/{}/at_s", before.size()), fault);
      in_order = false;
    }
    before.push_back(step);
  }
  if (schedule.steps.size() > kMostSteps) {
    reader.complain("steps", fmt::format("found {} steps, expected 1 to {}", schedule.steps.size(),
                                         kMostSteps));
  }
  schedule.repeat_s = whole_ms(schedule.repeat_s);
  const double least_s = (schedule.any() ? schedule.steps.back().at_s : 0) + kLeastStepS;
  if (in_order && schedule.repeat_s != 0 && schedule.repeat_s < least_s - 1e-9) {
    reader.complain("repeat_s",
                    fmt::format("found {}, expected at least {:g}: {:g} ms after the last step",
                                schedule.repeat_s, least_s, 1000 * kLeastStepS));
  }
  return schedule;
}

RateSchedule read_trace(ObjectReader& reader, const std::string& source) {
  const auto file = reader.text("trace");
  const auto interval_ms =
      static_cast<int>(reader.integer_or("interval_ms", 100, {10.0, 60000.0, false}));
  if (file.empty()) return {};
  const auto path = (std::filesystem::path{source}.parent_path() / file).string();
  try {
    auto schedule = read_rate_trace(path, interval_ms);
    if (schedule.steps.size() > kMostSteps) {
      reader.complain("interval_ms",
                      fmt::format("found {} steps when {} is cut into such intervals, expected at "
                                  "most {}: choose longer intervals",
                                  schedule.steps.size(), file, kMostSteps));
    }
    return schedule;
  } catch (const ConfigError& error) {
    reader.complain("trace", fmt::format("{}: {}", error.source(), error.issues().at(0).message));
  } catch (const std::system_error& error) {
    reader.complain("trace", error.what());
  }
  return {};
}

}  // namespace

RateSchedule read_rate_schedule(ObjectReader reader, const std::string& source) {
  auto schedule = reader.has("trace") ? read_trace(reader, source) : read_steps(reader);
  reader.finish();
  return schedule;
}

RateSchedule read_rate_trace(const std::string& path, int interval_ms) {
  const auto times = read_times(path);
  const auto end_ms = times.back();
  // A rest of less than half an interval, or shorter than a step may be, belongs to the interval
  // before it.
  const auto least_ms =
      std::max<std::int64_t>(interval_ms - interval_ms / 2, std::llround(1000 * kLeastStepS));
  const auto rest_ms = end_ms % interval_ms;
  const auto count =
      std::max<std::int64_t>(1, end_ms / interval_ms + (rest_ms >= least_ms ? 1 : 0));
  std::vector<Interval> intervals;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto start_ms = i * interval_ms;
    intervals.push_back({start_ms, i + 1 < count ? interval_ms : end_ms - start_ms});
  }
  for (const auto time : times) {
    // A packet at the border of two intervals counts in the earlier one.
    const auto interval = std::clamp<std::int64_t>((time - 1) / interval_ms, 0, count - 1);
    intervals[static_cast<std::size_t>(interval)].kilobits += kPacketKilobits;
  }
  hold_least_rate(intervals);
  RateSchedule schedule;
  for (const auto& interval : intervals) {
    const double rate_mbit = interval.rate_mbit();
    if (!schedule.any() || schedule.steps.back().rate_mbit != rate_mbit) {
      schedule.steps.push_back({static_cast<double>(interval.start_ms) / 1000, rate_mbit});
    }
  }
  if (schedule.steps.size() > 1) schedule.repeat_s = static_cast<double>(end_ms) / 1000;
  return schedule;
}

}  // namespace pacbench
