#include "probe/datagrams.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>
#include <vector>

#include "base/check.h"
#include "base/clock.h"
#include "probe/sockets.h"
#include "probe/stop.h"

namespace pacbench::probe {
namespace {

// The last datagrams may be overtaken by the news that they were the last. After a host has stood
// still for long, one wait is over at once, before what was held up has come: hence two.
constexpr int kSilenceMs = 500;
constexpr int kSilences = 2;
constexpr int kNeverMs = -1;

/// What has come so far.
class Arrivals {
 public:
  void add(const DatagramHead& head, std::int64_t now_ns) {
    if (!numbers_.insert(head.number).second) {
      ++duplicates_;
      return;
    }
    // Overtaken by one that was sent later (RFC 4737, section 3.3).
    if (head.number < highest_) ++reordered_;
    highest_ = std::max(highest_, head.number);
    delays_us_.push_back(static_cast<double>(now_ns - head.start_ns) * 1e-3);
  }

  Json json(std::int64_t sent) const {
    return {{"sent", sent},
            {"received", numbers_.size()},
            {"duplicates", duplicates_},
            {"reordered", reordered_},
            {"delays_us", delays_us_}};
  }

 private:
  std::set<std::int64_t> numbers_;
  std::int64_t highest_ = -1;
  std::int64_t duplicates_ = 0;
  std::int64_t reordered_ = 0;
  std::vector<double> delays_us_;
};

}  // namespace

void send_datagrams(const DatagramsOptions& options) {
  const auto connection = connect_to(options.address, options.port, Kind::kDatagrams);
  DatagramPort there;
  if (!read_plain(connection.get(), there)) throw std::runtime_error{"the server has gone"};
  const auto socket = datagram_socket(0);
  const auto peer = endpoint(options.address, there.port);
  const bool real_time = enter_real_time();
  print_line(
      {{"event", "connected"}, {"port", own_port(connection.get())}, {"real_time", real_time}});
  std::vector<char> datagram(static_cast<std::size_t>(options.bytes));
  const auto start_ns = monotonic_ns();
  int number = 0;
  for (; number < options.count; ++number) {
    const auto due = static_cast<std::int64_t>(number * options.interval_us * 1e3);
    if (stopped_before(start_ns + due)) break;
    const DatagramHead head{monotonic_ns(), number};
    std::memcpy(datagram.data(), &head, sizeof head);
    check("sendto", ::sendto(socket.get(), datagram.data(), datagram.size(), 0,
                             reinterpret_cast<const sockaddr*>(&peer), sizeof peer));
  }
  write_plain(connection.get(), DatagramEnd{number});
  char ended = 0;
  read_all(connection.get(), &ended, 1);
  print_line({{"event", "done"}, {"count", number}});
}

Json receive_datagrams(int connection) {
  const auto socket = datagram_socket(0);
  write_plain(connection, DatagramPort{own_port(socket.get())});
  Arrivals arrivals;
  std::optional<DatagramEnd> end;
  for (int silences = 0; silences < kSilences;) {
    pollfd polls[]{{socket.get(), POLLIN, 0}, {end ? -1 : connection, POLLIN, 0}};
    if (::poll(polls, 2, end ? kSilenceMs : kNeverMs) == 0) {
      ++silences;
      continue;
    }
    silences = 0;
    if (polls[0].revents != 0) {
      DatagramHead head;
      const auto count = ::recv(socket.get(), &head, sizeof head, 0);
      if (count == sizeof head) arrivals.add(head, monotonic_ns());
    }
    if (polls[1].revents != 0) {
      end.emplace();
      if (!read_plain(connection, *end)) throw std::runtime_error{"the sender has gone"};
    }
  }
  return arrivals.json(end->sent);
}

}  // namespace pacbench::probe
