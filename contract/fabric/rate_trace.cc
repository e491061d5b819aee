#include "contract/fabric/rate_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

#include "base/files.h"

namespace pacbench {
namespace {

constexpr double kPacketBits = 1500 * 8;
constexpr std::int64_t kMostMs = 86'400'000;

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

}  // namespace

RateSchedule read_rate_trace(const std::string& path, int interval_ms) {
  const auto times = read_times(path);
  const auto end_ms = times.back();
  // A rest of less than half an interval, or shorter than a step may be, belongs to the interval
  // before it.
  const auto least_ms =
      std::max<std::int64_t>(interval_ms - interval_ms / 2, std::llround(1000 * kLeastStepS));
  const auto rest_ms = end_ms % interval_ms;
  const auto intervals =
      std::max<std::int64_t>(1, end_ms / interval_ms + (rest_ms >= least_ms ? 1 : 0));
  std::vector<double> packets(static_cast<std::size_t>(intervals));
  for (const auto time : times) {
    // A packet at the border of two intervals counts in the earlier one.
    const auto interval = std::clamp<std::int64_t>((time - 1) / interval_ms, 0, intervals - 1);
    ++packets[static_cast<std::size_t>(interval)];
  }
  RateSchedule schedule;
  for (std::int64_t i = 0; i < intervals; ++i) {
    const auto start_ms = i * interval_ms;
    const auto length_ms = i + 1 < intervals ? interval_ms : end_ms - start_ms;
    const double rate_mbit = packets[static_cast<std::size_t>(i)] * kPacketBits /
                             (static_cast<double>(length_ms) * 1000);
    const double held = std::max(rate_mbit, kLeastLinkMbit);
    if (!schedule.any() || schedule.steps.back().rate_mbit != held) {
      schedule.steps.push_back({static_cast<double>(start_ms) / 1000, held});
    }
  }
  if (schedule.steps.size() > 1) schedule.repeat_s = static_cast<double>(end_ms) / 1000;
  return schedule;
}

}  // namespace pacbench
