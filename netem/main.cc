// pacbench-netd: shapes links in network namespaces of its own and runs programs inside them, for
// one connection that it inherits. The only program of the project that holds privilege.
#include <fmt/format.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <exception>
#include <optional>
#include <string_view>

#include "base/check.h"
#include "netem/privilege.h"
#include "netem/process_namespace.h"
#include "netem/session.h"

namespace {

using namespace pacbench;

constexpr const char* kUsage =
    "usage: pacbench-netd --fd N\n"
    "Serves the connected Unix stream socket inherited as descriptor N until it closes.\n"
    "`pacbench run` starts it; there is no need to do so by hand.\n";

std::optional<int> connection_from(int argc, char** argv) {
  if (argc != 3 || std::string_view{argv[1]} != "--fd") return std::nullopt;
  const std::string_view text{argv[2]};
  int fd = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), fd);
  if (error != std::errc{} || end != text.data() + text.size() || fd < 0) return std::nullopt;
  return fd;
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

/// A session of its own, so that a terminal's Ctrl-C reaches the client alone, which then decides
/// what becomes of the workers.
void leave_terminal() {
  if (::getsid(0) != ::getpid()) check("setsid", ::setsid());
}

void serve(int fd) {
  require_unix_stream(fd);
  UniqueFd connection{fd};
  check("F_SETFD", ::fcntl(fd, F_SETFD, FD_CLOEXEC));
  leave_terminal();
  Privilege privilege = Privilege::kRoot;
  std::string refusal;
  std::optional<ProcessNamespace> processes;
  try {
    privilege = leave_host_network();
    processes.emplace();
  } catch (const std::exception& error) {
    refusal = error.what();  // for the client, when it asks
  }
  Session{std::move(connection), privilege, refusal}.run();
}

}  // namespace

int main(int argc, char** argv) {
  spdlog::set_default_logger(spdlog::stderr_color_st("pacbench-netd"));
  const auto fd = connection_from(argc, argv);
  if (!fd) {
    fmt::print(stderr, "{}", kUsage);
    return 2;
  }
  try {
    serve(*fd);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "pacbench-netd: {}\n", error.what());
    return 1;
  }
}
