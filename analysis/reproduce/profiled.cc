#include "analysis/reproduce/profiled.h"

#include <vector>

#include "harness/statistics/spread.h"

namespace pacbench::reproduce {
namespace {

const Json* find_compose(const MeasuredLink& link) {
  const auto& scenario = link.result->scenario;
  return link.setting.mode == Mode::kCompose ? &scenario.at("compose") : nullptr;
}

double work_ms(const Json& bucket) {
  double sum_ms = bucket.at("end_ms");
  for (const auto& step : bucket.at("steps")) sum_ms += step.at("work_ms").get<double>();
  return sum_ms;
}

/// The work of one rank in an iteration, in ms, from the profile of its calls.
double iteration_ms(const Json& calls) {
  double sum_ms = work_ms(calls.at("beside"));
  for (const auto& bucket : calls.at("buckets")) sum_ms += work_ms(bucket);
  for (const char* around : {"step", "weights"}) {
    if (calls.contains(around)) sum_ms += work_ms(calls.at(around));
  }
  return sum_ms;
}

/// The mean work per iteration, in ms, over the iterations of the profile. Where ranks differ, it
/// is that of rank 0.
double mean_ms(const Json& exchanges) {
  if (!exchanges.contains("ranks")) return iteration_ms(exchanges);
  const auto& iterations = exchanges.at("ranks").front().at("iterations");
  double sum_ms = 0;
  for (const auto& iteration : iterations) sum_ms += iteration_ms(iteration);
  return sum_ms / static_cast<double>(iterations.size());
}

/// Whether this link's workers replay that entry of a profile.
bool is_of(const Json& exchanges, const Json& method, const MeasuredLink& link) {
  if (exchanges.at("method") != method) return false;
  if (exchanges.at("workers") != link.result->scenario.at("workers")) return false;
  if (!exchanges.contains("link")) return true;
  const auto& where = exchanges.at("link");
  return where.at("rate_mbit") == link.setting.rate_mbit &&
         where.at("topology") == link.setting.topology;
}

}  // namespace

std::optional<double> profiled_compute_s(const MeasuredLink& link) {
  const auto* compose = find_compose(link);
  if (compose == nullptr) return std::nullopt;
  std::vector<double> times_ms;
  for (const auto& iteration : compose->at("profile").value("iterations", Json::array())) {
    if (iteration.value("worker", 0) != 0) continue;
    times_ms.push_back(iteration.at("forward_ms").get<double>() +
                       iteration.at("ready_ms").back().get<double>());
  }
  return times_ms.empty() ? std::nullopt : std::optional{1e-3 * statistics::median(times_ms)};
}

std::optional<double> profiled_encode_s(const MeasuredLink& link, const std::string& label) {
  const auto* compose = find_compose(link);
  if (compose == nullptr || compose->value("exchange", "here") != "profile") return std::nullopt;
  auto method = link.method(label);
  method.erase("label");
  for (const auto& exchanges : compose->at("profile").value("exchanges", Json::array())) {
    if (!is_of(exchanges, method, link)) continue;
    return 1e-3 * mean_ms(exchanges);
  }
  return std::nullopt;
}

}  // namespace pacbench::reproduce
