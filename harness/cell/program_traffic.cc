#include "harness/cell/program_traffic.h"

#include "base/clock.h"

namespace pacbench::cell {
namespace {

// A load reports every 100 ms, and its report is read up to 100 ms later. So the counters are up to
// this time ahead of the reports.
constexpr double kReportLag_s = 0.2;
// Handshakes, and acknowledgements that were lost, make a load's frames differ from its report.
constexpr double kUnreportedShare = 0.01;

}  // namespace

Received received_at(std::int64_t at_ns, const netd::CountersReply& counters,
                     const record::NetworkTrace& network) {
  Received received{at_ns, 0, 0};
  for (const auto& link : counters.links) {
    if (!link.name.starts_with("worker") || !link.name.ends_with(".down")) continue;
    received.all_bytes += static_cast<double>(link.bytes);
  }
  for (const auto& [load, samples] : network.loads()) {
    const auto frames = network.frames_at(load, at_ns);
    received.load_bytes += frames.data_received + frames.acknowledgements;
  }
  return received;
}

bool has_moved(const Received& before, const Received& now, double others_bytes_per_s) {
  const double since_s = seconds(now.at_ns - before.at_ns);
  const double load_bytes = now.load_bytes - before.load_bytes;
  const double unreported_bytes = load_bytes * (kReportLag_s / since_s + kUnreportedShare);
  const double own_bytes = now.all_bytes - before.all_bytes - load_bytes;
  return own_bytes > unreported_bytes + others_bytes_per_s * since_s;
}

}  // namespace pacbench::cell
