#include "base/tcp_counters.h"

#include <sstream>
#include <stdexcept>

#include "base/files.h"

namespace pacbench {

std::int64_t retransmitted_segments() {
  // /proc/net would show the namespace of the process's first thread, so this reads the calling
  // thread's own file.
  return retransmitted_segments(read_file("/proc/thread-self/net/snmp"));
}

std::int64_t retransmitted_segments(const std::string& snmp) {
  std::istringstream text{snmp};
  std::string names;
  std::string values;
  while (std::getline(text, names) && std::getline(text, values)) {
    if (!names.starts_with("Tcp:")) continue;
    std::istringstream name{names};
    std::istringstream value{values};
    for (std::string word, number; name >> word && value >> number;) {
      if (word == "RetransSegs") return std::stoll(number);
    }
  }
  throw std::runtime_error{"found no TCP counter RetransSegs in /proc/net/snmp"};
}

}  // namespace pacbench
