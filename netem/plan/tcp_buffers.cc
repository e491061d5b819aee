#include "netem/plan/tcp_buffers.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <system_error>

#include "base/files.h"
#include "base/unique_fd.h"

namespace pacbench::netem {
namespace {

// The kernel charges a packet's memory to a buffer: more than twice the payload where packets are
// small. It also reserves half of the receive buffer for that overhead.
constexpr std::int64_t kBufferPerByte = 4;
// The kernel's own limits (include/net/tcp.h, tcp_init).
constexpr std::int64_t kUsualReceiveBytes = 6'291'456;
constexpr std::int64_t kUsualSendBytes = 4'194'304;
constexpr std::int64_t kMostBytes = 2'147'483'647;

/// The rate and the round-trip time of a connection's path.
struct Way {
  double rate_mbit;
  double round_trip_ms;

  std::int64_t bytes() const {
    return static_cast<std::int64_t>(rate_mbit * 1e6 / 8 * round_trip_ms * 1e-3);
  }
};

/// A path over one worker's up link and another's down link, with the highest rate and the longest
/// delay that any link has in that direction.
Way within_a_switch(const netd::CreateRequest& request) {
  netd::Direction up;
  netd::Direction down;
  const auto widen = [](netd::Direction& most, const netd::Direction& direction) {
    most.rate_mbit = std::max(most.rate_mbit, direction.fastest_mbit());
    most.impairment.delay_ms = std::max(most.impairment.delay_ms, direction.impairment.delay_ms);
  };
  for (const auto& worker : request.workers) {
    widen(up, worker.up);
    widen(down, worker.down);
  }
  return {std::min(up.rate_mbit, down.rate_mbit),
          2 * (up.impairment.delay_ms + down.impairment.delay_ms)};
}

/// The trunks that packets from one worker to another cross.
std::vector<netd::Direction> trunks(const netd::CreateRequest& request, int from, int to) {
  const auto names = netd::route(request, from, to);
  std::vector<netd::Direction> found;
  for (std::size_t i = 1; i + 1 < names.size(); ++i) {
    found.push_back(*netd::find_direction(request, names[i]));
  }
  return found;
}

/// The path `way` with the trunks between the switches of two workers added. Data crosses the
/// trunks from `from` to `to`, and its acknowledgements those from `to` to `from`.
Way between(const netd::CreateRequest& request, Way way, int from, int to) {
  for (const auto& trunk : trunks(request, from, to)) {
    way.rate_mbit = std::min(way.rate_mbit, trunk.fastest_mbit());
    way.round_trip_ms += trunk.impairment.delay_ms;
  }
  for (const auto& trunk : trunks(request, to, from)) {
    way.round_trip_ms += trunk.impairment.delay_ms;
  }
  return way;
}

std::string path(const Sysctl& sysctl) {
  auto path = "/proc/sys/" + sysctl.name;
  std::replace(path.begin() + 10, path.end(), '.', '/');
  return path;
}

}  // namespace

std::int64_t bytes_in_flight(const netd::CreateRequest& request) {
  const auto near = within_a_switch(request);
  auto most = near.bytes();
  std::map<int, int> worker_on;  // any one worker on each switch
  for (int worker = 0; worker < static_cast<int>(request.workers.size()); ++worker) {
    worker_on[request.workers[static_cast<std::size_t>(worker)].attached_to] = worker;
  }
  for (const auto& [here, from] : worker_on) {
    for (const auto& [there, to] : worker_on) {
      if (here != there) most = std::max(most, between(request, near, from, to).bytes());
    }
  }
  return most;
}

std::vector<Sysctl> tcp_buffers(const netd::CreateRequest& request) {
  const auto bytes = std::min(kBufferPerByte * bytes_in_flight(request), kMostBytes);
  if (bytes == 0) return {};
  return {{"net.ipv4.tcp_rmem", fmt::format("4096 131072 {}", std::max(bytes, kUsualReceiveBytes))},
          {"net.ipv4.tcp_wmem", fmt::format("4096 16384 {}", std::max(bytes, kUsualSendBytes))}};
}

void set_sysctl(const Sysctl& sysctl) {
  const UniqueFd file{::open(path(sysctl).c_str(), O_WRONLY | O_CLOEXEC)};
  const auto& value = sysctl.value;
  if (file.get() >= 0 && ::write(file.get(), value.data(), value.size()) >= 0) return;
  throw std::system_error{
      errno, std::generic_category(),
      fmt::format(
          "cannot set {} to \"{}\", which links with delay and links to the host's network need "
          "(in a container: make /proc/sys writable; links on one host without delay do not need "
          "it)",
          sysctl.name, value)};
}

std::string read_sysctl(const Sysctl& sysctl) {
  auto words = read_file(path(sysctl));
  std::replace(words.begin(), words.end(), '\t', ' ');
  while (!words.empty() && words.back() == '\n') words.pop_back();
  return words;
}

}  // namespace pacbench::netem
