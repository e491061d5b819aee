#include "contract/fabric/netd_client.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <optional>

#include "base/check.h"
#include "base/readable.h"
#include "base/subprocess.h"
#include "base/unix_socket.h"

namespace pacbench::netd {
namespace {

std::string words_of(const Json& error) {
  return error.value("message", "pacbench-netd failed and does not say why");
}

}  // namespace

Client::Client(Daemon daemon) : daemon_{std::move(daemon)} {
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

Client::~Client() {
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

CreatedReply Client::create(const CreateRequest& request) {
  return message_from_json<CreatedReply>(ask(to_json(request), "created"));
}

SpawnedReply Client::spawn(SpawnRequest request, std::vector<int> fds) {
  UniqueFd mounts;
  if (daemon_.shared) {
    // A shared daemon sees only some of the files, so the program gets our mount namespace.
    mounts =
        UniqueFd{check("/proc/self/ns/mnt", ::open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC))};
    request.in_mount_namespace = true;
    fds.push_back(mounts.get());
  }
  return message_from_json<SpawnedReply>(ask(to_json(request), "spawned", fds));
}

ScheduledReply Client::schedule(const ScheduleRequest& request) {
  return message_from_json<ScheduledReply>(ask(to_json(request), "scheduled"));
}

CountersReply Client::counters() {
  return message_from_json<CountersReply>(ask(counters_request(), "counters"));
}

void Client::signal(int process, int number) {
  ask(to_json(SignalRequest{process, number}), "signalled");
}

std::vector<Feature> Client::features() {
  return message_from_json<FeaturesReply>(ask(features_request(), "features")).features;
}

std::vector<ExitedEvent> Client::take_exited() {
  take_events();
  return std::exchange(exited_, {});
}

std::vector<SteppedEvent> Client::take_stepped() {
  take_events();
  return std::exchange(stepped_, {});
}

int Client::pid() const {
  if (!daemon_.shared) return program_.pid();
  ucred peer{};
  socklen_t size = sizeof peer;
  check("SO_PEERCRED", ::getsockopt(fd(), SOL_SOCKET, SO_PEERCRED, &peer, &size));
  return peer.pid;
}

std::string Client::last_words() {
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

std::string Client::end() {
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

void Client::take_events() {
  while (readable(fd(), 0)) {
    const auto message = receive();
    if (keep_event(message)) continue;
    if (type_of(message) == "error") throw ProtocolError{words_of(message)};
    throw ProtocolError{"pacbench-netd sent a message that answers no request: " +
                        json_text(message)};
  }
}

bool Client::keep_event(const Json& message) {
  const auto type = type_of(message);
  if (type == "exited") exited_.push_back(message_from_json<ExitedEvent>(message));
  if (type == "stepped") stepped_.push_back(message_from_json<SteppedEvent>(message));
  return type == "exited" || type == "stepped";
}

Json Client::ask(const Json& request, const std::string& expected, const std::vector<int>& fds) {
  try {
    socket_.send(request, fds);
  } catch (const std::system_error& error) {
    fail(error);
  }
  for (;;) {
    auto message = receive();
    const auto type = type_of(message);
    if (type == expected) return message;
    if (keep_event(message)) continue;
    if (type == "error") throw ProtocolError{words_of(message)};
    throw ProtocolError{fmt::format("pacbench-netd answered {}, expected {}", type, expected)};
  }
}

Json Client::receive() {
  std::optional<Message> message;
  try {
    message = socket_.receive();
  } catch (const std::system_error& error) {
    fail(error);
  } catch (const ProtocolError&) {
    // A message is usually cut short because the daemon died; other causes look the same.
    daemon_gone();
  }
  if (!message) daemon_gone();
  return std::move(message->body);
}

void Client::fail(const std::system_error& error) {
  if (error.code().value() != EAGAIN) daemon_gone();
  const std::chrono::duration<double> time = daemon_.answer_time;
  throw ProtocolError{fmt::format("pacbench-netd has not answered for {:g} s", time.count())};
}

void Client::daemon_gone() { throw ProtocolError{end()}; }

}  // namespace pacbench::netd
