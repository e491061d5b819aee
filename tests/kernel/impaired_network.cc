#include "tests/kernel/impaired_network.h"

#include <fcntl.h>

#include <algorithm>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "base/check.h"
#include "tests/emulation/daemon_client.h"

namespace pacbench {
netd::CreateRequest ImpairedNetwork::request(int workers, const netd::Impairment& up,
                                             const netd::Impairment& down) {
  auto request = netd::star(workers, kRateMbit);
  for (auto& worker : request.workers) {
    worker.up.impairment = up;
    worker.down.impairment = down;
  }
  return request;
}

void ImpairedNetwork::make(const netd::CreateRequest& request) {
  probing_.reset();
  held_.clear();
  fabric_.reset();
  fabric_.emplace(PACBENCH_NETD, request);
  probing_.emplace(*fabric_, PACBENCH_LINK_PROBE, interrupt_);
}

const netd::ShapedLink& ImpairedNetwork::link(const std::string& name) const {
  for (const auto& link : fabric_->created().links) {
    if (link.name == name) return link;
  }
  throw std::invalid_argument{"no direction is called " + name};
}

int ImpairedNetwork::hold(int slot) {
  const UniqueFd null{check("/dev/null", ::open("/dev/null", O_RDWR | O_CLOEXEC))};
  const std::vector<int> fds(3, null.get());
  return fabric_->spawn({slot, {"/bin/sleep", "600"}, {}}, fds).pid;
}

ImpairedNetwork::Datagrams ImpairedNetwork::send(const plan::Path& path, int count,
                                                 double interval_us) {
  constexpr int kDatagramBytes = 200;
  const auto refused_before = refused_datagrams(path.to);
  auto seen = probing_->datagrams(path, count, kDatagramBytes, interval_us);
  EXPECT_EQ(seen.sent, count);
  EXPECT_EQ(seen.duplicates, 0);
  const auto refused = refused_datagrams(path.to) - refused_before;
  const auto lost = seen.sent - seen.received - refused;
  return {std::move(seen), lost};
}

std::int64_t ImpairedNetwork::refused_datagrams(int slot) {
  if (!held_.contains(slot)) held_[slot] = hold(slot);
  // Two lines that begin with "Udp:", the names of the counters and their values.
  std::istringstream lines{run_in_namespace_of(held_[slot], {"/bin/cat", "/proc/net/snmp"})};
  std::vector<std::string> names;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("Udp: ")) continue;
    std::istringstream words{line};
    const std::vector<std::string> all{std::istream_iterator<std::string>{words}, {}};
    const auto at = std::find(names.begin(), names.end(), "InErrors");
    if (at != names.end()) return std::stoll(all.at(static_cast<std::size_t>(at - names.begin())));
    names = all;
  }
  throw std::runtime_error{"/proc/net/snmp has no InErrors of UDP"};
}

}  // namespace pacbench
