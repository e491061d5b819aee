#include "cli/dilation.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <map>

#include "harness/costs/layer_costs.h"
#include "harness/machine/cpu_allowance.h"
#include "harness/plan/plan.h"
#include "harness/store/manifest.h"

namespace pacbench::cli {
namespace {

/// How long the links need for all exchanges of the run, on the clock, where methods declare their
/// bytes beforehand.
double exchanges_s(const run::RunRequest& request, const Programs& programs) {
  const Interrupt interrupt;
  std::map<std::pair<std::string, std::string>, double> step_s;  // by link and label
  for (const auto& link : costs::layer_costs(request.scenario, programs, interrupt).links) {
    for (const auto& method : link.methods) {
      for (const auto& layer : method.layers) step_s[{link.name, method.label}] += layer.wire_s;
    }
  }
  double all_s = 0;
  for (const auto& cell : plan::plan(request.scenario, request.filter)) {
    all_s += step_s[{cell.link.name, cell.method.label}];
  }
  const auto& scenario = request.scenario;
  return all_s * scenario.time_dilation.factor *
         static_cast<double>(scenario.workload.max_iterations);
}

std::string least_words(const run::RunRequest& request, const Programs& programs) {
  const auto& scenario = request.scenario;
  // A run that goes on has cells already, and one that stops at its targets fewer iterations.
  if (request.resume || !trains(scenario) || scenario.workload.stop != "iterations") return "";
  try {
    const auto minutes = std::lround(exchanges_s(request, programs) / 60);
    if (minutes < 1) return "";
    return fmt::format(", and exchanges alone take at least {} minute{}", minutes,
                       minutes == 1 ? "" : "s");
  } catch (const std::exception&) {
    return "";  // a worker that cannot be asked will tell so when the run needs it
  }
}

}  // namespace

TimeDilation decided_dilation(const RunOptions& options, const Scenario& scenario) {
  const auto begun = options.out + "/manifest.json";
  if (options.resume && std::filesystem::exists(begun)) {
    return {store::read_manifest(options.out).scenario.value("time_dilation", 1)};
  }
  if (!options.cluster.on.empty()) return {};
  return chosen_dilation(scenario, CpuAllowance::read().usable());
}

void tell_dilation(const run::RunRequest& request, const Programs& programs) {
  const int factor = request.scenario.time_dilation.factor;
  if (factor == 1) return;
  const double cpus = CpuAllowance::read().usable();
  fmt::print(
      stderr,
      "emulated time: links, computing and the clock run {0} × slower, so that {1} workers "
      "have {2:g} CPUs as if they were {3:g}; training takes {0} × as long as the times that "
      "are shown{4} (--set /time_dilation=1 runs at full speed)\n",
      factor, request.scenario.workers, cpus, cpus * factor, least_words(request, programs));
}

}  // namespace pacbench::cli
