#include "harness/links/this_host.h"

#include <unistd.h>

namespace pacbench::links {

int ThisHost::pid() const { return ::getpid(); }

}  // namespace pacbench::links
