#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <optional>

#include "base/check.h"
#include "netem/service/options.h"
#include "netem/service/service.h"
#include "netem/session/charged_to.h"
#include "netem/session/privilege.h"
#include "netem/session/process_namespace.h"
#include "netem/session/session.h"

namespace {

using namespace pacbench;
using namespace pacbench::netem;

void require_unix_stream(int fd) {
  int domain = 0;
  socklen_t size = sizeof domain;
  check("--fd: not a socket", ::getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size));
  int type = 0;
  check("--fd: not a socket", ::getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size));
  if (domain != AF_UNIX || type != SOCK_STREAM) {
    throw std::runtime_error{"--fd: not a Unix stream socket"};
  }
}

/// Moves this process to a process session of its own (setsid), so that a terminal's Ctrl-C reaches
/// the client alone. The client then decides what becomes of the workers.
void leave_terminal() {
  if (::getsid(0) != ::getpid()) check("setsid", ::setsid());
}

/// Raises the limit of open descriptors to 16,384, or as far as the hard limit allows. 128 workers
/// need some 1,000, and the usual limit is 1,024.
void allow_descriptors() {
  constexpr rlim_t kEnough = 16384;
  rlimit limit{};
  check("RLIMIT_NOFILE", ::getrlimit(RLIMIT_NOFILE, &limit));
  limit.rlim_cur = std::max(limit.rlim_cur, std::min(limit.rlim_max, kEnough));
  check("RLIMIT_NOFILE", ::setrlimit(RLIMIT_NOFILE, &limit));
}

/// Serves one connection in a network namespace, which `leave_network` makes, and a PID namespace
/// of its own. Where one of them cannot be made, the session makes no fabrics.
void serve(UniqueFd connection, SessionTerms terms, Privilege (*leave_network)()) {
  leave_terminal();
  allow_descriptors();
  std::optional<ProcessNamespace> processes;
  try {
    if (terms.may_have_uplinks()) terms.host_network = NetNamespace::current();
    {
      const ChargedTo user{terms.charged};
      terms.privilege = leave_network();
    }
    processes.emplace(terms.charged);
  } catch (const std::exception& error) {
    terms.refusal = error.what();  // for the client, when it asks for a fabric or for features
  }
  Session{std::move(connection), std::move(terms)}.run();
}

void serve_alone(int fd) {
  require_unix_stream(fd);
  UniqueFd connection{fd};
  check("F_SETFD", ::fcntl(fd, F_SETFD, FD_CLOEXEC));
  serve(std::move(connection), {}, &leave_host_network);
}

/// Returns in each child process, with the connection to serve and nothing of the service open.
/// Returns nothing in the service's own process, when the service ends.
std::optional<Admitted> next_connection(const ServiceOptions& options) {
  Service service{options};
  return service.run();
}

void serve_others(const ServiceOptions& options) {
  auto admitted = next_connection(options);
  if (!admitted) return;
  JournalEntry entry{options.state, admitted->caller.uid};
  SessionTerms terms;
  terms.privilege = Privilege::kService;
  terms.claim = [&](const auto& request) { entry.claim(request, options.quota); };
  terms.hours = options.quota.hours;
  if (admitted->caller.uid != 0) terms.charged = admitted->caller.uid;
  terms.uplinks = options.uplinks;
  terms.group = std::move(admitted->group);
  serve(std::move(admitted->connection), std::move(terms), &leave_network_of_service);
}

}  // namespace

int main(int argc, char** argv) {
  spdlog::set_default_logger(spdlog::stderr_color_st("pacbench-netd"));
  const auto options = parse_options({argv + 1, argv + argc});
  if (!options) {
    fmt::print(stderr, "{}", kUsage);
    return 2;
  }
  try {
    options->service ? serve_others(*options->service) : serve_alone(options->fd);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "pacbench-netd: {}\n", error.what());
    return 1;
  }
}
