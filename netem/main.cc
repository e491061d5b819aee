#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "base/check.h"
#include "netem/service/service.h"
#include "netem/session/process_namespace.h"
#include "netem/session/session.h"

namespace {

using namespace pacbench;
using namespace pacbench::netem;

constexpr const char* kUsage =
    "usage: pacbench-netd --fd N\n"
    "Serves the connected Unix stream socket inherited as descriptor N until it closes.\n"
    "`pacbench run` starts it; there is no need to do so by hand.\n"
    "\n"
    "       pacbench-netd --service [--listen PATH] [--group GROUP] [--state FOLDER]\n"
    "                     [--most-fabrics N] [--most-workers N] [--most-hours N] [--most-users N]\n"
    "                     [--most-queue-mb N] [--most-namespaces-per-hour N]\n"
    "                     [--most-memory-percent N] [--most-tasks N]\n"
    "                     [--uplink NAME]...\n"
    "Serves all members of GROUP (pacbench) at the socket that systemd hands over, or at a socket\n"
    "that it makes at PATH. It keeps its journal in FOLDER (/run/pacbench-netd).\n"
    "A fabric is the network of one cell of a run: its namespaces, links and switches.\n"
    "Limits, with their defaults in brackets:\n"
    "  --most-fabrics (8)                  fabrics of a user at a time\n"
    "  --most-workers (256)                workers in all fabrics of a user\n"
    "  --most-queue-mb (4096)              MB of queues in all fabrics of a user\n"
    "  --most-hours (48)                   hours that a connection may last\n"
    "  --most-namespaces-per-hour (20000)  new network namespaces of a user per hour, on average\n"
    "  --most-users (any number)           users that may have fabrics at a time\n"
    "  --most-memory-percent (any)         % of the machine's memory for all workers of a user\n"
    "  --most-tasks (any number)           processes and threads of all workers of a user\n"
    "The last two limits need a unit that delegates a cgroup.\n"
    "  --uplink NAME                       an interface of this host that links may lead to, for\n"
    "                                      runs over several hosts; may be given several times\n";

struct DaemonOptions {
  int fd = -1;  ///< of the one connection to serve; -1 when it is a service
  std::optional<ServiceOptions> service;
};

template <typename Number>
bool read_number(const std::string& text, Number least, Number& value) {
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && rest == end && value >= least;
}

bool read_path(const std::string& text, std::string& path) {
  path = text;
  return text.starts_with('/');
}

bool take(const std::string& name, const std::string& value, ServiceOptions& options) {
  if (name == "--listen") return read_path(value, options.listen);
  if (name == "--state") return read_path(value, options.state);
  if (name == "--most-fabrics") return read_number(value, 1, options.quota.fabrics);
  if (name == "--most-workers") return read_number(value, 1, options.quota.workers);
  if (name == "--most-users") return read_number(value, 1, options.quota.users);
  if (name == "--most-queue-mb") return read_number<std::int64_t>(value, 1, options.quota.queue_mb);
  if (name == "--most-namespaces-per-hour") {
    return read_number(value, 1, options.quota.namespaces_per_hour);
  }
  if (name == "--most-memory-percent") {
    return read_number(value, 1, options.limits.memory_percent) &&
           options.limits.memory_percent <= 100;
  }
  if (name == "--most-tasks") return read_number(value, 1, options.limits.tasks);
  // The limit is ten years, which a timer can hold.
  if (name == "--most-hours") {
    return read_number(value, 0.0, options.quota.hours) && options.quota.hours > 0 &&
           options.quota.hours <= 87600;
  }
  if (name == "--uplink") return !options.uplinks.emplace_back(value).empty();
  if (name != "--group" || value.empty()) return false;
  options.group = value;
  return true;
}

/// The options; nothing when the words are not as in kUsage.
std::optional<DaemonOptions> parse_options(const std::vector<std::string>& words) {
  DaemonOptions options;
  if (words.size() == 2 && words[0] == "--fd") {
    if (!read_number(words[1], 0, options.fd)) return std::nullopt;
    return options;
  }
  if (words.empty() || words[0] != "--service" || words.size() % 2 == 0) return std::nullopt;
  options.service.emplace();
  for (std::size_t i = 1; i < words.size(); i += 2) {
    if (!take(words[i], words[i + 1], *options.service)) return std::nullopt;
  }
  return options;
}

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
