#include "harness/probes/quiet_goodput.h"

#include <optional>
#include <vector>

#include "base/clock.h"
#include "harness/statistics/spread.h"

namespace pacbench::probes {
namespace {

constexpr std::int64_t kAfterNs = 25'000'000;

using Sample = links::FlowMeasurement::Sample;

bool is_quiet(const MachineTrace& machine, const Sample& from, const Sample& to) {
  return !is_disturbed(machine, from.at_ns - kAfterNs, to.at_ns);
}

}  // namespace

Received quiet_goodput(const links::FlowMeasurement& flow, std::int64_t from_ns, std::int64_t to_ns,
                       const MachineTrace& machine) {
  Received all;
  for (std::size_t i = 1; i < flow.samples.size(); ++i) {
    const auto& before = flow.samples[i - 1];
    const auto& after = flow.samples[i];
    if (before.at_ns < from_ns || after.at_ns > to_ns) continue;
    if (!is_quiet(machine, before, after)) continue;
    all.bytes += static_cast<double>(after.bytes - before.bytes);
    all.time_s += seconds(after.at_ns - before.at_ns);
  }
  return all;
}

std::optional<double> best_mbit(const links::FlowMeasurement& flow, std::int64_t from_ns,
                                std::int64_t to_ns) {
  constexpr std::size_t kFewest = 10;
  constexpr double kBest = 0.9;
  std::vector<double> rates_mbit;
  for (const auto& part : links::parts_of(flow, from_ns, to_ns)) rates_mbit.push_back(part.mbit);
  if (rates_mbit.size() < kFewest) return std::nullopt;
  return statistics::quantile(rates_mbit, kBest);
}

}  // namespace pacbench::probes
