#include "harness/path/measure.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/clock.h"

namespace pacbench::path {
namespace {

// The time that a program may take beyond its traffic, to connect and to empty queues.
constexpr double kAllowance_s = 3;
// A shorter part is left out, since it measures nothing.
constexpr double kLeastPart_s = 0.2;

const Json* find_event(const std::vector<Json>& lines, const char* event) {
  const auto found = std::find_if(lines.begin(), lines.end(), [&](const Json& line) {
    return line.value("event", "") == event;
  });
  return found == lines.end() ? nullptr : &*found;
}

links::FlowMeasurement flow_from(const Json& line) {
  links::FlowMeasurement flow;
  flow.bytes = line.at("bytes");
  for (const auto& sample : line.at("samples"))
    flow.samples.push_back({sample.at(0), sample.at(1)});
  return flow;
}

const char* name_of(Direction direction) {
  return direction == Direction::kUp ? "from here to there" : "from there to here";
}

class Measurer {
 public:
  Measurer(Asking& asking, const Limits& limits, const std::function<void(const std::string&)>& say)
      : asking_{asking}, limits_{limits}, say_{say} {
    result_.host = asking.peer().host;
    result_.port = asking.peer().port;
  }

  Measurement run() {
    ping();
    for (const auto direction : {Direction::kUp, Direction::kDown}) flow(direction);
    both("TCP both ways at once", flows_at_once, &Way::both);
    both("TCP both ways at once, paced", flows_paced, &Way::paced);
    for (const auto direction : {Direction::kUp, Direction::kDown}) stream(direction);
    result_.seconds = elapsed_s();
    return result_;
  }

 private:
  double elapsed_s() const { return seconds(monotonic_ns() - start_ns_); }

  /// Returns the lines of each request; empty when no time was left for the requests.
  std::vector<std::vector<Json>> have(const std::string& what, std::vector<Request> requests) {
    const double left_s = limits_.seconds - elapsed_s();
    if (left_s < kLeastPart_s) {
      cut_short(what,
                fmt::format("left out, since the {:g} s of --seconds were over", limits_.seconds));
      return {};
    }
    for (auto& request : requests) request = within(request, left_s);
    say_(what);
    auto lines = asking_.ask(requests, left_s + kAllowance_s);
    for (const auto& each : lines) {
      take_connected(each);
      if (find_event(each, "done") != nullptr) continue;
      cut_short(what, fmt::format("broken off, since the {:g} s of --seconds were over",
                                  limits_.seconds));
    }
    return lines;
  }

  /// Keeps the congestion control and the packet size of the latest connection. Its packet size is
  /// the most exact: earlier flows have found out how large packets may be.
  void take_connected(const std::vector<Json>& lines) {
    const auto* connected = find_event(lines, "connected");
    if (connected == nullptr) return;
    result_.mtu = connected->at("mtu");
    result_.congestion_control = connected->at("congestion_control");
  }

  void cut_short(const std::string& what, const std::string& why) {
    auto& all = result_.stopped_early;
    // Two flows that run at once fail alike: one note is enough.
    if (!all.empty() && all.back().starts_with(what + ":")) return;
    all.push_back(fmt::format("{}: {}", what, why));
  }

  void ping() {
    const auto request = pings(limits_);
    const auto lines = have("round trips", {request});
    for (const auto& line : lines.at(0)) {
      if (line.value("event", "") != "ping") continue;
      result_.round_trips.ms.push_back(1e-3 * line.at("rtt_us").get<double>());
    }
    if (result_.round_trips.ms.empty()) {
      throw ProtocolError{
          fmt::format("no answer came from {} port {} within {:g} s (--seconds); `pacbench link "
                      "serve --port {}` must run there",
                      result_.host, result_.port, limits_.seconds, result_.port)};
    }
  }

  /// Returns the flow of a request, if it came to its end. Notes when the flow used up its bytes
  /// before its time.
  std::optional<links::FlowMeasurement> taken_flow(const std::string& what, const Request& request,
                                                   const std::vector<Json>& lines) {
    const auto* line = find_event(lines, "flow");
    if (line == nullptr) return std::nullopt;
    auto flow = flow_from(*line);
    count(flow.bytes);
    const double took_s = seconds(flow.end_ns() - flow.start_ns());
    if (flow.bytes >= request.bytes && took_s < request.seconds) {
      cut_short(what, fmt::format("ended after {:.2f} of {:.1f} s, since its part of the {:g} MB "
                                  "of --max-mb was used up",
                                  took_s, request.seconds, limits_.most_mb));
    }
    return flow;
  }

  void count(std::int64_t bytes) { result_.megabytes += static_cast<double>(bytes) / kBytesInMb; }

  void flow(Direction direction) {
    const auto what = fmt::format("TCP {}", name_of(direction));
    const auto request = flow_alone(limits_, direction);
    const auto lines = have(what, {request});
    if (lines.empty()) return;
    if (const auto flow = taken_flow(what, request, lines.at(0))) {
      result_.way(direction).alone = rate_alone(*flow);
    }
  }

  /// Measures two flows at once, and stores each rate in the member `rate` of its way.
  void both(const std::string& what, std::vector<Request> (*plan)(const Limits&, const Goodputs&),
            std::optional<TcpRate> Way::*rate) {
    if (!result_.up.alone || !result_.down.alone) return;
    const Goodputs alone{result_.up.alone->goodput_mbit, result_.down.alone->goodput_mbit};
    if (alone.up_mbit <= 0 || alone.down_mbit <= 0) return;
    const auto requests = plan(limits_, alone);
    const auto lines = have(what, requests);
    if (lines.empty()) return;
    const auto up = taken_flow(what, requests.at(0), lines.at(0));
    const auto down = taken_flow(what, requests.at(1), lines.at(1));
    if (!up || !down) return;
    result_.up.*rate = rate_beside(*up, *down);
    result_.down.*rate = rate_beside(*down, *up);
  }

  void stream(Direction direction) {
    auto& way = result_.way(direction);
    if (!way.alone || way.alone->goodput_mbit <= 0) return;
    const auto what = fmt::format("UDP {}", name_of(direction));
    const auto request = datagrams(limits_, direction, way.alone->goodput_mbit, result_.mtu);
    const auto lines = have(what, {request});
    if (lines.empty()) return;
    const auto* line = find_event(lines.at(0), "datagrams");
    if (line == nullptr) return;
    way.datagrams = datagrams_from(*line, request);
    const auto bytes = way.datagrams->sent * request.datagram_bytes;
    count(bytes);
    if (bytes + request.datagram_bytes <= request.bytes) return;
    cut_short(what,
              fmt::format(
                  "ended after {} datagrams, since its part of the {:g} MB of --max-mb was used up",
                  way.datagrams->sent, limits_.most_mb));
  }

  Asking& asking_;
  const Limits& limits_;
  const std::function<void(const std::string&)>& say_;
  std::int64_t start_ns_ = monotonic_ns();
  Measurement result_;
};

}  // namespace

Measurement measure(Asking& asking, const Limits& limits,
                    const std::function<void(const std::string&)>& say) {
  return Measurer{asking, limits, say}.run();
}

}  // namespace pacbench::path
