#include "harness/links/daemon_connection.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
#include "base/start_process.h"
#include "base/unix_socket.h"
#include "contract/fabric/netd_protocol.h"
#include "contract/fabric/session_entry.h"
#include "harness/machine/process.h"

namespace pacbench::links {
namespace {

constexpr int kTeardownTimeoutMs = 20'000;

bool is_socket(const std::string& path) {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0 && S_ISSOCK(found.st_mode);
}

}  // namespace

bool readable(int fd, int timeout_ms) {
  pollfd poll{fd, POLLIN, 0};
  int count = 0;
  do {
    count = ::poll(&poll, 1, timeout_ms);
  } while (count < 0 && errno == EINTR);
  return count > 0;
}

DaemonConnection::DaemonConnection(const std::string& daemon) : shared_{is_socket(daemon)} {
  if (shared_) {
    socket_ = MessageSocket{connect_to(daemon)};
    return;
  }
  log_ = memory_file("pacbench-netd.log", 0);
  auto [ours, theirs] = socket_pair();
  socket_ = MessageSocket{std::move(ours)};
  const UniqueFd null{check("open /dev/null", ::open("/dev/null", O_RDWR | O_CLOEXEC))};
  program_ = start_process({daemon, "--fd", "3"}, minimal_environment(),
                           {null.get(), log_.get(), log_.get(), theirs.get()});
}

DaemonConnection::~DaemonConnection() {
  // The end of our stream asks the daemon to take everything down. A private daemon that does not
  // end then is killed by the destructor of its handle.
  ::shutdown(fd(), SHUT_WR);
  if (program_.running()) {
    socket_ = MessageSocket{UniqueFd{}};
    if (readable(program_.pidfd(), kTeardownTimeoutMs)) program_.wait();
    return;
  }
  char ignored[4096];
  while (readable(fd(), kTeardownTimeoutMs) && ::read(fd(), ignored, sizeof ignored) > 0) continue;
}

int DaemonConnection::pid() const {
  if (!shared_) return program_.pid();
  ucred peer{};
  socklen_t size = sizeof peer;
  check("SO_PEERCRED", ::getsockopt(fd(), SOL_SOCKET, SO_PEERCRED, &peer, &size));
  return peer.pid;
}

/// The daemon's last error message, which says why it closed the connection; empty when none came.
std::string DaemonConnection::refusal() {
  try {
    while (readable(fd(), 0)) {
      const auto message = socket_.receive();
      if (!message) break;
      if (netd::type_of(message->body) == "error") return message->body.value("message", "");
    }
  } catch (const std::exception&) {
  }
  return {};
}

std::string DaemonConnection::end() {
  constexpr int kGraceMs = 2'000;
  if (auto words = refusal(); !words.empty()) return words;
  if (shared_) {
    return "pacbench-netd closed its connection; its log may say why: journalctl --unit "
           "pacbench-netd";
  }
  std::string how = "closed its connection";
  if (program_.running() && readable(program_.pidfd(), kGraceMs)) {
    how = "ended with " + program_.wait().describe();
  }
  const auto words = last_lines(text_in(log_.get()), 5);
  return fmt::format("pacbench-netd {}{}", how, words.empty() ? "" : ": " + words);
}

std::string choose_daemon(const std::string& choice, const std::string& program) {
  if (choice == "private") return program;
  if (choice != "auto") {
    if (is_socket(choice)) return choice;
    throw ConfigError{
        "--daemon",
        {{"",
          fmt::format("found {}, expected auto, private or the socket of a running pacbench-netd",
                      choice)}}};
  }
  if (::geteuid() == 0 || !is_socket(netd::kServiceSocket)) return program;
  try {
    connect_to(netd::kServiceSocket);
    return netd::kServiceSocket;
  } catch (const std::system_error&) {
    return program;  // this user is not in the socket's group, or nobody listens
  }
}

}  // namespace pacbench::links
