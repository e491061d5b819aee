#include "probe/commands.h"

#include <poll.h>
#include <sys/socket.h>

#include <limits>
#include <stdexcept>

#include "base/clock.h"
#include "probe/datagrams.h"
#include "probe/sending.h"
#include "probe/sockets.h"
#include "probe/stop.h"
#include "probe/taking.h"

namespace pacbench::probe {
namespace {

constexpr int kConnectRetries = 2;
constexpr std::size_t kMostReportBytes = 16 << 20;
constexpr auto kUnlimited = std::numeric_limits<std::int64_t>::max();
constexpr int kPunches = 20;
constexpr int kPunchMs = 50;

/// Sends the request and returns the server's answer. Throws std::runtime_error with the server's
/// words when the server refuses.
Json answer_to(int socket, const Request& request) {
  write_line(socket, request_line(request));
  auto answer = parse_json("answer", read_line(socket, Request::kMostLineBytes));
  if (answer.value("accepted", false)) return answer;
  throw std::runtime_error{"the server refuses: " + answer.value("message", "")};
}

/// A line that the server sends at the end.
Json report_from(int socket) { return parse_json("report", read_line(socket, kMostReportBytes)); }

void print_report(const char* event, Json report) {
  report["event"] = event;
  print_line(report);
}

void have_flow(int socket, const Request& request) {
  if (request.sender == Sender::kServer) {
    write_all(socket, "!", 1);
    print_report("flow", take_flow(socket, kUnlimited));
    return;
  }
  limit_unsent(socket, Request::kUnsentBytes);
  send_flow(socket, {request.seconds, request.rate_mbit, request.bytes}, monotonic_ns(), [] {});
  drain(socket);
  print_report("flow", report_from(socket));
}

/// Sends datagrams to the server until one comes back, so that routers on the way learn of the
/// stream. False when no datagram came.
bool open_way(int datagrams, const sockaddr_in& server) {
  for (int punch = 0; punch < kPunches; ++punch) {
    ::sendto(datagrams, "!", 1, 0, reinterpret_cast<const sockaddr*>(&server), sizeof server);
    pollfd ready{datagrams, POLLIN, 0};
    if (::poll(&ready, 1, kPunchMs) > 0) return true;
  }
  return false;
}

void have_datagrams(int socket, const AskOptions& options, std::uint16_t udp_port) {
  const auto& request = options.request;
  const auto server = endpoint(options.address, udp_port);
  const auto datagrams = datagram_socket(0);
  if (request.sender == Sender::kClient) {
    const auto count = send_stream({datagrams.get()}, server, stream_of(request));
    write_plain(socket, DatagramEnd{count});
    print_report("datagrams", report_from(socket));
    return;
  }
  if (!open_way(datagrams.get(), server)) {
    print_report("datagrams", to_json(ReceivedStream{{}, {}, stream_of(request).count}));
    return;
  }
  const auto stream = receive_stream(socket, datagrams.get(), {server.sin_addr.s_addr, kUnlimited});
  write_all(socket, "!", 1);
  print_report("datagrams", to_json(stream));
}

}  // namespace

void ask(const AskOptions& options) {
  const auto& request = options.request;
  const auto socket = connect_to(options.address, options.port, Kind::kRequest, kConnectRetries);
  const auto answer = answer_to(socket.get(), request);
  const bool real_time = enter_real_time();
  print_line({{"event", "connected"},
              {"port", own_port(socket.get())},
              {"congestion_control", congestion_control(socket.get())},
              {"mtu", path_mtu(socket.get())},
              {"real_time", real_time}});
  if (options.await_go && !await_go()) return;
  if (request.traffic == Traffic::kFlow) have_flow(socket.get(), request);
  if (request.traffic == Traffic::kPings) {
    send_pings(socket.get(), {request.bytes, Request::kPingInterval_ms, request.seconds});
  }
  if (request.traffic == Traffic::kDatagrams) {
    have_datagrams(socket.get(), options, answer.at("udp_port").get<std::uint16_t>());
  }
  print_line({{"event", "done"}});
}

}  // namespace pacbench::probe
