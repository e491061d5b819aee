#include "harness/cell_verdicts.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/statistics.h"

namespace pacbench {
namespace {

constexpr double kBusyIdleShare = 0.05;
constexpr double kFloorMultiple = 5;
constexpr std::size_t kDeviationsShown = 3;

}  // namespace

Verdict link_verdict(const CellRecord& record, const Losses& losses) {
  Verdict verdict;
  if (record.counters()) {
    const auto& deviations = record.counters()->deviations;
    for (std::size_t i = 0; i < std::min(deviations.size(), kDeviationsShown); ++i) {
      verdict.reasons.push_back("not as declared at the end: " + deviations[i]);
    }
  }
  if (losses.dropped_packets > losses.retransmits) {
    verdict.reasons.push_back(
        fmt::format("the links' queues dropped {} packets, of which TCP sent only {} again",
                    losses.dropped_packets, losses.retransmits));
  }
  const auto& excesses = record.excesses();
  if (!excesses.empty()) {
    const auto& worst =
        *std::max_element(excesses.begin(), excesses.end(),
                          [](const auto& a, const auto& b) { return a.ratio < b.ratio; });
    verdict.reasons.push_back(fmt::format(
        "more bytes than the declared rate carries in {} iterations; most in iteration {} of rank "
        "{}: {:.2f} times what is possible",
        excesses.size(), worst.iteration, worst.rank, worst.ratio));
  }
  if (!verdict.reasons.empty()) verdict.word = "suspect";
  return verdict;
}

Verdict host_verdict(const CellRecord& record, double scheduling_floor_ms) {
  Verdict verdict;
  const auto& idle = record.idle_shares();
  const auto busy =
      std::count_if(idle.begin(), idle.end(), [](double share) { return share < kBusyIdleShare; });
  if (2 * static_cast<std::size_t>(busy) > idle.size()) {
    verdict.reasons.push_back(fmt::format("the CPU was less than {:.0f} % idle in {} of {} seconds",
                                          100 * kBusyIdleShare, busy, idle.size()));
  }
  const auto& wire_s = record.bucket_wire_s();
  const double wire_ms = wire_s.empty() ? 0 : 1000 * median(wire_s);
  if (!wire_s.empty() && wire_ms < kFloorMultiple * scheduling_floor_ms) {
    verdict.reasons.push_back(fmt::format(
        "the median bucket was on the wire for {:.2f} ms, less than {:g} times the {:.2f} ms that "
        "scheduling alone takes",
        wire_ms, kFloorMultiple, scheduling_floor_ms));
  }
  if (!verdict.reasons.empty()) verdict.word = "cpu-bound";
  return verdict;
}

}  // namespace pacbench
