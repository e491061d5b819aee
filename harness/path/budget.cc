#include "harness/path/budget.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/frames.h"

namespace pacbench::path {
namespace {

// The time to connect, to empty queues, and to wait for late datagrams.
constexpr double kOverhead_s = 3;

// Shares of the time that is left; they sum to 1.
constexpr double kPingsTime = 0.1;
constexpr double kFlowTime = 0.23;
constexpr double kBothTime = 0.16;
constexpr double kPacedTime = 0.12;
constexpr double kDatagramsTime = 0.08;
static_assert(kPingsTime + 2 * kFlowTime + kBothTime + kPacedTime + 2 * kDatagramsTime < 1.001);

// Shares of the bytes; they sum to 1.
constexpr double kFlowBytes = 0.2;
constexpr double kBothBytes = 0.3;
constexpr double kPacedBytes = 0.2;
constexpr double kDatagramsBytes = 0.05;
static_assert(2 * kFlowBytes + kBothBytes + kPacedBytes + 2 * kDatagramsBytes < 1.001);

constexpr int kMostPings = 200;

double share_of_time(const Limits& limits, double share) {
  return std::max(limits.seconds - kOverhead_s, 0.5 * limits.seconds) * share;
}

std::int64_t share_of_bytes(const Limits& limits, double share) {
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(limits.most_mb * kBytesInMb * share));
}

/// The shares of the time and of the bytes that a part with two flows at once gets. Each flow
/// is limited to `pace` times the goodput that it had alone; 0: no limit.
struct TwoFlows {
  double time = 0;
  double bytes = 0;
  double pace = 0;
};

std::vector<Request> two_flows(const Limits& limits, const Goodputs& alone, const TwoFlows& share) {
  const double sum_mbit = alone.up_mbit + alone.down_mbit;
  const auto flow = [&](Direction direction, double goodput_mbit) {
    return Request{"flow",
                   direction,
                   share_of_time(limits, share.time),
                   share_of_bytes(limits, share.bytes * goodput_mbit / sum_mbit),
                   share.pace * goodput_mbit,
                   0};
  };
  return {flow(Direction::kUp, alone.up_mbit), flow(Direction::kDown, alone.down_mbit)};
}

}  // namespace

std::vector<std::string> words(const Request& request) {
  std::vector<std::string> all{
      "--traffic", request.traffic,
      "--sender",  request.direction == Direction::kUp ? "client" : "server",
      "--seconds", fmt::format("{:.3f}", request.seconds),
      "--bytes",   fmt::format("{}", request.bytes)};
  if (request.rate_mbit > 0) {
    all.insert(all.end(), {"--rate-mbit", fmt::format("{:.6f}", request.rate_mbit)});
  }
  if (request.datagram_bytes > 0) {
    all.insert(all.end(), {"--datagram-bytes", fmt::format("{}", request.datagram_bytes)});
  }
  return all;
}

Request pings(const Limits& limits) {
  return {"pings", Direction::kUp, share_of_time(limits, kPingsTime), kMostPings, 0, 0};
}

Request flow_alone(const Limits& limits, Direction direction) {
  return {"flow", direction, share_of_time(limits, kFlowTime), share_of_bytes(limits, kFlowBytes),
          0,      0};
}

std::vector<Request> flows_at_once(const Limits& limits, const Goodputs& alone) {
  return two_flows(limits, alone, {kBothTime, kBothBytes, 0});
}

std::vector<Request> flows_paced(const Limits& limits, const Goodputs& alone) {
  return two_flows(limits, alone, {kPacedTime, kPacedBytes, kPacedShare});
}

Request datagrams(const Limits& limits, Direction direction, double goodput_mbit,
                  std::int64_t mtu) {
  return {"datagrams",
          direction,
          share_of_time(limits, kDatagramsTime),
          share_of_bytes(limits, kDatagramsBytes),
          kDatagramShare * goodput_mbit,
          datagram_bytes(mtu)};
}

Request within(Request request, double left_s) {
  request.seconds = std::min(request.seconds, left_s);
  return request;
}

}  // namespace pacbench::path
