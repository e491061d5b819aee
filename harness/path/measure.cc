#include "harness/path/measure.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>

#include <algorithm>
#include <memory>

#include "base/clock.h"
#include "harness/links/probe_program.h"
#include "harness/machine/process.h"

namespace pacbench::path {
namespace {

// The time that a program may take beyond its traffic, to connect and to empty queues.
constexpr double kAllowance_s = 3;
constexpr int kTickMs = 100;
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

/// The arguments of `pacbench-probe ask` for a request.
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

[[noreturn]] void ended_early(const Peer& peer, const links::ProbeProgram& program) {
  const auto said = last_lines(program.errors(), 3);
  throw ProtocolError{fmt::format(
      "the traffic with {} ended early: {}\n`pacbench link serve --port {}` must run there, and "
      "firewalls must let TCP and UDP port {} in",
      peer.host, said.empty() ? "pacbench-probe does not say why" : said, peer.port, peer.port)};
}

struct Asked {
  links::ProbeProgram program;
  std::vector<Json> lines;

  bool is_done() const { return !lines.empty() && lines.back().value("event", "") == "done"; }
};

const char* name_of(Direction direction) {
  return direction == Direction::kUp ? "from here to there" : "from there to here";
}

class Measurer {
 public:
  Measurer(links::SlotHost& host, const std::string& program, const Peer& peer,
           const Limits& limits, const Interrupt& interrupt, const Say& say)
      : host_{host},
        program_{program},
        peer_{peer},
        limits_{limits},
        interrupt_{interrupt},
        say_{say} {
    result_.host = peer.host;
    result_.port = peer.port;
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

  Asked start(const Request& request) {
    std::vector<std::string> all{"ask", peer_.address, "--port", fmt::format("{}", peer_.port),
                                 "--await-go"};
    const auto more = words(request);
    all.insert(all.end(), more.begin(), more.end());
    return {links::ProbeProgram{host_, 0, program_, all}, {}};
  }

  void take_lines(std::vector<Asked>& all) const {
    for (auto& asked : all) {
      const auto lines = asked.program.exchange();
      asked.lines.insert(asked.lines.end(), lines.begin(), lines.end());
      if (asked.program.closed() && !asked.is_done()) ended_early(peer_, asked.program);
    }
  }

  /// Sends all requests at once; all are connected before any traffic begins. Returns the lines of
  /// each request. The lines of a request that did not end within `timeout_s` lack the line "done".
  std::vector<std::vector<Json>> ask(const std::vector<Request>& requests, double timeout_s) {
    std::vector<Asked> all;
    for (const auto& request : requests) all.push_back(start(request));
    const auto deadline_ns = monotonic_ns() + static_cast<std::int64_t>(timeout_s * 1e9);
    bool went = false;
    while (monotonic_ns() < deadline_ns &&
           !std::all_of(all.begin(), all.end(), [](const auto& each) { return each.is_done(); })) {
      interrupt_.throw_if_requested("measurement of the path");
      std::vector<pollfd> polls{{interrupt_.fd(), POLLIN, 0}};
      for (const auto& asked : all) asked.program.add_to(polls);
      ::poll(polls.data(), polls.size(), kTickMs);
      host_.take_exited();
      take_lines(all);
      const bool connected =
          std::none_of(all.begin(), all.end(), [](const auto& each) { return each.lines.empty(); });
      if (!connected || went) continue;
      for (auto& asked : all) asked.program.say("go\n");
      went = true;
    }
    std::vector<std::vector<Json>> lines;
    for (auto& asked : all) lines.push_back(std::move(asked.lines));
    return lines;
  }

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
    auto lines = ask(requests, left_s + kAllowance_s);
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

  links::SlotHost& host_;
  const std::string& program_;
  const Peer& peer_;
  const Limits& limits_;
  const Interrupt& interrupt_;
  const Say& say_;
  std::int64_t start_ns_ = monotonic_ns();
  Measurement result_;
};

}  // namespace

std::string ipv4_of(const std::string& host) {
  addrinfo hints{};
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(host.c_str(), nullptr, &hints, &found); error != 0) {
    throw ConfigError{
        "HOST", "",
        fmt::format("found \"{}\" ({}), expected a name or an address of IPv4, such as "
                    "192.0.2.7",
                    host, ::gai_strerror(error))};
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner{found, ::freeaddrinfo};
  char text[INET_ADDRSTRLEN]{};
  const auto* address = reinterpret_cast<const sockaddr_in*>(found->ai_addr);
  ::inet_ntop(AF_INET, &address->sin_addr, text, sizeof text);
  return text;
}

Measurement measure(links::SlotHost& host, const std::string& program, const Peer& peer,
                    const Limits& limits, const Interrupt& interrupt, const Say& say) {
  return Measurer{host, program, peer, limits, interrupt, say}.run();
}

}  // namespace pacbench::path
