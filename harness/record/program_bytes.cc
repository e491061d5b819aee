#include "harness/record/program_bytes.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

namespace pacbench::record {
namespace {

constexpr double kControlShare = 0.01;
// For each process group every rank reads the addresses of all ranks' connections, so what a rank
// sends grows with the square of the number of ranks. Measured with torch 2.11: below 100 bytes for
// each pair and group, and a few kB besides. Programs have a few groups.
constexpr double kRendezvousBytes = 16e3;
constexpr double kRendezvousPairBytes = 400;

constexpr double kLoopbackMultiple = 10;
constexpr double kLoopbackAnyway = 50e3;  // the rendezvous of processes of one rank, and messages

constexpr double kFullFrameBytes = 1514;
constexpr double kConnectionBytes = 1000;
// Data fills frames, also where acknowledgements go back; messages of a few numbers do not.
constexpr double kSmallFrameBytes = 400;

// Handshakes, and acknowledgements that were lost, make a load's frames differ from its report.
constexpr double kLoadShare = 0.01;

constexpr const char* kInterfaces =
    "over the interface that GLOO_SOCKET_IFNAME, NCCL_SOCKET_IFNAME and, for "
    "torch.distributed.rpc, TP_SOCKET_IFNAME name";

/// Counts over some time, as sums over all ranks; dropped packets are those of all links.
struct Moved : CellRecord::Totals {
  std::int64_t control_bytes = 0;
  std::int64_t loopback_bytes = 0;
};

Moved counted_by(const netd::CountersReply& counters) {
  Moved moved;
  for (const auto& link : counters.links) {
    moved.dropped_packets += link.dropped_packets;
    if (!link.name.starts_with("worker")) continue;  // a trunk carries what workers have sent
    if (link.name.ends_with(".up")) {
      moved.sent_bytes += link.bytes;
      moved.sent_packets += link.packets;
    } else {
      moved.received_bytes += link.bytes;
    }
  }
  const auto sum = [](const std::vector<std::int64_t>& values) {
    return std::accumulate(values.begin(), values.end(), std::int64_t{0});
  };
  moved.retransmits = sum(counters.retransmitted_segments);
  moved.control_bytes = sum(counters.control_bytes);
  moved.loopback_bytes = sum(counters.loopback_bytes);
  return moved;
}

Moved moved_in_training(const CellRecord& record) {
  if (!record.counters()) return {};
  auto moved = counted_by(*record.counters());
  if (!record.counters_at_start()) return moved;
  const auto before = counted_by(*record.counters_at_start());
  const std::initializer_list<std::int64_t Moved::*> members{
      &Moved::sent_bytes,  &Moved::sent_packets,  &Moved::received_bytes, &Moved::dropped_packets,
      &Moved::retransmits, &Moved::control_bytes, &Moved::loopback_bytes};
  for (const auto member : members) moved.*member -= before.*member;
  return moved;
}

/// What the ranks sent in training, by the way that it took, and in how many steps.
struct RankBytes {
  double all_links = 0;     ///< over the links of all ranks, without the traffic of loads
  double link_packets = 0;  ///< over these links, those of loads included
  double loads = 0;         ///< what loads sent meanwhile
  double links = 0;         ///< the mean of a rank, as are the next two
  double control = 0;       ///< over the control network
  double loopback = 0;      ///< between processes of one rank, over its loopback device
  double ranks = 1;
  double steps = 1;
  bool silent = false;  ///< the program reported no steps

