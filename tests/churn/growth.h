#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace pacbench {

/// Counts of what the service and the kernel hold between two rounds, when no fabric is there.
struct Holdings {
  int descriptors = 0;         ///< of the service
  int network_namespaces = 0;  ///< of the sandbox, those without a process included
  int pid_namespaces = 0;      ///< likewise
  long service_kb = 0;         ///< memory that the service has written to
  long kernel_kb = 0;          ///< of the whole machine, that the kernel cannot give back
};

/// Asks the kernel.
Holdings holdings_of(pid_t service);

/// A line for each thing that grew from the second fifth of the rounds to the last; the first fifth
/// is for caches to fill. What is counted may not grow at all. Memory may by what other programs of
/// the machine take: 1 MB of the service, 64 MB of the kernel.
std::vector<std::string> growth(const std::vector<Holdings>& rounds);

std::string to_words(const Holdings& holdings);

}  // namespace pacbench
