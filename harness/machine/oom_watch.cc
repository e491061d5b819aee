#include "harness/machine/oom_watch.h"

#include <signal.h>

#include <fstream>

namespace pacbench {
namespace {

std::int64_t oom_kills() {
  std::ifstream counters{"/proc/vmstat"};
  std::string name;
  std::int64_t count = 0;
  while (counters >> name >> count) {
    if (name == "oom_kill") return count;
  }
  return 0;
}

}  // namespace

OomWatch::OomWatch() : before_{oom_kills()} {}

std::string OomWatch::words(const ExitStatus& status) const {
  if (status.signal != SIGKILL || oom_kills() == before_) return {};
  return ", probably from the kernel, which had no memory left; use fewer workers, a smaller model "
         "or batch, or more memory";
}

}  // namespace pacbench
