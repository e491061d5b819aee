#include "cluster/links_daemon.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <optional>

#include "base/check.h"
#include "base/environment.h"
#include "base/errors.h"
#include "base/start_process.h"
#include "base/unix_socket.h"
#include "contract/fabric/session_entry.h"

namespace pacbench::cluster {
namespace {

// Two answers and a teardown fit into the time that the hub waits for the node.
constexpr std::chrono::seconds kDaemonAnswerTime{20};
constexpr int kTeardownMs = 10'000;

std::string words_of(const Json& error) { return error.value("message", ""); }

bool readable(int fd, int timeout_ms) {
  pollfd poll{fd, POLLIN, 0};
  return ::poll(&poll, 1, timeout_ms) > 0;
}

/// The variables by which the daemon finds its libraries, and `ip` and `tc`.
std::vector<std::string> own_search_paths() {
  return inherited_environment({"PATH", "LD_LIBRARY_PATH"});
}

}  // namespace

LinksDaemon::LinksDaemon() {
  if (::geteuid() != 0) {
    socket_ = MessageSocket{connect_to(netd::kServiceSocket)};
  } else {
    auto [ours, theirs] = socket_pair();
    socket_ = MessageSocket{std::move(ours)};
    const UniqueFd null{check("open /dev/null", ::open("/dev/null", O_RDWR | O_CLOEXEC))};
    program_ = start_process({own_folder() + "/pacbench-netd", "--fd", "3"}, own_search_paths(),
                             {null.get(), null.get(), STDERR_FILENO, theirs.get()});
  }
  socket_.limit_waiting(kDaemonAnswerTime);
}

LinksDaemon::~LinksDaemon() {
  // The end of our stream asks the daemon to remove the links. This waits until it has, so that the
  // next cell's links do not meet what is left of these.
  ::shutdown(socket_.fd(), SHUT_WR);
  if (program_.running()) {
    if (readable(program_.pidfd(), kTeardownMs)) program_.wait();
    return;
  }
  char ignored[4096];
  while (readable(socket_.fd(), kTeardownMs) && ::read(socket_.fd(), ignored, sizeof ignored) > 0) {
  }
}

netd::CreatedReply LinksDaemon::create(const netd::CreateRequest& request) {
  return netd::created_reply_from_json(ask(to_json(request), "created"));
}

void LinksDaemon::spawn(netd::SpawnRequest request, std::vector<int> fds) {
  // The host's service sees only some of its files, so the program gets this process's mount
  // namespace.
  UniqueFd mounts;
  if (!program_.running()) {
    mounts =
        UniqueFd{check("/proc/self/ns/mnt", ::open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC))};
    request.in_mount_namespace = true;
    fds.push_back(mounts.get());
  }
  ask(to_json(request), "spawned", fds);
}

netd::CountersReply LinksDaemon::counters() {
  return netd::counters_reply_from_json(ask(netd::counters_request(), "counters"));
}

Json LinksDaemon::ask(const Json& request, const std::string& expected,
                      const std::vector<int>& fds) {
  socket_.send(request, fds);
  while (auto message = socket_.receive()) {
    const auto type = netd::type_of(message->body);
    if (type == expected) return std::move(message->body);
    if (type == "error") throw std::runtime_error{words_of(message->body)};
    // A program has ended: the end of its connection tells that, too.
    if (type != "exited") {
      throw ProtocolError{fmt::format("pacbench-netd answered {}, expected {}", type, expected)};
    }
  }
  throw ProtocolError{"pacbench-netd has closed its connection"};
}

std::string LinksDaemon::last_words() {
  try {
    while (readable(socket_.fd(), 0)) {
      const auto message = socket_.receive();
      if (!message) break;
      if (netd::type_of(message->body) == "error") return words_of(message->body);
    }
  } catch (const std::exception&) {
  }
  return {};
}

}  // namespace pacbench::cluster
