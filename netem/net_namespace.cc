#include "netem/net_namespace.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>

#include <cstdlib>

#include "base/check.h"

namespace pacbench {

NetNamespace::Entered::Entered(const NetNamespace& target) {
  check("setns", ::setns(target.fd_.get(), CLONE_NEWNET));
}

NetNamespace::Entered::~Entered() {
  // A thread lost in the wrong namespace would shape the wrong link: better no result than that.
  if (::setns(home_.fd_.get(), CLONE_NEWNET) < 0) std::abort();
}

NetNamespace NetNamespace::create() {
  const auto home = current();
  const Entered back_home_afterwards{home};
  check("unshare(CLONE_NEWNET)", ::unshare(CLONE_NEWNET));
  return current();
}

NetNamespace NetNamespace::current() {
  constexpr auto kPath = "/proc/thread-self/ns/net";
  return NetNamespace{UniqueFd{check(kPath, ::open(kPath, O_RDONLY | O_CLOEXEC))}};
}

NetNamespace::Entered NetNamespace::enter() const { return Entered{*this}; }

// Not closed on exec: the program that is given the path must have the descriptor too.
NamespacePath::NamespacePath(const NetNamespace& target)
    : inherited_{check("dup", ::dup(target.fd()))} {}

std::string NamespacePath::path() const {
  return fmt::format("/proc/self/fd/{}", inherited_.get());
}

}  // namespace pacbench
