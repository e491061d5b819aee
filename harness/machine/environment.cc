#include "harness/machine/environment.h"

#include <fmt/format.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include <ctime>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>

#include "base/host.h"
#include "harness/machine/cpu_allowance.h"

namespace pacbench {
namespace {

/// The entries of /proc/cpuinfo about the first CPU.
std::map<std::string, std::string> first_cpu() {
  std::ifstream file{"/proc/cpuinfo"};
  std::map<std::string, std::string> facts;
  for (std::string line; std::getline(file, line) && !line.empty();) {
    const auto colon = line.find(':');
    if (colon == std::string::npos || colon + 2 > line.size()) continue;
    facts[line.substr(0, line.find_last_not_of("\t ", colon - 1) + 1)] = line.substr(colon + 2);
  }
  return facts;
}

/// The CPU's name with family, model and stepping. Virtual machines often shorten the name, and
/// these numbers distinguish CPUs whose arithmetic differs in the last bit.
std::string cpu_model() {
  auto facts = first_cpu();
  const auto& name = facts["model name"];
  if (facts["cpu family"].empty()) return name.empty() ? "unknown" : name;
  return fmt::format("{} (family {}, model {}, stepping {})", name, facts["cpu family"],
                     facts["model"], facts["stepping"]);
}

std::vector<std::string> available_congestion_controls() {
  std::ifstream file{"/proc/sys/net/ipv4/tcp_available_congestion_control"};
  return {std::istream_iterator<std::string>{file}, {}};
}

}  // namespace

Environment Environment::read() {
  utsname name{};
  ::uname(&name);
  struct sysinfo memory {};
  ::sysinfo(&memory);
  const auto allowance = CpuAllowance::read();
  return {fmt::format("{} {} {}", name.sysname, name.release, name.machine),
          cpu_model(),
          usable_cores(),
          static_cast<std::int64_t>(memory.totalram) * memory.mem_unit,
          available_congestion_controls(),
          allowance.machine_cpus,
          cpu_list(allowance.cpus),
          allowance.quota ? std::optional{allowance.quota->cpus} : std::nullopt};
}

Json to_json(const Environment& environment) {
  Json node{{"kernel", environment.kernel},
            {"cpu", environment.cpu},
            {"cores", environment.cores},
            {"memory_bytes", environment.memory_bytes},
            {"congestion_controls", environment.congestion_controls}};
  if (environment.machine_cpus == 0) return node;  // as it was recorded
  node["machine_cpus"] = environment.machine_cpus;
  node["allowed_cpus"] = environment.allowed_cpus;
  node["cpu_quota"] = environment.cpu_quota ? Json(*environment.cpu_quota) : Json();
  return node;
}

Environment environment_from_json(ObjectReader reader) {
  Environment environment;
  environment.kernel = reader.text("kernel");
  environment.cpu = reader.text("cpu");
  environment.cores = static_cast<int>(reader.integer("cores", Range::at_least(1)));
  environment.memory_bytes = reader.integer_or("memory_bytes", 0, Range::at_least(0));
  for (const auto& name : reader.raw("congestion_controls")) {
    if (name.is_string()) environment.congestion_controls.push_back(name);
  }
  environment.machine_cpus = static_cast<int>(
      reader.integer_or("machine_cpus", 0, {0, std::numeric_limits<int>::max(), false}));
  environment.allowed_cpus = reader.string_or("allowed_cpus", "");
  if (!reader.raw("cpu_quota").is_null()) {
    environment.cpu_quota = reader.number("cpu_quota", Range::positive());
  }
  return environment;
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
