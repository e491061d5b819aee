#include "base/host_name.h"

#include <unistd.h>

#include <array>

#include "base/check.h"

namespace pacbench {

std::string host_name() {
  std::array<char, 256> name{};
  check("gethostname", ::gethostname(name.data(), name.size() - 1));
  return name.data();
}

}  // namespace pacbench
