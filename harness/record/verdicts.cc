#include "harness/record/verdicts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/clock.h"
#include "harness/record/program_bytes.h"
#include "harness/statistics/spread.h"

namespace pacbench::record {
namespace {

constexpr double kBusyIdleShare = 0.05;
constexpr double kFloorMultiple = 5;
// Acknowledgements, which nobody sends again, share the queues with segments; there is at most one
// acknowledgement for each segment, so two drops per retransmit are allowed.
constexpr std::int64_t kDropsPerRetransmit = 2;
// On any network TCP now and then sends a tail loss probe needlessly, so a few such are allowed.
constexpr std::int64_t kNeedlessAnyway = 20;
constexpr double kTakenShare = 0.02;
constexpr double kDisturbedSteps = 0.1;
// From this share on others, and not the run's own work, leave the CPUs without idle time.
constexpr double kTakenByOthers = 0.2;
constexpr std::size_t kDeviationsShown = 3;
constexpr const char* kComputeLess =
    "use fewer workers, a smaller model or batch, a lower rate, or a machine with more cores";
constexpr const char* kTakeTurns =
    "ranks that share a GPU take turns on it, and each hop of a collective waits for its turn; use "
    "a GPU for each rank, NVIDIA's MPS, or backend gloo";

/// Says how many steps of the schedule came late, of those that a disturbance touched or of the
/// others; empty when none did.
std::string late_steps(const CellRecord& record, bool in_disturbances) {
  const auto& steps = record.network().steps();
  std::int64_t late = 0;
  std::int64_t worst_ns = 0;
  for (const auto& step : steps) {
    const auto late_ns = step.applied_ns - step.due_ns;
    if (late_ns <= RateLimits::kStepToleranceNs) continue;
    const auto& machine = record.machine();
    const bool disturbed = machine && is_disturbed(*machine, step.due_ns, step.applied_ns);
    if (disturbed != in_disturbances) continue;
    ++late;
    worst_ns = std::max(worst_ns, late_ns);
  }
  if (late == 0) return "";
  return fmt::format(
      "{} of {} steps of the schedule came over {} ms late{}, the worst by {:.1f} ms", late,
      steps.size(), RateLimits::kStepToleranceNs / 1'000'000,
      in_disturbances ? " in disturbances" : "", static_cast<double>(worst_ns) / 1e6);
}

/// Adds reasons where rates did not change as the schedule declares.
void judge_steps(const CellRecord& record, std::vector<std::string>& reasons) {
  const auto& steps = record.network().steps();
  if (const auto words = late_steps(record, false); !words.empty()) {
    reasons.push_back(words +
                      "; use fewer workers or an idle machine, and a daemon that may use a "
                      "real-time class");
  }
  if (record.counted().empty()) return;
  const auto end_ns = record.counted().begin()->second.back().end_ns;
  const auto due = record.limits().steps_due(end_ns - RateLimits::kStepToleranceNs);
  const auto taken =
      std::ranges::count_if(steps, [&](const auto& step) { return step.due_ns <= end_ns; });
  if (taken < due) {
    reasons.push_back(
        fmt::format("{} of the {} rate changes that the schedule set before the end of training "
                    "never took effect",
                    due - taken, due));
  }
}

/// Says how many packets TCP took for lost that were only late or overtaken; empty for few.
std::string needless_retransmits(const Losses& losses) {
  const auto needless = losses.needless();
  const double share = static_cast<double>(needless) /
                       static_cast<double>(std::max<std::int64_t>(losses.sent_segments, 1));
  if (losses.sent_segments == 0 || needless <= kNeedlessAnyway || share <= Losses::kMostNeedless) {
    return "";
  }
  return fmt::format(
      "TCP sent {} segments again that no queue had dropped, {:.2f} % of all, expected at most "
      "{:g} %",
      needless, 100 * share, 100 * Losses::kMostNeedless);
}

/// The counted bytes that the links cannot have carried. A reader of counters may have been held up
/// between the clock and the counters, so a disturbance at an end of the window counts to it.
std::vector<CellRecord::Excess> impossible(const CellRecord& record) {
  constexpr std::int64_t kNearNs = 2'000'000;
  auto all = record.excesses();
  if (!record.machine()) return all;
  for (auto& excess : all) {
    auto window = excess.window;
    for (const auto& one : record.machine()->disturbances) {
      const auto touches = [&](std::int64_t at_ns) {
        return one.from_ns - kNearNs <= at_ns && at_ns <= one.to_ns + kNearNs;
      };
      if (touches(excess.window.start_ns)) window.start_ns = std::min(window.start_ns, one.from_ns);
      if (touches(excess.window.end_ns)) window.end_ns = std::max(window.end_ns, one.to_ns);
    }
    excess.ratio = record.ratio_to_possible(excess, window);
  }
  std::erase_if(all, [](const auto& excess) { return excess.ratio <= 1; });
  return all;
}

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

/// Says who took how much of the CPUs' time.
std::string taken_words(const MachineTrace& machine) {
  const double all_s = machine.cpus * seconds(machine.to_ns - machine.from_ns);
  std::vector<std::string> parts;
  const auto add = [&](double taken_s, const char* who) {
    if (taken_s >= 0.005 * all_s) parts.push_back(who + (" " + percent(taken_s / all_s)));
  };
  add(machine.stolen_s, "a hypervisor");
  add(machine.others_s, "other programs");
  add(machine.throttled_s, "the quota of a cgroup");
  return fmt::format("{} of the CPUs' time was taken from this run{}",
                     percent(machine.taken_share()),
                     parts.empty() ? "" : fmt::format(" ({})", fmt::join(parts, ", ")));
}

std::string repair_words(const CellRecord& record, const QuietSteps& quiet) {
  if (quiet.disturbed() == 0) return "no iteration was disturbed for over 3 ms at once";
  const auto all = std::ssize(record.steps());
  const auto added = quiet.added_until(all);
  if (!quiet.enough()) {
    return fmt::format(
        "{} of {} iterations were disturbed, too many to tell their time from that of "
        "the others: up to {:.2f} of {:.2f} s may be of the disturbances",
        quiet.disturbed(), all, added.high_s, record.training_s());
  }
  return fmt::format(
      "{} of {} iterations were disturbed; their times are estimated from the others, "
      "which takes {:.2f} s (95 %: {:.2f} to {:.2f}) off a clock of {:.2f} s",
      quiet.disturbed(), all, added.s, added.low_s, added.high_s, record.training_s());
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

/// Whether others took so much of the machine that packets may have come late for that.
bool is_taken(const CellRecord& record) {
  const auto machine = record.machine_in_training();
  return machine && machine->taken_share() > kTakenShare;
}

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

}  // namespace

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
  // A program may send datagrams, and nothing shows that these were sent again.
  if (!of_program && losses.dropped_packets > kDropsPerRetransmit * losses.retransmits) {
    verdict.reasons.push_back(fmt::format(
        "the links' queues dropped {} packets, but TCP sent only {} segments again; use "
        "a longer queue (queue_kb), or look for traffic that is not TCP's",
        losses.dropped_packets, losses.retransmits));
  }
  if (const auto words = needless_retransmits(losses); !words.empty() && !is_taken(record)) {
    verdict.reasons.push_back(
        words +
        ": packets overtook each other or came very late, and TCP slows down for that; see "
        "whether pacbench doctor finds steering, which keeps packets in order, or use fewer "
        "workers");
  }
  judge_steps(record, verdict.reasons);
  if (wire) judge_bytes(*wire, verdict.reasons);
  if (of_program) judge_program_bytes(record, verdict.reasons);
  const auto excesses = impossible(record);
  if (!excesses.empty()) {
    const auto& worst = *std::ranges::max_element(excesses, {}, &CellRecord::Excess::ratio);
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

std::optional<Verdict> machine_verdict(const CellRecord& record, const Losses& losses,
                                       const QuietSteps& quiet) {
  const auto machine = record.machine_in_training();
  if (!machine) return std::nullopt;
  Verdict verdict;
  const auto steps = static_cast<double>(record.steps().size());
  const bool many = static_cast<double>(quiet.disturbed()) > kDisturbedSteps * steps;
  if (is_taken(record) || many) {
    verdict.word = "disturbed";
    verdict.reasons.push_back(taken_words(*machine) + "; " + repair_words(record, quiet));
    if (auto words = needless_retransmits(losses); !words.empty()) {
      verdict.reasons.push_back(words + "; on a machine that is taken away packets come late");
    }
  } else if (!machine->watched) {
    verdict.word = "unknown";
    verdict.reasons.push_back(
        "no real-time class is allowed here, so nothing watched the CPUs, and short disturbances "
        "are not seen; run pacbench as root, or allow the class (ulimit -r 20)");
  }
  if (const auto limits = words_of_usable_cpus(record.host()); !limits.empty()) {
    verdict.reasons.push_back("this run could use only " + limits + " (pacbench doctor says why)");
  }
  for (const auto& probe : record.probes()) {
    for (auto& words : disturbances(probe)) verdict.reasons.push_back(std::move(words));
  }
  if (auto words = late_steps(record, true); !words.empty()) {
    verdict.reasons.push_back(std::move(words));
  }
  if (verdict.word == "ok" && !verdict.reasons.empty()) verdict.word = "disturbed";
  return verdict;
}

Verdict host_verdict(const CellRecord& record, double scheduling_floor_ms, const Lateness& lateness,
                     bool gpus_shared) {
  Verdict verdict;
  const auto& host = record.host();
  const auto busy = std::ranges::count_if(
      host, [](double idle) { return idle < kBusyIdleShare; }, &HostSample::idle);
  // What a quota withheld is no other's: the idle share is of what the quota allows.
  auto machine = record.machine_in_training();
  if (machine) machine->throttled_s = 0;
  const bool by_others = machine && machine->taken_share() > kTakenByOthers;
  if (2 * static_cast<std::size_t>(busy) > host.size() && !by_others && !lateness.is_of_own_cores) {
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
  if (lateness.too_much() && lateness.is_of_own_cores) {
    verdict.reasons.push_back(fmt::format(
        "a worker waited {:.1f} ms of emulated time, {:.0f} % of a step, for more of a core than "
        "it got, while it had nothing on the wire; use a larger time_dilation, or fewer workers",
        1000 * lateness.late_s, 100 * lateness.late_s / lateness.step_s));
  } else if (lateness.too_much()) {
    verdict.reasons.push_back(
        fmt::format("a worker that sleeps instead of computing woke up {:.1f} ms late, {:.0f} % of "
                    "a step, while it had nothing on the wire, so it waited for a CPU; {}",
                    1000 * lateness.late_s, 100 * lateness.late_s / lateness.step_s, kComputeLess));
  }
  if (!verdict.reasons.empty()) verdict.word = "cpu-bound";
  return verdict;
}

}  // namespace pacbench::record
