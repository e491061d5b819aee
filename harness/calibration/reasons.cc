// Finds reasons for a missed aim. Each rule looks at the circumstances recorded with the
// measurement. When no rule applies, the text says that no reason was found, or that none was
// looked for.
#include <fmt/format.h>

#include <cmath>

#include "harness/calibration/result.h"

namespace pacbench::calibration {
namespace {

constexpr double kBusyIdleShare = 0.1;
constexpr double kPressed = 0.1;
constexpr double kFloorMultiple = 5;

const Row* find_floor(const Calibration& calibration, double rate_mbit) {
  for (const auto& row : calibration.rows) {
    const auto& subject = row.subject;
    if (subject.quantity == Quantity::kFloor && subject.rate_mbit == rate_mbit) return &row;
  }
  return nullptr;
}

/// Says in words how much of a message is on the wire earlier than over a real link.
std::string early_bytes(double least) {
  return fmt::format(
      "HTB sends the last packet before it has tokens for all of it, and a full bucket at once: up "
      "to {:.1f} % of this message cost no time",
      100 * (1 - least));
}

bool is_time(const Row& row) { return unit_of(row.subject.quantity) == "ms"; }

}  // namespace

std::vector<std::string> reasons(const Row& row, const Calibration& calibration) {
  if (row.met(calibration.network).value_or(true)) return {};
  std::vector<std::string> found;
  const auto ratio = row.ratio(calibration.network).median;
  const bool fast = ideal(row.subject, calibration.network) && (is_time(row) == (ratio < 1));
  const auto& now = row.circumstances;
  if (const auto least = least_share(row.subject, calibration.network); fast && least) {
    found.push_back(early_bytes(*least));
  }
  if (!fast && now.idle_share < kBusyIdleShare) {
    found.push_back(fmt::format("the CPUs were {:.0f} % idle, softirq took {:.0f} %",
                                100 * now.idle_share, 100 * now.softirq_share));
  }
  if (!fast && now.cpu_pressure > kPressed) {
    found.push_back(fmt::format("tasks waited for a CPU in {:.0f} % of the time (PSI)",
                                100 * now.cpu_pressure));
  }
  if (!fast && now.dropped + now.retransmits > 0) {
    found.push_back(fmt::format("the links' queues dropped {} packets, TCP sent {} segments again",
                                now.dropped, now.retransmits));
  }
  const auto* floor = find_floor(calibration, row.subject.rate_mbit);
  if (!fast && floor != nullptr && row.subject.quantity == Quantity::kAllReduce &&
      statistics::median(row.measured) < kFloorMultiple * statistics::median(floor->measured)) {
    found.push_back(
        fmt::format("scheduling alone takes {:.1f} ms", statistics::median(floor->measured)));
  }
  if (found.empty()) {
    found.emplace_back(
        fast ? "the measurement is too fast, and pacbench looks for no reason for that"
             : "no reason found in the CPUs' load, dropped packets or segments sent "
               "again");
  }
  return found;
}

}  // namespace pacbench::calibration
