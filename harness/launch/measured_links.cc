#include "harness/launch/measured_links.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/frames.h"
#include "harness/links/fabric.h"
#include "harness/links/probing.h"
#include "harness/record/probe_plan.h"
#include "harness/statistics/spread.h"

namespace pacbench::launch {
namespace {

constexpr double kProbe_s = 4;
// The start of a flow is left out, since TCP looks for the rate first.
constexpr std::int64_t kSettleNs = 1'000'000'000;
constexpr int kPings = 20;

// A host that is taken away for a while holds its flows up: then they are measured again.
constexpr int kMostTries = 4;
constexpr double kSteadyShare = 0.8;
constexpr double kNear = 0.05;

/// The measurements of a ring of all nodes. First the flows run all at once, then the pings do.
struct RingRates {
  std::vector<double> goodputs_mbit;  ///< from each node to the next
  double steady_share = 0;   ///< of the least steady flow's time: at its own goodput, within kNear
  double round_trip_ms = 0;  ///< the least one
};

double steady_share(const links::FlowMeasurement& flow, double goodput_mbit) {
  double all_s = 0;
  double near_s = 0;
  for (const auto& part : links::parts_of(flow, flow.start_ns() + kSettleNs, flow.end_ns())) {
    all_s += part.time_s;
    if (std::abs(part.mbit - goodput_mbit) <= kNear * goodput_mbit) near_s += part.time_s;
  }
  return all_s > 0 ? near_s / all_s : 0;
}

RingRates measure_flows(links::Probing& probing, const std::vector<plan::Path>& ring) {
  RingRates rates{{}, 1};
  // Each flow is timed by the clock of its receiver, since clocks differ between hosts.
  for (const auto& flow : probing.flows(ring, kProbe_s)) {
    const double mbit = links::goodput_mbit(flow, flow.start_ns() + kSettleNs, flow.end_ns());
    rates.goodputs_mbit.push_back(mbit);
    rates.steady_share = std::min(rates.steady_share, steady_share(flow, mbit));
  }
  return rates;
}

/// Measures until the flows are steady; of several tries the steadiest counts, whatever its rates.
RingRates measure_until_steady(links::Probing& probing, const std::vector<plan::Path>& ring) {
  RingRates best;
  for (int tries = 0; tries < kMostTries && best.steady_share < kSteadyShare; ++tries) {
    auto rates = measure_flows(probing, ring);
    if (tries == 0 || rates.steady_share > best.steady_share) best = std::move(rates);
  }
  return best;
}

RingRates measure_ring(const Scenario& scenario, const Programs& programs) {
  const Interrupt interrupt;
  auto request = netd::star(scenario.workers, kMostLinkMbit);
  request.measured = true;
  links::Fabric fabric{programs.daemon, request};
  links::Probing probing{fabric, programs.probe, interrupt};
  const auto ring = record::ring_of(scenario.workers);
  auto rates = measure_until_steady(probing, ring);
  std::vector<double> least_ms;
  for (const auto& times : probing.pings_ms(ring, kPings)) {
    least_ms.push_back(std::ranges::min(times));
  }
  rates.round_trip_ms = std::ranges::min(least_ms);
  return rates;
}

/// Rounds to three significant digits: two measurements would not agree in more.
double rounded(double rate_mbit) {
  const double unit = std::pow(10, std::floor(std::log10(rate_mbit)) - 2);
  return std::round(rate_mbit / unit) * unit;
}

}  // namespace

bool has_unknown_links(const Scenario& scenario) {
  return std::ranges::any_of(scenario.network.links, &LinkProfile::is_unknown);
}

Scenario with_measured_links(Scenario scenario, const Programs& programs,
                             const std::function<void(const std::string&)>& say) {
  const auto rates = measure_ring(scenario, programs);
  const double frames_for_payload = 1 / payload_share(scenario.network.mtu);
  const auto [least, most] = std::ranges::minmax(rates.goodputs_mbit);
  const double rate_mbit = rounded(statistics::median(rates.goodputs_mbit) * frames_for_payload);
  for (auto& link : scenario.network.links) {
    if (link.is_unknown()) link.up_mbit = link.down_mbit = rate_mbit;
  }
  say(fmt::format(
      "measured links: {:g} Mbit/s of frames, the median flow in a ring of all {} nodes "
      "(slowest {:.4g}, fastest {:.4g}), shortest round trip {:.2f} ms",
      rate_mbit, scenario.workers, least * frames_for_payload, most * frames_for_payload,
      rates.round_trip_ms));
  return scenario;
}

Scenario with_links_of(Scenario scenario, const Scenario& recorded) {
  for (auto& link : scenario.network.links) {
    const auto& known = recorded.network.links;
    const auto found = std::find_if(known.begin(), known.end(), [&](const LinkProfile& other) {
      return other.name == link.name && other.measured;
    });
    if (!link.is_unknown() || found == known.end()) continue;
    link.up_mbit = found->up_mbit;
    link.down_mbit = found->down_mbit;
  }
  return scenario;
}

}  // namespace pacbench::launch
