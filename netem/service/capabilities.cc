#include "netem/service/capabilities.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/check.h"

namespace pacbench::netem {
namespace {

struct Needed {
  int capability;
  const char* name;
};

constexpr std::array kNeeded{
    Needed{CAP_SYS_ADMIN, "CAP_SYS_ADMIN"},    // making and entering namespaces
    Needed{CAP_NET_ADMIN, "CAP_NET_ADMIN"},    // links and shapers in them
    Needed{CAP_SYS_CHROOT, "CAP_SYS_CHROOT"},  // entering a caller's mount namespace
    Needed{CAP_SETUID, "CAP_SETUID"},          // becoming the caller
    Needed{CAP_SETGID, "CAP_SETGID"},
    Needed{CAP_SETPCAP, "CAP_SETPCAP"},  // giving up everything else for good
    Needed{CAP_KILL, "CAP_KILL"},        // ending programs that run as the caller
};

}  // namespace

void require_service_capabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> held{};
  check("capget", ::syscall(SYS_capget, &header, held.data()));
  std::vector<std::string> lacking;
  for (const auto& needed : kNeeded) {
    const auto word = held[static_cast<std::size_t>(CAP_TO_INDEX(needed.capability))].effective;
    if ((word & CAP_TO_MASK(needed.capability)) == 0) lacking.emplace_back(needed.name);
  }
  if (lacking.empty()) return;
  throw std::runtime_error{
      fmt::format("pacbench-netd lacks {}, which it needs to serve other users; start it by its "
                  "unit pacbench-netd.service, which grants them",
                  fmt::join(lacking, ", "))};
}

}  // namespace pacbench::netem
