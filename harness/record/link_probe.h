#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json/json_reader.h"
#include "contract/worker/event_kind.h"
#include "harness/machine/disturbance.h"
#include "harness/plan/plan.h"

namespace pacbench::record {

/// One flow of a probe: from a worker to the next one.
struct ProbedFlow {
  plan::Path path;
  int round = 0;                        ///< flows of a round are measured at the same time
  std::vector<std::string> directions;  ///< that it crosses, see contract/fabric/fabric_spec.h
  double expected_mbit = 0;             ///< payload, by arithmetic
  double offered_mbit = 0;              ///< payload that is sent, paced; 0: as much as TCP gets
  /// UDP datagrams, more than the links carry: they show a rate whatever the delay and the loss.
  bool datagrams = false;
  /// The idle share of the CPUs' time while datagrams were sent; absent for TCP, and where the
  /// kernel does not say.
  std::optional<double> idle_share;
  double goodput_mbit = 0;  ///< in what no disturbance of the machine touched
  double window_s = 0;      ///< that the goodput was taken over
  /// The goodput of the whole window, disturbances included. Absent where none was left out.
  std::optional<double> whole_mbit;
  /// The goodput of the window's best twentieths of a second: a tenth of them had as much or more.
  /// Whatever takes the CPUs can only lower it. Absent in probes of an earlier pacbench.
  std::optional<double> best_mbit;
  /// The rate that half of the flow's bytes came at or faster, packet by packet. A hypervisor that
  /// takes CPUs for a millisecond now and then holds up some packets, but the spacing of most is
  /// that of the link. Absent in probes of an earlier pacbench.
  std::optional<double> packet_mbit;
  /// The packet_mbit that is due. 0 where the spacing of packets shows no rate, and in probes of an
  /// earlier pacbench.
  double expected_spacing_mbit = 0;
  double expected_rtt_ms = 0;
  double rtt_slack_ms = 0;       ///< how far rtt_ms may be from expected_rtt_ms
  std::optional<double> rtt_ms;  ///< measured where there is delay, loss or reordering
  std::int64_t retransmits = 0;
  int attempts = 1;  ///< the numbers are those of the last one
};

/// From this share of the CPUs' time on a probe counts as disturbed.
inline constexpr double kTakenWorthSaying = 0.02;

/// How long the queue of a direction holds a packet when it is full: its standing delay.
struct ProbedQueue {
  std::string direction;
  double expected_ms = 0;  ///< the queue's bytes at the direction's rate
  /// The least and the most that was measured in several attempts; absent where the queue never
  /// overflowed, as on a host that is too slow for it.
  std::optional<double> shortest_ms;
  std::optional<double> longest_ms;
  int attempts = 1;
  /// Of the CPUs' time, during the attempts; what takes CPUs can only make packets wait longer.
  double taken_share = 0;
};

/// Whether a full queue held packets for a time other than its bytes need, by more than 15 % and
/// 0.3 ms, in every attempt. On a machine of which over 2 % was taken a longer time is no fault.
bool is_queue_off(const ProbedQueue& queue);

/// The measurement of the flows that harness/record/probe_plan.h plans, from workers to the next
/// ones, over the links of some cells. It is made before or after these cells.
struct LinkProbe {
  std::string link;                ///< name of the link profile
  std::string when;                ///< before or after
  std::vector<std::string> cells;  ///< by the names of their folders
  /// All numbers are as on the machine's clock, at which the links are this many times slower than
  /// declared.
  int time_dilation = 1;
  double reference = 1;     ///< calibrated share of the arithmetic goodput; 1 where there is none
  bool calibrated = false;  ///< the reference is this machine's own
  /// Whether a flow of TCP that is too slow makes the link suspect. It does over links without
  /// delay, jitter, loss and reordering, which TCP fills within the probe. With any of these TCP
  /// may take longer, so only datagrams that come too slowly make the link suspect, and only where
  /// the CPUs had time left to send them.
  bool judges_slow = true;
  std::vector<ProbedFlow> flows;
  std::vector<ProbedQueue> queues;  ///< of the workers' own links; empty in earlier probes
  /// The share of the CPUs' time that a hypervisor kept from this machine during the measurement;
  /// absent where the kernel does not say, and in probes of an earlier pacbench.
  std::optional<double> stolen_share;
  /// What a meter measured meanwhile; absent where none watched the machine.
  std::optional<MachineTrace> machine;
  std::string failure;  ///< why there is no measurement; empty when there is
};

/// The shortest time without a disturbance that shows a flow's rate. Where less is left, the
/// goodput is that of the whole window.
inline constexpr double kLeastQuiet_s = 0.5;

/// The length of the parts of a flow that rates are found among: shorter ones have too few packets,
/// and the quiet times of a disturbed machine are longer than most of these.
inline constexpr double kPart_s = 0.05;

/// The ratio of goodput to what arithmetic expects (for a paced flow: to what was offered), of the
/// flow whose ratio is farthest from 1. Absent when nothing was measured.
std::optional<double> worst_ratio(const LinkProbe& probe);

/// Whether the goodput is off by more than 3 % plus one packet of 22 KB: above what arithmetic
/// expects, in quiet times, in all or in its best parts, or, where the probe judges slow flows,
/// below the reference share of it. A paced flow is compared with what was offered instead. A slow
/// flow is not off where disturbances of the machine explain it.
bool is_off(const LinkProbe& probe, const ProbedFlow& flow);

/// Says why the links are not what was declared. There is a reason for each round trip that is off
/// by more than 1 ms plus the declared jitter, and one for the flow that is farthest off. Each
/// names the directions, what was measured and expected, and what to change. Where the probe
/// failed, the one reason is its failure. Empty when nothing is off.
std::vector<std::string> reasons(const LinkProbe& probe);

/// Says what disturbances of the machine did to the probe; empty where they took less than 2 % of
/// the CPUs' time.
std::vector<std::string> disturbances(const LinkProbe& probe);

Json to_json(const LinkProbe& probe);
/// Throws Json::exception when `line` is no probe.
LinkProbe link_probe_from_json(const Json& line);

}  // namespace pacbench::record
