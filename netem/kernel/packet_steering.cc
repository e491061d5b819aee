#include "netem/kernel/packet_steering.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/unique_fd.h"

namespace pacbench::netem {
namespace {

constexpr const char* kDefaultOfNamespace = "/proc/sys/net/core/rps_default_mask";
constexpr const char* kOnline = "/sys/devices/system/cpu/online";
constexpr std::size_t kCpusPerWord = 32;

/// Mounts sysfs with the devices of the calling thread's namespace, on no path. The mount is gone
/// when the descriptor closes. The libc of Debian 12 declares fsopen(), fsconfig() and fsmount() in
/// a header that conflicts with Linux's, so syscall() makes these calls.
UniqueFd mount_sysfs() {
  const UniqueFd context{
      check("fsopen(sysfs)", static_cast<int>(::syscall(SYS_fsopen, "sysfs", FSOPEN_CLOEXEC)))};
  check("fsconfig(sysfs)",
        ::syscall(SYS_fsconfig, context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0));
  return UniqueFd{check("fsmount(sysfs)", static_cast<int>(::syscall(SYS_fsmount, context.get(),
                                                                     FSMOUNT_CLOEXEC, 0)))};
}

/// The names in a folder, sorted, without those that begin with a dot.
std::vector<std::string> names_in(const UniqueFd& at, const std::string& folder) {
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
  const int fd = check(folder.c_str(), ::openat(at.get(), folder.c_str(), kFlags));
  const std::unique_ptr<DIR, int (*)(DIR*)> entries{::fdopendir(fd), ::closedir};
  std::vector<std::string> names;
  while (const auto* entry = ::readdir(entries.get())) {
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// Pairs of a device and the file that holds the CPUs of one of its receive queues.
std::vector<std::pair<std::string, std::string>> steering_files(const UniqueFd& sysfs) {
  std::vector<std::pair<std::string, std::string>> files;
  for (const auto& device : names_in(sysfs, "class/net")) {
    const auto queues = fmt::format("class/net/{}/queues", device);
    for (const auto& queue : names_in(sysfs, queues)) {
      if (!queue.starts_with("rx-")) continue;
      files.emplace_back(device, fmt::format("{}/{}/rps_cpus", queues, queue));
    }
  }
  return files;
}

/// A set of CPUs without what kernels write differently: commas, leading zeros and the newline.
std::string plain(std::string cpus) {
  std::erase_if(cpus, [](char letter) { return letter == ',' || letter == '\n'; });
  return cpus.erase(0, cpus.find_first_not_of('0'));
}

std::string read_at(const UniqueFd& at, const std::string& path) {
  const UniqueFd file{check(path.c_str(), ::openat(at.get(), path.c_str(), O_RDONLY | O_CLOEXEC))};
  std::string text(4096, '\0');
  text.resize(
      static_cast<std::size_t>(check(path.c_str(), ::read(file.get(), text.data(), text.size()))));
  return text;
}

}  // namespace

std::string set_of_cpus(const std::string& list) {
  std::vector<std::uint32_t> words;
  std::istringstream ranges{list};
  for (std::string range; std::getline(ranges, range, ',');) {
    const auto dash = range.find('-');
    const auto first = std::stoul(range);
    const auto last = dash == std::string::npos ? first : std::stoul(range.substr(dash + 1));
    for (auto cpu = first; cpu <= last; ++cpu) {
      words.resize(std::max(words.size(), cpu / kCpusPerWord + 1));
      words[cpu / kCpusPerWord] |= 1U << cpu % kCpusPerWord;
    }
  }
  std::string text;
  for (auto word = words.rbegin(); word != words.rend(); ++word) {
    text += text.empty() ? fmt::format("{:x}", *word) : fmt::format(",{:08x}", *word);
  }
  return text;
}

std::string steering_cpus() {
  const auto cpus = ::sysconf(_SC_NPROCESSORS_ONLN);
  if (cpus <= 1) return {};
  std::string online;
  if (!std::getline(std::ifstream{kOnline}, online)) online = fmt::format("0-{}", cpus - 1);
  return set_of_cpus(online);
}

bool steer_devices_to_come(const std::string& cpus) {
  if (cpus.empty()) return true;
  std::ofstream file{kDefaultOfNamespace};
  file << cpus << std::flush;
  return file.good();
}

void steer_devices(const std::string& cpus) {
  const auto sysfs = mount_sysfs();
  for (const auto& [device, path] : steering_files(sysfs)) {
    const UniqueFd file{
        check(path.c_str(), ::openat(sysfs.get(), path.c_str(), O_WRONLY | O_CLOEXEC))};
    check(path.c_str(), ::write(file.get(), cpus.data(), cpus.size()));
  }
}

std::string unsteered_device(const std::string& cpus) {
  if (cpus.empty()) return {};
  try {
    const auto sysfs = mount_sysfs();
    for (const auto& [device, path] : steering_files(sysfs)) {
      // The kernel leaves out CPUs that are offline or isolated, so a device's set may be smaller
      // than `cpus`. Only an empty one steers nothing.
      if (device != "lo" && plain(read_at(sysfs, path)).empty()) {
        return fmt::format("{} steers packets over no CPU, but CPUs \"{}\" were set", device, cpus);
      }
    }
  } catch (const std::system_error&) {
    // Only root may mount sysfs. For others, only the write of the namespace's default was checked.
  }
  return {};
}

}  // namespace pacbench::netem
