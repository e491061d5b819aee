#include "trainer/rank/link_meter.h"

#include <net/if.h>

#include <cstdlib>
#include <sstream>
#include <stdexcept>

#include "base/check.h"
#include "base/files.h"
#include "contract/worker/worker_spec.h"

namespace pacbench::trainer {
namespace {

int interface_index(const std::string& name) {
  const auto index = ::if_nametoindex(name.c_str());
  if (index == 0) check(("find interface " + name).c_str(), -1);
  return static_cast<int>(index);
}

int port_index() {
  const char* text = std::getenv(kPortIndexVariable);
  if (text == nullptr) {
    throw std::runtime_error{std::string{kPortIndexVariable} +
                             " is not set: a rank must be started by pacbench-netd"};
  }
  return std::atoi(text);
}

/// TCP segments that this namespace has sent again: column RetransSegs of the Tcp lines, the first
/// of which holds the names.
std::int64_t retransmitted_segments() {
  std::istringstream lines{read_file("/proc/self/net/snmp")};
  std::string names;
  std::string line;
  while (std::getline(lines, line)) {
    if (!line.starts_with("Tcp:")) continue;
    if (names.empty()) {
      names = line;
      continue;
    }
    std::istringstream name_words{names};
    std::istringstream value_words{line};
    std::string name;
    std::string value;
    while (name_words >> name && value_words >> value) {
      if (name == "RetransSegs") return std::stoll(value);
    }
  }
  throw std::runtime_error{"/proc/self/net/snmp has no Tcp RetransSegs"};
}

}  // namespace

LinkMeter::LinkMeter(const std::string& interface)
    : up_{interface_index(interface)},
      down_{UniqueFd{worker_fd::kPortCounters}, port_index()},
      last_up_{up_.read()},
      last_down_{down_.read()},
      last_retransmits_{retransmitted_segments()} {}

LinkTraffic LinkMeter::lap() {
  const auto up = up_.read();
  const auto down = down_.read();
  const auto retransmits = retransmitted_segments();
  const LinkTraffic traffic{up.bytes - last_up_.bytes,
                            up.packets - last_up_.packets,
                            down.bytes - last_down_.bytes,
                            down.packets - last_down_.packets,
                            up.dropped_packets - last_up_.dropped_packets + down.dropped_packets -
                                last_down_.dropped_packets,
                            retransmits - last_retransmits_};
  last_up_ = up;
  last_down_ = down;
  last_retransmits_ = retransmits;
  return traffic;
}

}  // namespace pacbench::trainer
