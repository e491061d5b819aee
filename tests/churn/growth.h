#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace pacbench {

/// Counts of what the service and the kernel hold between two rounds, when no fabric is there.
struct Holdings {
  int descriptors = 0;         ///< of the service
  int network_namespaces = 0;  ///< of the sandbox, also those without a process
  int pid_namespaces = 0;      ///< of the sandbox, also those without a process
  long service_kb = 0;         ///< memory that the service has written to
  long kernel_kb = 0;          ///< slab memory that the machine's kernel cannot give back
};

/// Asks the kernel what the process `service` and the kernel itself hold now.
Holdings holdings_of(pid_t service);

/// A line for each number whose median grew from the second fifth of the rounds to the last fifth.
/// The first fifth is for caches to fill. Counts may not grow at all. Memory may grow by 1 MB in
/// the service, and by 64 MB in the kernel, which serves other programs of the machine too. Throws
/// std::runtime_error for fewer than three rounds.
std::vector<std::string> growth(const std::vector<Holdings>& rounds);

std::string to_words(const Holdings& holdings);

}  // namespace pacbench
