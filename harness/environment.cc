#include "harness/environment.h"

#include <fmt/format.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include <ctime>
#include <fstream>
#include <sstream>

#include "base/cores.h"

namespace pacbench {
namespace {

std::string cpu_model() {
  std::ifstream file{"/proc/cpuinfo"};
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

std::vector<std::string> available_congestion_controls() {
  std::ifstream file{"/proc/sys/net/ipv4/tcp_available_congestion_control"};
  std::vector<std::string> names;
  for (std::string name; file >> name;) names.push_back(name);
  return names;
}

}  // namespace

Environment Environment::read() {
  utsname name{};
  ::uname(&name);
  struct sysinfo memory {};
  ::sysinfo(&memory);
  return {fmt::format("{} {} {}", name.sysname, name.release, name.machine), cpu_model(),
          usable_cores(), static_cast<std::int64_t>(memory.totalram) * memory.mem_unit,
          available_congestion_controls()};
}

Json to_json(const Environment& environment) {
  return {{"kernel", environment.kernel},
          {"cpu", environment.cpu},
          {"cores", environment.cores},
          {"memory_bytes", environment.memory_bytes},
          {"congestion_controls", environment.congestion_controls}};
}

std::string utc_now(bool for_folder) {
  const auto now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  char text[32];
  const auto size =
      std::strftime(text, sizeof text, for_folder ? "%Y%m%dT%H%M%SZ" : "%Y-%m-%dT%H:%M:%SZ", &utc);
  return {text, size};
}

}  // namespace pacbench
