#include "netem/kernel/net_namespace.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cstdlib>
#include <optional>
#include <stdexcept>

#include "base/check.h"

namespace pacbench::netem {

namespace {

// The kernel numbers network namespaces as it makes them, from 1. The machine's own is the first.
constexpr std::uint64_t kFirstCookie = 1;

/// The number (cookie) of the calling thread's network namespace; nothing before Linux 5.14.
std::optional<std::uint64_t> cookie() {
  const UniqueFd socket{check("socket", ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0))};
  std::uint64_t value = 0;
  socklen_t size = sizeof value;
  const int result = ::getsockopt(socket.get(), SOL_SOCKET, SO_NETNS_COOKIE, &value, &size);
  return result == 0 ? std::optional{value} : std::nullopt;
}

/// True when process 1 is in the calling thread's namespace and the kernel lets us see that.
bool shared_with_first_process() {
  struct stat first {};
  struct stat own {};
  check("/proc/thread-self/ns/net", ::stat("/proc/thread-self/ns/net", &own));
  if (::stat("/proc/1/ns/net", &first) != 0) return false;
  return first.st_dev == own.st_dev && first.st_ino == own.st_ino;
}

}  // namespace

void refuse_initial_namespace() {
  if (cookie() != kFirstCookie && !shared_with_first_process()) return;
  throw std::runtime_error{
      "found the network namespace of the machine or of process 1; pacbench-netd makes links only "
      "in namespaces that it has made itself"};
}

NetNamespace::Entered::Entered(const NetNamespace& target) {
  check("setns", ::setns(target.fd_.get(), CLONE_NEWNET));
}

NetNamespace::Entered::~Entered() {
  // A thread left in the wrong namespace would shape the wrong link.
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

}  // namespace pacbench::netem
