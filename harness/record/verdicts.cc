#include "harness/record/verdicts.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/record/program_totals.h"
#include "harness/statistics/spread.h"

namespace pacbench::record {
namespace {

constexpr double kBusyIdleShare = 0.05;
constexpr double kFloorMultiple = 5;
// Acknowledgements, which nobody sends again, share the queues with segments; there is at most one
// acknowledgement for each segment, so two drops per retransmit are allowed.
constexpr std::int64_t kDropsPerRetransmit = 2;
// On any network TCP now and then sends a tail loss probe needlessly, so a few such are allowed.
constexpr double kNeedlessShare = 0.001;
constexpr std::int64_t kNeedlessAnyway = 20;
constexpr double kControlShare = 0.01;
constexpr std::size_t kDeviationsShown = 3;
constexpr const char* kComputeLess =
    "use fewer workers, a smaller model or batch, a lower rate, or a machine with more cores";
constexpr const char* kTakeTurns =
    "ranks that share a GPU take turns on it, and each hop of a collective waits for its turn; use "
    "a GPU for each rank, NVIDIA's MPS, or backend gloo";

/// Adds reasons where rates did not change as the schedule declares.
void judge_steps(const CellRecord& record, std::vector<std::string>& reasons) {
  const auto& steps = record.network().steps();
  const auto late = std::count_if(steps.begin(), steps.end(), [](const auto& step) {
    return step.applied_ns - step.due_ns > RateLimits::kStepToleranceNs;
  });
  if (late > 0) {
    const auto worst =
        std::max_element(steps.begin(), steps.end(), [](const auto& a, const auto& b) {
          return a.applied_ns - a.due_ns < b.applied_ns - b.due_ns;
        });
    reasons.push_back(fmt::format(
        "{} of {} steps of the schedule came over {} ms late, the worst by {:.1f} ms; use fewer "
        "workers or an idle machine, and a daemon that may use a real-time class",
        late, steps.size(), RateLimits::kStepToleranceNs / 1'000'000,
        static_cast<double>(worst->applied_ns - worst->due_ns) / 1e6));
  }
  if (record.counted().empty()) return;
  const auto end_ns = record.counted().begin()->second.back().end_ns;
  const auto due = record.limits().steps_due(end_ns - RateLimits::kStepToleranceNs);
  const auto taken = std::count_if(steps.begin(), steps.end(),
                                   [&](const auto& step) { return step.due_ns <= end_ns; });
  if (taken < due) {
    reasons.push_back(
        fmt::format("{} of the {} rate changes that the schedule set before the end of training "
                    "never took effect",
                    due - taken, due));
  }
}

/// Adds a reason where TCP took packets for lost that were only late or overtaken.
void judge_retransmits(const Losses& losses, std::vector<std::string>& reasons) {
  const auto needless = losses.needless();
  const double share = static_cast<double>(needless) /
                       static_cast<double>(std::max<std::int64_t>(losses.sent_segments, 1));
  if (losses.sent_segments == 0 || needless <= kNeedlessAnyway || share <= kNeedlessShare) return;
  reasons.push_back(fmt::format(
      "TCP sent {} segments again that no queue had dropped, {:.2f} % of all, expected at most "
      "{:g} %: packets overtook each other or came very late, and TCP slows down for that; see "
      "whether pacbench doctor finds steering, which keeps packets in order, or use fewer workers",
      needless, 100 * share, 100 * kNeedlessShare));
}

/// Adds a reason where a program moved its data past the links.
void judge_control(const CellRecord& record, std::vector<std::string>& reasons) {
  const double share = control_share(record);
  if (share <= kControlShare) return;
  reasons.push_back(fmt::format(
      "{:.1f} % of the bytes that the program sent went over the control network, which is not "
      "shaped; expected at most {:g} %. Let it exchange data over GLOO_SOCKET_IFNAME or "
      "NCCL_SOCKET_IFNAME, and use MASTER_ADDR for the rendezvous alone",
      100 * share, 100 * kControlShare));
}

/// Adds a reason where the links carried more or fewer bytes than the recorded collectives send.
void judge_bytes(const WireBytes& wire, std::vector<std::string>& reasons) {
  if (wire.agree()) return;
  reasons.push_back(fmt::format(
      "the links counted {:.0f} bytes that a worker sent in an iteration; its collectives, Gloo's "
      "headers and those of the counted frames explain {:.0f}, with a tolerance of {:.0f}{}; look "
      "for other traffic over these links, or for collectives that send something else than was "
      "recorded of them",
      wire.counted, wire.explained, wire.tolerance(),
      wire.resent > 0 ? fmt::format(", and {:.0f} more that TCP sent again", wire.resent) : ""));
}

}  // namespace

/// Says how much of the CPUs' time went to packets, and for which share of the time some task
/// waited for a CPU.
std::string busy_with(const std::vector<HostSample>& samples) {
  const auto softirq =
      median_of(samples, [](const auto& sample) { return std::optional{sample.softirq}; });
  const auto pressure = median_of(samples, [](const auto& sample) { return sample.pressure; });
  auto words = fmt::format("carrying packets (softirq) took {:.0f} %", 100 * softirq.value_or(0));
  if (pressure) {
    words += fmt::format(", and tasks waited for a CPU for {:.0f} % of the time", 100 * *pressure);
  }
  return words;
}

Verdict link_verdict(const CellRecord& record, const Losses& losses,
                     const std::optional<WireBytes>& wire, bool of_program) {
  Verdict verdict;
  for (const auto& probe : record.probes()) {
    for (auto& reason : reasons(probe)) verdict.reasons.push_back(std::move(reason));
  }
  if (record.counters()) {
    const auto& deviations = record.counters()->deviations;
    for (std::size_t i = 0; i < std::min(deviations.size(), kDeviationsShown); ++i) {
      verdict.reasons.push_back(
          fmt::format("the links were not as declared at the end: {}; something else changed them "
                      "while the cell ran",
                      deviations[i]));
    }
  }
  if (losses.dropped_packets > kDropsPerRetransmit * losses.retransmits) {
    verdict.reasons.push_back(fmt::format(
        "the links' queues dropped {} packets, but TCP sent only {} segments again; use "
        "a longer queue (queue_kb), or look for traffic that is not TCP's",
        losses.dropped_packets, losses.retransmits));
  }
  judge_retransmits(losses, verdict.reasons);
  judge_steps(record, verdict.reasons);
  if (wire) judge_bytes(*wire, verdict.reasons);
  if (of_program) judge_control(record, verdict.reasons);
  const auto& excesses = record.excesses();
  if (!excesses.empty()) {
    const auto& worst =
        *std::max_element(excesses.begin(), excesses.end(),
                          [](const auto& a, const auto& b) { return a.ratio < b.ratio; });
    verdict.reasons.push_back(
        fmt::format("in {} iterations of a rank more bytes crossed its link than the link's rate "
                    "allows; the worst is iteration {} of rank {}, with {:.2f} times the bytes "
                    "that are possible; where pacbench shapes the links, the shaping did not hold: "
                    "run pacbench doctor, which tests it",
                    excesses.size(), worst.iteration, worst.rank, worst.ratio));
  }
  if (!verdict.reasons.empty()) verdict.word = "suspect";
  return verdict;
}

Verdict host_verdict(const CellRecord& record, double scheduling_floor_ms, const Lateness& lateness,
                     bool gpus_shared) {
  Verdict verdict;
  const auto& host = record.host();
  const auto busy = std::count_if(host.begin(), host.end(), [](const HostSample& sample) {
    return sample.idle < kBusyIdleShare;
  });
  if (2 * static_cast<std::size_t>(busy) > host.size()) {
    verdict.reasons.push_back(
        fmt::format("the CPU was less than {:.0f} % idle in {} of {} seconds; {}; {}",
                    100 * kBusyIdleShare, busy, host.size(), busy_with(host), kComputeLess));
  }
  const auto& wire_s = record.bucket_wire_s();
  const double wire_ms = wire_s.empty() ? 0 : 1000 * statistics::median(wire_s);
  if (!wire_s.empty() && wire_ms < kFloorMultiple * scheduling_floor_ms) {
    verdict.reasons.push_back(fmt::format(
        "the median bucket was on the wire for {:.2f} ms, less than {:g} times the {:.2f} ms that "
        "scheduling alone takes; {}",
        wire_ms, kFloorMultiple, scheduling_floor_ms, gpus_shared ? kTakeTurns : kComputeLess));
  }
  if (lateness.too_much()) {
    verdict.reasons.push_back(
        fmt::format("a worker that sleeps instead of computing woke up {:.1f} ms late, {:.0f} % of "
                    "a step, while it had nothing on the wire, so it waited for a CPU; {}",
                    1000 * lateness.late_s, 100 * lateness.late_s / lateness.step_s, kComputeLess));
  }
  if (!verdict.reasons.empty()) verdict.word = "cpu-bound";
  return verdict;
}

}  // namespace pacbench::record
