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

std::optional<double> smaller(const std::optional<double>& one, const std::optional<double>& two) {
  if (!one || !two) return std::nullopt;
  return std::min(*one, *two);
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

std::optional<double> ring_share(const Way& way) {
  if (!way.alone || !way.both || way.alone->goodput_mbit <= 0) return std::nullopt;
  return way.both->goodput_mbit / way.alone->goodput_mbit;
}

std::optional<double> ring_share(const Measurement& measurement) {
  return smaller(ring_share(measurement.up), ring_share(measurement.down));
}

std::optional<double> paced_share(const Way& way) {
  if (!way.alone || !way.paced || way.alone->goodput_mbit <= 0) return std::nullopt;
  return way.paced->goodput_mbit / (kPacedShare * way.alone->goodput_mbit);
}

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
  std::int64_t sent = 0;
  std::int64_t received = 0;
  for (const auto* way : {&measurement.up, &measurement.down}) {
    if (!way->datagrams || !way->datagrams->loss()) continue;
    sent += way->datagrams->sent;
    received += way->datagrams->received;
  }
  if (sent == 0) return std::nullopt;
  return 1 - static_cast<double>(received) / static_cast<double>(sent);
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

}  // namespace pacbench::path