  const char* period() const { return silent ? "" : " in a step"; }
};

/// Nothing until the counters at the end are recorded.
std::optional<RankBytes> rank_bytes(const CellRecord& record) {
  if (!record.counters()) return std::nullopt;
  const auto moved = moved_in_training(record);
  RankBytes bytes;
  bytes.ranks =
      std::max(1.0, static_cast<double>(record.counters()->retransmitted_segments.size()));
  bytes.silent = record.iterations() == 0;
  bytes.steps = std::max(1.0, static_cast<double>(record.iterations()));
  const auto& network = record.network();
  for (const auto& [load, samples] : network.loads()) {
    const auto before = network.frames_at(load, record.counted_from_ns());
    const auto after = network.frames_at(load, std::numeric_limits<std::int64_t>::max());
    bytes.loads +=
        after.data_sent + after.acknowledgements - before.data_sent - before.acknowledgements;
  }
  // Loads do not report to the byte.
  bytes.all_links = std::max(static_cast<double>(moved.sent_bytes) - bytes.loads, 0.0);
  bytes.link_packets = static_cast<double>(moved.sent_packets);
  bytes.links = bytes.all_links / bytes.ranks;
  bytes.control = static_cast<double>(moved.control_bytes) / bytes.ranks;
  bytes.loopback = static_cast<double>(moved.loopback_bytes) / bytes.ranks;
  return bytes;
}

std::string in_words(double bytes) {
  if (bytes < 10e3) return fmt::format("{:.0f} bytes", bytes);
  return bytes < 10e6 ? fmt::format("{:.0f} kB", bytes / 1e3)
                      : fmt::format("{:.0f} MB", bytes / 1e6);
}

std::optional<std::string> past_by_control(const RankBytes& bytes) {
  const double rendezvous = kRendezvousBytes + kRendezvousPairBytes * bytes.ranks * bytes.ranks;
  const double data = bytes.control - rendezvous;
  if (data <= kControlShare * (bytes.links + bytes.control)) return std::nullopt;
  return fmt::format(
      "{:.1f} % of the bytes that the program sent, {} of each rank, went over the control "
      "network, "
      "which is not shaped; expected at most {:g} % beside the rendezvous. Let it exchange data {} "
      "(eth0 unless the program sets another), and use MASTER_ADDR for the rendezvous alone",
      100 * bytes.control / (bytes.links + bytes.control), in_words(bytes.control),
      100 * kControlShare, kInterfaces);
}

std::optional<std::string> past_by_loopback(const RankBytes& bytes) {
  const double most = kLoopbackMultiple * bytes.links + kLoopbackAnyway;
  if (bytes.ranks < 2 || bytes.loopback <= most) return std::nullopt;
  return fmt::format(
      "each rank sent {} over its loopback device and {} over its link{}: several processes in one "
      "rank exchange data with each other, as those that torchrun, accelerate launch or mp.spawn "
      "start do. Let each rank be one process that takes RANK, WORLD_SIZE, MASTER_ADDR and "
      "MASTER_PORT from its environment, and set \"workers\" to the number of processes "
      "(docs/OWN_PROGRAM.md)",
      in_words(bytes.loopback / bytes.steps), in_words(bytes.links / bytes.steps), bytes.period());
}

std::optional<std::string> nothing_beside_loads(const RankBytes& bytes) {
  const double least = kFullFrameBytes * bytes.steps * bytes.ranks;
  if (bytes.all_links >= std::max(least, kLoadShare * bytes.loads)) return std::nullopt;
  return fmt::format(
      "next to nothing crossed the links beside the loads: the loads sent {}, and the {:.0f} ranks "
      "at most {} more{}. Let each rank be one process that exchanges data {} (eth0 unless the "
      "program sets another), or use weaker loads. If the program means to send so little, give "
      "its method \"sends_little\": true",
      in_words(bytes.loads), bytes.ranks, in_words(bytes.all_links / bytes.steps), bytes.period(),
      kInterfaces);
}

std::optional<std::string> next_to_nothing(const RankBytes& bytes) {
  if (bytes.ranks < 2) return std::nullopt;
  if (bytes.loads > 0) return nothing_beside_loads(bytes);
  const double connections = bytes.silent ? kConnectionBytes * (bytes.ranks - 1) : 0;
  if (bytes.links >= kFullFrameBytes * bytes.steps + connections) return std::nullopt;
  const double frame = bytes.link_packets > 0 ? bytes.all_links / bytes.link_packets : 0;
  if (frame >= kSmallFrameBytes) return std::nullopt;
  return fmt::format(
      "next to nothing crossed the links: each rank sent {}{}{}. So the ranks exchanged nothing, "
      "or "
      "another way: through files, through memory that they share, or between processes of one "
      "rank. Let each of the {:.0f} ranks be one process that exchanges data {} (eth0 unless the "
      "program sets another). If the program means to send so little, give its method "
      "\"sends_little\": true",
      in_words(bytes.links / bytes.steps), bytes.period(),
      bytes.link_packets > 0 ? fmt::format(", in frames of {:.0f} bytes", frame) : "", bytes.ranks,
      kInterfaces);
}

}  // namespace

CellRecord::Totals program_totals(const CellRecord& record) {
  CellRecord::Totals totals = moved_in_training(record);
  if (!record.counters()) return totals;
  const auto ranks = std::ssize(record.counters()->retransmitted_segments);
  totals.events = ranks * std::max<std::int64_t>(record.iterations(), 1);
  return totals;
}

double program_wall_s(const CellRecord& record) {
  double wall_s = 0;
  for (const auto& end : record.exited()) wall_s = std::max(wall_s, end.wall_s);
  return wall_s;
}

void judge_program_bytes(const CellRecord& record, std::vector<std::string>& reasons) {
  const auto bytes = rank_bytes(record);
  if (!bytes) return;
  auto reason = past_by_control(*bytes);
  if (!reason) reason = past_by_loopback(*bytes);
  if (!reason && !record.sends_little()) reason = next_to_nothing(*bytes);
  if (reason) reasons.push_back(std::move(*reason));
}

}  // namespace pacbench::record
