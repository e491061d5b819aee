#include "harness/calibration/foreign_hosts.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <cstdlib>

#include "base/check.h"
#include "base/unique_fd.h"

namespace pacbench::calibration {
namespace {

constexpr double kMostRateMbit = 100'000;

UniqueFd network_namespace(const std::string& path) {
  return UniqueFd{check(path.c_str(), ::open(path.c_str(), O_RDONLY | O_CLOEXEC))};
}

/// Keeps this thread in another network namespace while the object lives. Programs that the thread
/// starts meanwhile stay in that namespace.
class Inside {
 public:
  explicit Inside(std::int64_t pid) {
    const auto path = fmt::format("/proc/{}/ns/net", pid);
    const auto there = network_namespace(path);
    check(fmt::format("enter {}", path).c_str(), ::setns(there.get(), CLONE_NEWNET));
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside() {
    if (::setns(home_.get(), CLONE_NEWNET) < 0) std::abort();
  }

 private:
  UniqueFd home_ = network_namespace("/proc/thread-self/ns/net");
};

}  // namespace

ForeignNetwork foreign_network_from_json(const std::string& source, const Json& document) {
  std::vector<Issue> issues;
  ObjectReader reader{document, "", issues};
  ForeignNetwork network;
  network.name = reader.text("name");
  network.rate_mbit = reader.number("rate_mbit", {0.0, kMostRateMbit, true});
  network.mtu = static_cast<int>(reader.integer_or("mtu", 1500, {576.0, 9000.0, false}));
  network.congestion_control = reader.text("congestion_control");
  network.topology = reader.choice_or("topology", network.topology, {"star", "chain3"});
  for (auto& host : reader.objects("hosts")) {
    network.hosts.push_back(
        {host.integer("pid", Range::at_least(1)), host.text("address"), host.text("interface")});
    host.finish();
  }
  if (network.hosts.size() < 2)
    reader.complain("hosts", fmt::format("found {}, expected at least 2", network.hosts.size()));
  reader.finish();
  if (!issues.empty()) throw ConfigError{source, issues};
  return network;
}

int ForeignHosts::pid() const { return ::getpid(); }

netd::SpawnedReply ForeignHosts::spawn(const netd::SpawnRequest& request,
                                       const std::vector<int>& fds) {
  const Inside inside{host(request.slot).pid};
  return programs_.start(request, fds);
}

}  // namespace pacbench::calibration
