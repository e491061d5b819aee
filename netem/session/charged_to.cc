#include "netem/session/charged_to.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdlib>

#include "base/check.h"

namespace pacbench::netem {

ChargedTo::ChargedTo(std::optional<uid_t> user) : before_{::geteuid()}, parent_{::getppid()} {
  if (!user) return;
  check("seteuid", ::seteuid(*user));
  changed_ = true;
}

ChargedTo::~ChargedTo() {
  if (!changed_) return;
  // If this process went on as that user, the user could change its priority (setpriority(2)).
  if (::seteuid(before_) < 0) std::abort();
  // The kernel clears both settings when a process changes its user.
  ::prctl(PR_SET_DUMPABLE, 1);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent_) ::_exit(1);  // the service has died meanwhile
}

}  // namespace pacbench::netem
