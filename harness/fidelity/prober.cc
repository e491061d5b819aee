#include "harness/fidelity/prober.h"

#include "base/clock.h"
#include "harness/cell_log.h"
#include "harness/fabric.h"
#include "harness/fidelity/calibrated.h"
#include "harness/statistics.h"

namespace pacbench {
namespace {

constexpr double kDuration_s = 2;
// While TCP looks for the rate; longer where a round trip takes long.
constexpr std::int64_t kSettleNs = 250'000'000;
constexpr std::int64_t kSettleWithDelayNs = 1'000'000'000;
constexpr int kPings = 10;

std::vector<Path> paths_of(const LinkProbe& probe) {
  std::vector<Path> paths;
  for (const auto& flow : probe.flows) paths.push_back(flow.path);
  return paths;
}

void measure_rates(Probing& probing, LinkProbe& probe) {
  const auto measured = probing.flows(paths_of(probe), kDuration_s);
  auto [from_ns, to_ns] = common_time(measured);
  from_ns += probe.judges_slow ? kSettleNs : kSettleWithDelayNs;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    probe.flows[i].goodput_mbit = goodput_mbit(measured[i], from_ns, to_ns);
    probe.flows[i].window_s = seconds(to_ns - from_ns);
    probe.flows[i].retransmits = measured[i].retransmits;
  }
}

void measure_round_trips(Probing& probing, LinkProbe& probe) {
  const auto times_ms = probing.pings_ms(paths_of(probe), kPings);
  for (std::size_t i = 0; i < times_ms.size(); ++i) probe.flows[i].rtt_ms = median(times_ms[i]);
}

}  // namespace

LinkProbe probe_links(const Programs& programs, const netd::CreateRequest& request,
                      const Interrupt& interrupt) {
  LinkProbe probe;
  probe.flows = planned_flows(request);
  probe.judges_slow = is_plain(request);
  try {
    const auto share =
        calibrated_ring_share(bottleneck_mbit(request), static_cast<int>(request.workers.size()));
    probe.calibrated = share.has_value();
    probe.reference = share.value_or(1);
    Fabric fabric{programs.daemon, request};
    Probing probing{fabric, programs.probe, interrupt};
    measure_rates(probing, probe);
    if (!probe.judges_slow) measure_round_trips(probing, probe);
  } catch (const CellEnded&) {
    throw;
  } catch (const std::exception& error) {
    probe.failure = error.what();
  }
  return probe;
}

}  // namespace pacbench
