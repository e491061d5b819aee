#include "base/device_counters.h"

#include <array>
#include <sstream>
#include <stdexcept>

#include "base/files.h"

namespace pacbench {

DeviceTraffic device_traffic(const std::string& device) {
  return device_traffic(device, read_file("/proc/thread-self/net/dev"));
}

DeviceTraffic device_traffic(const std::string& device, const std::string& devices) {
  // The columns are bytes, packets, errors, drops and four other counters, first for received
  // traffic, then for sent.
  constexpr std::size_t kColumnsEach = 8;
  std::istringstream text{devices};
  for (std::string line; std::getline(text, line);) {
    std::istringstream words{line};
    std::string name;
    if (!std::getline(words >> std::ws, name, ':') || name != device) continue;
    std::array<std::int64_t, 2 * kColumnsEach> columns{};
    for (auto& column : columns) words >> column;
    if (!words) break;
    const auto traffic_at = [&](std::size_t first) {
      return Traffic{columns[first], columns[first + 1], columns[first + 3]};
    };
    return {traffic_at(kColumnsEach), traffic_at(0)};
  }
  throw std::runtime_error{"found no line with all counters of network device " + device +
                           " in /proc/net/dev"};
}

}  // namespace pacbench
