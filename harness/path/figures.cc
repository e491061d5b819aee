#include "harness/path/figures.h"

#include <algorithm>

#include "base/clock.h"
#include "base/frames.h"
#include "harness/statistics/spread.h"

namespace pacbench::path {
namespace {

// The first share of a flow, in which TCP looks for the rate, is left out.
constexpr double kSettleShare = 0.25;

TcpRate rate_of_first(const links::FlowMeasurement& flow, std::int64_t duration_ns) {
  const auto settle_ns = static_cast<std::int64_t>(kSettleShare * static_cast<double>(duration_ns));
  const auto from_ns = flow.start_ns() + settle_ns;
  const auto to_ns = flow.start_ns() + duration_ns;
  const auto middle_ns = from_ns + (to_ns - from_ns) / 2;
  return {links::goodput_mbit(flow, from_ns, to_ns), seconds(to_ns - from_ns),
          links::goodput_mbit(flow, from_ns, middle_ns),
          links::goodput_mbit(flow, middle_ns, to_ns)};
}

std::int64_t duration_ns(const links::FlowMeasurement& flow) {
  return flow.end_ns() - flow.start_ns();
}

double frames_mbit(std::int64_t frames, std::int64_t payload_bytes, std::int64_t time_ns) {
  if (time_ns <= 0) return 0;
  const auto bytes = payload_bytes + kUdpIpHeaderBytes + kEthernetHeaderBytes;
  return static_cast<double>(frames * bytes) * 8e3 / static_cast<double>(time_ns);
}

/// The share of its goodput alone, times `offered`, that a way has in the member `rate`.
std::optional<double> kept(const Way& way, std::optional<TcpRate> Way::*rate, double offered) {
  if (!way.alone || !(way.*rate) || way.alone->goodput_mbit <= 0) return std::nullopt;
  return (way.*rate)->goodput_mbit / (offered * way.alone->goodput_mbit);
}

std::optional<double> smaller(const std::optional<double>& one, const std::optional<double>& two) {
  if (!one || !two) return std::nullopt;
  return std::min(*one, *two);
}

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

TcpRate rate_alone(const links::FlowMeasurement& flow) {
  return rate_of_first(flow, duration_ns(flow));
}

TcpRate rate_beside(const links::FlowMeasurement& flow, const links::FlowMeasurement& other) {
  return rate_of_first(flow, std::min(duration_ns(flow), duration_ns(other)));
}

std::optional<double> Datagrams::loss() const {
  if (received == 0 || sent == 0) return std::nullopt;
  return 1 - static_cast<double>(received) / static_cast<double>(sent);
}

Datagrams datagrams_from(const Json& line, const Request& request) {
  Datagrams result;
  const auto payload = static_cast<double>(request.datagram_bytes);
  const auto framing = static_cast<double>(kUdpIpHeaderBytes + kEthernetHeaderBytes);
  result.offered_mbit = request.rate_mbit * (payload + framing) / payload;
  result.sent = line.at("sent");
  result.received = line.at("received");
  result.reordered = line.at("reordered");
  result.jitter_ms = 1e-3 * line.at("jitter_us").get<double>();
  const auto time_ns =
      line.at("last_ns").get<std::int64_t>() - line.at("first_ns").get<std::int64_t>();
  result.rate_mbit = frames_mbit(result.received - 1, request.datagram_bytes, time_ns);
  return result;
}

double RoundTrips::least_ms() const { return statistics::quantile(ms, 0); }
double RoundTrips::median_ms() const { return statistics::median(ms); }
double RoundTrips::p99_ms() const { return statistics::quantile(ms, 0.99); }

double link_mbit(const TcpRate& rate, std::int64_t mtu) {
  return rate.goodput_mbit / payload_share(mtu);
}

std::optional<double> ring_share(const Way& way) { return kept(way, &Way::both, 1); }

std::optional<double> ring_share(const Measurement& measurement) {
  return smaller(ring_share(measurement.up), ring_share(measurement.down));
}

std::optional<double> paced_share(const Way& way) { return kept(way, &Way::paced, kPacedShare); }

std::optional<double> paced_share(const Measurement& measurement) {
  return smaller(paced_share(measurement.up), paced_share(measurement.down));
}

std::optional<Fall> fall(const Measurement& measurement) {
  constexpr double kFallen = 1.0 / 3;
  for (const auto direction : {Direction::kUp, Direction::kDown}) {
    const auto& way = direction == Direction::kUp ? measurement.up : measurement.down;
    if (!way.alone) continue;
    const auto fell = [&](double from_mbit, double to_mbit) -> std::optional<Fall> {
      if (to_mbit >= kFallen * from_mbit) return std::nullopt;
      return Fall{direction, from_mbit, to_mbit};
    };
    if (auto found = fell(way.alone->first_mbit, way.alone->second_mbit)) return found;
    if (way.paced) {
      if (auto found = fell(kPacedShare * way.alone->goodput_mbit, way.paced->goodput_mbit))
        return found;
    }
    if (way.datagrams && way.datagrams->received > 0) {
      if (auto found = fell(way.datagrams->offered_mbit, way.datagrams->rate_mbit)) return found;
    }
  }
  return std::nullopt;
}

std::optional<double> loss(const Measurement& measurement) {
  Datagrams sum;
  for (const auto* way : {&measurement.up, &measurement.down}) {
    if (!way->datagrams || !way->datagrams->loss()) continue;
    sum.sent += way->datagrams->sent;
    sum.received += way->datagrams->received;
  }
  return sum.loss();
}

std::int64_t reordered(const Measurement& measurement) {
  std::int64_t sum = 0;
  for (const auto* way : {&measurement.up, &measurement.down}) {
    if (way->datagrams) sum += way->datagrams->reordered;
  }
  return sum;
}

double jitter_ms(const Measurement& measurement) {
  double most_ms = 0;
  for (const auto* way : {&measurement.up, &measurement.down}) {
    if (way->datagrams) most_ms = std::max(most_ms, way->datagrams->jitter_ms);
  }
  return most_ms;
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
