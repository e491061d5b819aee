#include "tests/kernel/impaired_network.h"

#include <fcntl.h>

#include <cmath>
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

BinomialInterval binomial_interval(std::int64_t trials, double probability, double coverage) {
  const auto n = static_cast<double>(trials);
  const auto log_mass = [&](std::int64_t successes) {
    const auto k = static_cast<double>(successes);
    return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) +
           k * std::log(probability) + (n - k) * std::log1p(-probability);
  };
  const double tail = (1 - coverage) / 2;
  BinomialInterval interval{0, trials};
  for (double below = 0; (below += std::exp(log_mass(interval.least))) <= tail;) ++interval.least;
  for (double above = 0; (above += std::exp(log_mass(interval.most))) <= tail;) --interval.most;
  return interval;
}

}  // namespace pacbench
