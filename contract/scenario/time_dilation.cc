#include "contract/scenario/time_dilation.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "contract/fabric/dilated.h"
#include "contract/scenario/fabric_request.h"

namespace pacbench {
namespace {

bool is_impaired(const netd::CreateRequest& request) {
  bool impaired = false;
  netd::for_each_direction(request, [&](const netd::Direction& direction, const std::string&) {
    impaired = impaired || direction.impairment.any();
  });
  return impaired;
}

/// The lowest rate of a link's directions, at any time.
double lowest_mbit(const netd::CreateRequest& request, const netd::ScheduleRequest& schedule) {
  double lowest = kMostLinkMbit;
  netd::for_each_direction(request, [&](const netd::Direction& direction, const std::string&) {
    lowest = std::min(lowest, direction.rate_mbit);
  });
  for (const auto& step : schedule.steps) lowest = std::min(lowest, step.rate_mbit);
  return lowest;
}

double length_s(const netd::ScheduleRequest& schedule) {
  if (schedule.steps.empty()) return 0;
  return 1e-3 * static_cast<double>(std::max(schedule.repeat_ms, schedule.steps.back().at_ms));
}

/// Says why a scenario, valid in all else, cannot be dilated; empty where it can be.
std::string why_not_dilated(const Scenario& scenario) {
  if (!makes_links(scenario)) {
    return fmt::format("mode {} makes no links, and its times do not depend on the machine",
                       word_of(scenario.mode));
  }
  if (scenario.program) return "a program of your own runs on the machine's clock";
  if (uses_gpus(scenario)) return "a GPU cannot be slowed down";
  for (const auto& link : scenario.network.links) {
    if (link.measured) return "the links between the hosts of a cluster keep their rates";
    if (is_impaired(fabric_request(scenario, link))) {
      return "with delay, jitter, loss or reordering, times have not been shown to be the same at "
             "another speed";
    }
  }
  return {};
}

}  // namespace

TimeDilation TimeDilation::read(ObjectReader& reader, const char* key) {
  const Json& written = reader.raw(key);
  if (written == kAuto) return {.is_auto = true};
  if (written.is_number_integer() && written >= 1 && written <= kMost) {
    return {.factor = written.get<int>()};
  }
  reader.complain(key, fmt::format("found {}, expected \"{}\" or a whole number from 1 (full "
                                   "speed) to {}",
                                   written.dump(), kAuto, kMost));
  return {};
}

Json TimeDilation::schema() {
  return {
      {"anyOf", {{{"type", "integer"}, {"minimum", 1}, {"maximum", kMost}}, {{"const", kAuto}}}}};
}

void to_json(Json& json, const TimeDilation& dilation) {
  json = dilation.is_auto ? Json(TimeDilation::kAuto) : Json(dilation.factor);
}

void from_json(const Json& json, TimeDilation& dilation) {
  dilation = json.is_string() ? TimeDilation{.is_auto = true} : TimeDilation{json.get<int>()};
}

void check_time_dilation(const Scenario& scenario, std::vector<Issue>& issues) {
  const int factor = scenario.time_dilation.factor;
  if (scenario.time_dilation.is_auto || factor == 1) return;
  const auto complain = [&](const std::string& why) {
    issues.push_back({"/time_dilation", fmt::format("found {}, expected 1: {}", factor, why)});
  };
  if (const auto why = why_not_dilated(scenario); !why.empty()) return complain(why);
  for (const auto& link : scenario.network.links) {
    const auto schedule = netd::dilated(schedule_request(scenario, link), factor);
    const double mbit = lowest_mbit(daemon_request(scenario, link), schedule);
    if (mbit < kLeastShapedMbit) {
      return complain(
          fmt::format("link \"{}\" would run at {:.3g} Mbit/s, and links have at least {}",
                      link.name, mbit, kLeastShapedMbit));
    }
    if (length_s(schedule) > kMostScheduleS) {
      return complain(fmt::format(
          "the schedule of link \"{}\" would take {:g} s, and schedules have at most {:g}",
          link.name, length_s(schedule), kMostScheduleS));
    }
  }
}

void check_encode_speed(const Scenario& scenario, std::vector<Issue>& issues) {
  const double speed = scenario.encode_speed;
  if (speed == 1 || !has_network(scenario)) return;
  const auto complain = [&](const std::string& why) {
    issues.push_back({"/encode_speed", fmt::format("found {:g}, expected {}", speed, why)});
  };
  if (!makes_links(scenario) || (scenario.compose && replays_exchanges(*scenario.compose))) {
    return complain("1: recorded times say how long encoding takes");
  }
  if (scenario.program || uses_gpus(scenario)) {
    return complain("1: only what pacbench encodes on CPUs has another speed");
  }
  const auto& dilation = scenario.time_dilation;
  if (dilation.is_auto || speed <= dilation.factor) return;
  complain(fmt::format("at most {}, the time_dilation", dilation.factor));
}

void check_worker_speed(const Scenario& scenario, std::vector<Issue>& issues) {
  const auto& speed = scenario.worker_speed;
  if (speed == WorkerSpeed{} || !has_network(scenario)) return;
  const auto complain = [&](const std::string& why) {
    issues.push_back({"/worker_speed", fmt::format("found {}, {}", Json(speed).dump(), why)});
  };
  if (scenario.program || uses_gpus(scenario)) {
    return complain("expected 1: only what pacbench computes on CPUs has another speed");
  }
  if (!trains(scenario) && speed.compute_ms > 0) {
    return complain("expected a number: the profile says how long an iteration computes");
  }
  const auto& dilation = scenario.time_dilation;
  if (!trains(scenario) || dilation.is_auto || speed.times <= dilation.factor) return;
  complain(
      fmt::format("expected at most {}, the time_dilation: at this speed of time a worker is "
                  "at most that many times as fast as a core of this machine",
                  dilation.factor));
}

void require_possible_speeds(const std::string& source, const Scenario& scenario) {
  std::vector<Issue> issues;
  check_time_dilation(scenario, issues);
  check_worker_speed(scenario, issues);
  check_encode_speed(scenario, issues);
  if (issues.empty() && makes_links(scenario)) issues = fabric_issues(scenario);
  if (!issues.empty()) throw ConfigError{source, issues};
}

TimeDilation chosen_dilation(const Scenario& scenario, double usable_cores) {
  if (!why_not_dilated(scenario).empty()) return {};
  const double computing = trains(scenario) ? std::max(1.0, scenario.worker_speed.times) : 0;
  const double cores = scenario.workers * (computing + std::max(1.0, scenario.encode_speed));
  const auto least = static_cast<unsigned>(std::ceil(cores / usable_cores));
  return {.factor = std::min(static_cast<int>(std::bit_ceil(least)), TimeDilation::kMost)};
}

}  // namespace pacbench
