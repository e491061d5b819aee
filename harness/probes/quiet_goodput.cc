#include "harness/probes/quiet_goodput.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "harness/record/link_probe.h"
#include "harness/statistics/spread.h"

namespace pacbench::probes {
namespace {

constexpr std::int64_t kAfterNs = 25'000'000;

using Sample = links::FlowMeasurement::Sample;

bool is_quiet(const MachineTrace& machine, const Sample& from, const Sample& to) {
  return !is_disturbed(machine, from.at_ns - kAfterNs, to.at_ns);
}

/// Calls `take` with each two neighbouring samples between two times.
template <typename Take>
void for_each_pair(const links::FlowMeasurement& flow, std::int64_t from_ns, std::int64_t to_ns,
                   const Take& take) {
  for (std::size_t i = 1; i < flow.samples.size(); ++i) {
    const auto& before = flow.samples[i - 1];
    const auto& after = flow.samples[i];
    if (before.at_ns >= from_ns && after.at_ns <= to_ns) take(before, after);
  }
}

Received between(const Sample& from, const Sample& to) {
  return {static_cast<double>(to.bytes - from.bytes), seconds(to.at_ns - from.at_ns)};
}

}  // namespace

Received quiet_goodput(const links::FlowMeasurement& flow, std::int64_t from_ns, std::int64_t to_ns,
                       const MachineTrace& machine) {
  Received all;
  for_each_pair(flow, from_ns, to_ns, [&](const Sample& before, const Sample& after) {
    if (!is_quiet(machine, before, after)) return;
    const auto part = between(before, after);
    all.bytes += part.bytes;
    all.time_s += part.time_s;
  });
  return all;
}

std::optional<double> best_mbit(const links::FlowMeasurement& flow, std::int64_t from_ns,
                                std::int64_t to_ns) {
  constexpr std::size_t kFewest = 10;
  constexpr double kBest = 0.9;
  std::vector<double> parts;
  std::optional<Sample> first;
  for_each_pair(flow, from_ns, to_ns, [&](const Sample& before, const Sample& after) {
    if (!first) first = before;
    const auto part = between(*first, after);
    if (part.time_s < record::kPart_s) return;
    parts.push_back(part.mbit());
    first = after;
  });
  if (parts.size() < kFewest) return std::nullopt;
  return statistics::quantile(parts, kBest);
}

}  // namespace pacbench::probes
