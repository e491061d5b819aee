#pragma once

#include <algorithm>

#include "contract/result/result.h"
#include "harness/record/gloo_wire.h"
#include "harness/record/quiet_steps.h"
#include "harness/record/record.h"

namespace pacbench::record {

/// The packets that the shaped queues dropped in the cell's iterations, and the segments that TCP
/// sent again.
struct Losses {
  std::int64_t dropped_packets = 0;
  std::int64_t retransmits = 0;
  /// Full segments that were sent. 0 where the scenario itself delays, loses or reorders packets:
  /// then retransmits are not judged.
  std::int64_t sent_segments = 0;
  std::int64_t segments_per_packet = 1;  ///< at most: a queue drops packets, TCP sends segments
  /// The packets that queues between switches dropped in the whole cell. 0 for a user's own
  /// program, whose `dropped_packets` include them.
  std::int64_t dropped_between_switches = 0;

  /// The share of all segments that may be sent again although no queue dropped them. They cost
  /// that share of the time on the wire, and as many bytes may be unexplained. A link on which
  /// packets overtake each other is found by its probe.
  static constexpr double kMostNeedless = 0.01;

  /// How many segments TCP sent again although no queue had dropped them.
  std::int64_t needless() const {
    return std::max<std::int64_t>(
        0, retransmits - (dropped_packets + dropped_between_switches) * segments_per_packet);
  }
};

/// Was the network what was declared? "suspect" when one of these holds:
/// - a probe before or after failed or found a flow that is off (record/link_probe.h), or the
///   kernel held other settings at the end
/// (What a disturbance of the machine may have caused is left to machine_verdict().)
/// - queues dropped more than twice the packets that TCP sent again (to find the rate, TCP fills
///   queues until they drop, and sends each dropped segment again; as many acknowledgements may be
///   among the dropped)
/// - TCP sent segments again that no queue had dropped: more than 20, and over kMostNeedless of
/// all,
///   on a machine that was not disturbed
/// - more bytes were counted over an iteration than the declared rate carries in its time plus 3 %,
///   plus one burst of 15 kB; where a disturbance stood between the reading of clock and counters,
///   its time counts too
/// - a step of the schedule was taken over 5 ms late, outside any disturbance, or not at all
/// - a program of the user's own (`of_program`) sent its data past the links
///   (record/program_bytes.h). What pacbench's workers send past them is known: their barriers and
///   hashes.
/// - the bytes that links counted are not those that collectives explain (`wire`, where known)
Verdict link_verdict(const CellRecord& record, const Losses& losses,
                     const std::optional<WireBytes>& wire = {}, bool of_program = false);

/// The time that ranks waited for a CPU where they were to have one: after sleep that takes the
/// place of work (mode compose), and in work that has a core of its own in emulated time (time
/// dilation).
struct Lateness {
  double late_s = 0;             ///< median over steps (CellRecord::Step::late_s); 0 in other cells
  double step_s = 0;             ///< median over steps
  bool is_of_own_cores = false;  ///< with time dilation

  bool too_much() const { return late_s > kMost * step_s; }
  static constexpr double kMost = 0.05;
};

/// Did others take the machine away while the cell ran? "disturbed" when they took more than 2 % of
/// the CPUs' time or touched more than a tenth of the steps, or a taskset or a quota leaves the run
/// fewer CPUs than the machine has; "unknown" when no thread could watch
/// the CPUs. The first reason says who took how much, and what the repair did. Others name what the
/// disturbances may have caused: TCP's needless retransmissions, late steps of the schedule, slow
/// probes. Absent where nothing watched the machine.
std::optional<Verdict> machine_verdict(const CellRecord& record, const Losses& losses,
                                       const QuietSteps& quiet);

/// Did computing on this host, not the link, set the step time? "cpu-bound" when ranks were late
/// too much, when the median bucket was on the wire for less than five times the scheduling floor,
/// or when the CPU was less than 5 % idle in over half of the seconds (and others took less than a
/// fifth of it). With time dilation a busy CPU is no reason: what had its core is on time. Each
/// reason says what to change; `gpus_shared`: the floor may be that of processes that take turns on
/// a GPU.
Verdict host_verdict(const CellRecord& record, double scheduling_floor_ms, const Lateness& lateness,
                     bool gpus_shared = false);

}  // namespace pacbench::record
