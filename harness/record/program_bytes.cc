#include "harness/record/program_bytes.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "harness/record/program_totals.h"

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

/// What a rank sent, on average, and in how many steps.
struct RankBytes {
  SentBytes sums;
  double ranks = 1;
  double steps = 1;
  bool silent = false;  ///< the program reported no steps

  double links() const { return sums.links / ranks; }
  double control() const { return sums.control / ranks; }
  double loopback() const { return sums.loopback / ranks; }
  const char* period() const { return silent ? "" : " in a step"; }
};

std::optional<RankBytes> rank_bytes(const CellRecord& record) {
  const auto sums = sent_bytes(record);
  if (!sums) return std::nullopt;
  RankBytes bytes{*sums};
  bytes.ranks =
      std::max(1.0, static_cast<double>(record.counters()->retransmitted_segments.size()));
  bytes.silent = record.iterations() == 0;
  bytes.steps = std::max(1.0, static_cast<double>(record.iterations()));
  return bytes;
}

std::string in_words(double bytes) {
  if (bytes < 10e3) return fmt::format("{:.0f} bytes", bytes);
  return bytes < 10e6 ? fmt::format("{:.0f} kB", bytes / 1e3)
                      : fmt::format("{:.0f} MB", bytes / 1e6);
}

std::optional<std::string> past_by_control(const RankBytes& bytes) {
  const double rendezvous = kRendezvousBytes + kRendezvousPairBytes * bytes.ranks * bytes.ranks;
  const double data = bytes.control() - rendezvous;
  if (data <= kControlShare * (bytes.links() + bytes.control())) return std::nullopt;
  return fmt::format(
      "{:.1f} % of the bytes that the program sent, {} of each rank, went over the control "
      "network, "
      "which is not shaped; expected at most {:g} % beside the rendezvous. Let it exchange data {} "
      "(eth0 unless the program sets another), and use MASTER_ADDR for the rendezvous alone",
      100 * bytes.control() / (bytes.links() + bytes.control()), in_words(bytes.control()),
      100 * kControlShare, kInterfaces);
}

std::optional<std::string> past_by_loopback(const RankBytes& bytes) {
  const double most = kLoopbackMultiple * bytes.links() + kLoopbackAnyway;
  if (bytes.ranks < 2 || bytes.loopback() <= most) return std::nullopt;
  return fmt::format(
      "each rank sent {} over its loopback device and {} over its link{}: several processes in one "
      "rank exchange data with each other, as those that torchrun, accelerate launch or mp.spawn "
      "start do. Let each rank be one process that takes RANK, WORLD_SIZE, MASTER_ADDR and "
      "MASTER_PORT from its environment, and set \"workers\" to the number of processes "
      "(docs/OWN_PROGRAM.md)",
      in_words(bytes.loopback() / bytes.steps), in_words(bytes.links() / bytes.steps),
      bytes.period());
}

std::optional<std::string> nothing_beside_loads(const RankBytes& bytes) {
  const double least = kFullFrameBytes * bytes.steps * bytes.ranks;
  if (bytes.sums.links >= std::max(least, kLoadShare * bytes.sums.loads)) return std::nullopt;
  return fmt::format(
      "next to nothing crossed the links beside the loads: the loads sent {}, and the {:.0f} ranks "
      "at most {} more{}. Let each rank be one process that exchanges data {} (eth0 unless the "
      "program sets another), or use weaker loads. If the program means to send so little, give "
      "its method \"sends_little\": true",
      in_words(bytes.sums.loads), bytes.ranks, in_words(bytes.sums.links / bytes.steps),
      bytes.period(), kInterfaces);
}

std::optional<std::string> next_to_nothing(const RankBytes& bytes) {
  if (bytes.ranks < 2) return std::nullopt;
  if (bytes.sums.loads > 0) return nothing_beside_loads(bytes);
  const double connections = bytes.silent ? kConnectionBytes * (bytes.ranks - 1) : 0;
  if (bytes.links() >= kFullFrameBytes * bytes.steps + connections) return std::nullopt;
  const auto packets = static_cast<double>(bytes.sums.link_packets);
  const double frame = packets > 0 ? bytes.sums.links / packets : 0;
  if (frame >= kSmallFrameBytes) return std::nullopt;
  return fmt::format(
      "next to nothing crossed the links: each rank sent {}{}{}. So the ranks exchanged nothing, "
      "or "
      "another way: through files, through memory that they share, or between processes of one "
      "rank. Let each of the {:.0f} ranks be one process that exchanges data {} (eth0 unless the "
      "program sets another). If the program means to send so little, give its method "
      "\"sends_little\": true",
      in_words(bytes.links() / bytes.steps), bytes.period(),
      packets > 0 ? fmt::format(", in frames of {:.0f} bytes", frame) : "", bytes.ranks,
      kInterfaces);
}

}  // namespace

void judge_program_bytes(const CellRecord& record, std::vector<std::string>& reasons) {
  const auto bytes = rank_bytes(record);
  if (!bytes) return;
  auto reason = past_by_control(*bytes);
  if (!reason) reason = past_by_loopback(*bytes);
  if (!reason && !record.sends_little()) reason = next_to_nothing(*bytes);
  if (reason) reasons.push_back(std::move(*reason));
}

}  // namespace pacbench::record
