#include "tests/churn/growth.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "tests/random_kills/leftovers.h"

namespace pacbench {
namespace {

constexpr long kServiceSlack_kb = 1024;
constexpr long kKernelSlack_kb = 64 * 1024;

/// The number behind `key:` in a file like /proc/meminfo.
long kb_in(const std::string& path, const std::string& key) {
  std::ifstream file{path};
  for (std::string word; file >> word;) {
    if (word != key + ":") continue;
    long kb = 0;
    if (file >> kb) return kb;
  }
  throw std::runtime_error{fmt::format("{} has no {}", path, key)};
}

template <typename Member>
long median(std::vector<Holdings> rounds, Member member) {
  const auto middle = rounds.begin() + static_cast<std::ptrdiff_t>(rounds.size() / 2);
  std::nth_element(rounds.begin(), middle, rounds.end(),
                   [&](const auto& one, const auto& other) { return one.*member < other.*member; });
  return *middle.*member;
}

}  // namespace

Holdings holdings_of(pid_t service) {
  const auto process = fmt::format("/proc/{}", service);
  Holdings found;
  found.descriptors =
      static_cast<int>(std::distance(std::filesystem::directory_iterator{process + "/fd"}, {}));
  found.network_namespaces = count_namespaces("max_net_namespaces", CLONE_NEWNET);
  found.pid_namespaces = count_namespaces("max_pid_namespaces", CLONE_NEWPID);
  found.service_kb = kb_in(process + "/status", "RssAnon");
  found.kernel_kb = kb_in("/proc/meminfo", "SUnreclaim");
  return found;
}

std::vector<std::string> growth(const std::vector<Holdings>& rounds) {
  const auto fifth = std::max<std::size_t>(rounds.size() / 5, 1);
  if (rounds.size() < 3 * fifth) throw std::runtime_error{"too few rounds to see growth"};
  const auto at = [&](std::size_t place) { return rounds.begin() + static_cast<long>(place); };
  const std::vector<Holdings> early(at(fifth), at(2 * fifth));
  const std::vector<Holdings> late(at(rounds.size() - fifth), rounds.end());
  std::vector<std::string> grown;
  const auto compare = [&](const char* what, auto member, long slack) {
    const auto before = median(early, member);
    const auto after = median(late, member);
    if (after > before + slack)
      grown.push_back(fmt::format("{}: {}, then {}", what, before, after));
  };
  compare("descriptors of the service", &Holdings::descriptors, 0);
  compare("network namespaces", &Holdings::network_namespaces, 0);
  compare("PID namespaces", &Holdings::pid_namespaces, 0);
  compare("kB of the service", &Holdings::service_kb, kServiceSlack_kb);
  compare("kB of the kernel", &Holdings::kernel_kb, kKernelSlack_kb);
  return grown;
}

std::string to_words(const Holdings& holdings) {
  return fmt::format(
      "{} descriptors, {} network and {} PID namespaces, {} kB of the service, {} kB of the kernel",
      holdings.descriptors, holdings.network_namespaces, holdings.pid_namespaces,
      holdings.service_kb, holdings.kernel_kb);
}

}  // namespace pacbench
