#include "contract/network/rate_schedule_reader.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <system_error>

#include "base/json/read_keys.h"
#include "contract/network/network_keys.h"
#include "contract/network/rate_trace.h"

namespace pacbench {
namespace {

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

}  // namespace pacbench
