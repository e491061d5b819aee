#include "netem/kernel/device_counters.h"

#include <sstream>
#include <stdexcept>

#include "base/files.h"

namespace pacbench::netem {

std::int64_t sent_bytes(const std::string& device) {
  return sent_bytes(device, read_file("/proc/thread-self/net/dev"));
}

std::int64_t sent_bytes(const std::string& device, const std::string& devices) {
  constexpr int kReceivingColumns = 8;
  std::istringstream text{devices};
  for (std::string line; std::getline(text, line);) {
    std::istringstream words{line};
    std::string name;
    if (!std::getline(words >> std::ws, name, ':') || name != device) continue;
    std::string number;
    for (int column = 0; column <= kReceivingColumns; ++column) words >> number;
    if (words) return std::stoll(number);
  }
  throw std::runtime_error{"no device " + device + " in /proc/net/dev"};
}

}  // namespace pacbench::netem
