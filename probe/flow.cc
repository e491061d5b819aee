#include "probe/commands.h"

#include "base/clock.h"
#include "probe/sending.h"
#include "probe/sockets.h"
#include "probe/stop.h"
#include "probe/tcp_facts.h"

namespace pacbench::probe {
namespace {

// Large enough that the link never waits for this program, and small enough that little is still
// unsent when the flow ends.
constexpr int kUnsentBytes = 256 * 1024;

Json line_of(const char* event, int socket) {
  const auto info = info_of(socket);
  return {{"event", event},
          {"at_ns", monotonic_ns()},
          {"bytes", info.tcpi_bytes_acked},
          {"sent_bytes", info.tcpi_bytes_sent},
          {"segments", info.tcpi_segs_out},
          {"segments_received", info.tcpi_segs_in},
          {"retransmits", info.tcpi_total_retrans},
          {"rtt_us", info.tcpi_rtt}};
}

}  // namespace

void run_flow(const FlowOptions& options) {
  const auto socket = connect_to(options.address, options.port, Kind::kFlow);
  limit_unsent(socket.get(), kUnsentBytes);
  const bool real_time = enter_real_time();
  print_line({{"event", "connected"},
              {"port", own_port(socket.get())},
              {"congestion_control", congestion_control(socket.get())},
              {"real_time", real_time}});
  if (options.await_go && !await_go()) return;
  const auto start_ns = monotonic_ns();
  send_flow(socket.get(), {options.seconds, options.rate_mbit, 0}, start_ns,
            [&] { print_line(line_of("sent", socket.get())); });
  drain(socket.get());
  auto line = line_of("done", socket.get());
  line["start_ns"] = start_ns;
  print_line(line);
}

}  // namespace pacbench::probe
