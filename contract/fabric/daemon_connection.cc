#include "contract/fabric/daemon_connection.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/check.h"
#include "base/readable.h"
#include "base/start_process.h"
#include "base/unix_socket.h"
#include "contract/fabric/netd_protocol.h"

namespace pacbench::netd {

DaemonConnection::DaemonConnection(Daemon daemon) : daemon_{std::move(daemon)} {
  if (daemon_.shared) {
    socket_ = MessageSocket{connect_to(daemon_.path)};
  } else {
    auto [ours, theirs] = socket_pair();
    socket_ = MessageSocket{std::move(ours)};
    const UniqueFd null{check("open /dev/null", ::open("/dev/null", O_RDWR | O_CLOEXEC))};
    const int log = daemon_.log.get();
    program_ = start_process({daemon_.path, "--fd", "3"}, daemon_.environment,
                             {null.get(), log, log, theirs.get()});
  }
  socket_.limit_waiting(daemon_.answer_time);
}

DaemonConnection::~DaemonConnection() {
  // The end of our stream asks the daemon to take everything down. A private daemon that does not
  // end then is killed by the destructor of its handle.
  const auto timeout_ms = static_cast<int>(daemon_.teardown_time.count());
  ::shutdown(fd(), SHUT_WR);
  if (program_.running()) {
    socket_ = MessageSocket{UniqueFd{}};
    if (readable(program_.pidfd(), timeout_ms)) program_.wait();
    return;
  }
  char ignored[4096];
  while (readable(fd(), timeout_ms) && ::read(fd(), ignored, sizeof ignored) > 0) continue;
}

int DaemonConnection::pid() const {
  if (!daemon_.shared) return program_.pid();
  ucred peer{};
  socklen_t size = sizeof peer;
  check("SO_PEERCRED", ::getsockopt(fd(), SOL_SOCKET, SO_PEERCRED, &peer, &size));
  return peer.pid;
}

std::string DaemonConnection::last_words() {
  try {
    while (readable(fd(), 0)) {
      const auto message = socket_.receive();
      if (!message) break;
      if (type_of(message->body) == "error") return message->body.value("message", "");
    }
  } catch (const std::exception&) {
  }
  return {};
}

std::string DaemonConnection::end() {
  constexpr int kGraceMs = 2'000;
  if (auto words = last_words(); !words.empty()) return words;
  if (daemon_.shared) {
    return "the daemon closed its connection; where it is the service pacbench-netd, its log may "
           "say why: journalctl --unit pacbench-netd";
  }
  std::string how = "closed its connection";
  if (program_.running() && readable(program_.pidfd(), kGraceMs)) {
    how = "ended with " + program_.wait().describe();
  }
  const auto words = daemon_.quote ? daemon_.quote(daemon_.log.get()) : "";
  return fmt::format("pacbench-netd {}{}", how, words.empty() ? "" : ": " + words);
}

}  // namespace pacbench::netd
