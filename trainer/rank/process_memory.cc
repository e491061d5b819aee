#include "trainer/rank/process_memory.h"

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

namespace pacbench::trainer {

std::int64_t resident_bytes() {
  std::ifstream statm{"/proc/self/statm"};
  std::int64_t total = 0;
  std::int64_t resident = 0;
  statm >> total >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

std::int64_t peak_resident_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss * 1024;
}

void keep_freed_memory() {
  constexpr int kUpToBytes = 1 << 30;
  ::mallopt(M_MMAP_THRESHOLD, kUpToBytes);
  ::mallopt(M_TRIM_THRESHOLD, kUpToBytes);
}

}  // namespace pacbench::trainer
