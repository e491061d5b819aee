#include "contract/fabric/netd_client.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <optional>

#include "base/check.h"
#include "base/readable.h"

namespace pacbench::netd {
namespace {

std::string words_of(const Json& error) {
  return error.value("message", "pacbench-netd failed and does not say why");
}

}  // namespace

CreatedReply Client::create(const CreateRequest& request) {
  return created_reply_from_json(ask(to_json(request), "created"));
}

SpawnedReply Client::spawn(SpawnRequest request, std::vector<int> fds) {
  UniqueFd mounts;
  if (connection_.daemon().shared) {
    // A shared daemon sees only some of the files, so the program gets our mount namespace.
    mounts =
        UniqueFd{check("/proc/self/ns/mnt", ::open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC))};
    request.in_mount_namespace = true;
    fds.push_back(mounts.get());
  }
  return spawned_reply_from_json(ask(to_json(request), "spawned", fds));
}

ScheduledReply Client::schedule(const ScheduleRequest& request) {
  return scheduled_reply_from_json(ask(to_json(request), "scheduled"));
}

CountersReply Client::counters() {
  return counters_reply_from_json(ask(counters_request(), "counters"));
}

void Client::signal(int process, int number) {
  ask(to_json(SignalRequest{process, number}), "signalled");
}

std::vector<Feature> Client::features() {
  return features_reply_from_json(ask(features_request(), "features"));
}

std::vector<ExitedEvent> Client::take_exited() {
  take_events();
  return std::exchange(exited_, {});
}

std::vector<SteppedEvent> Client::take_stepped() {
  take_events();
  return std::exchange(stepped_, {});
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
  if (type == "exited") exited_.push_back(exited_event_from_json(message));
  if (type == "stepped") stepped_.push_back(stepped_event_from_json(message));
  return type == "exited" || type == "stepped";
}

Json Client::ask(const Json& request, const std::string& expected, const std::vector<int>& fds) {
  try {
    connection_.socket().send(request, fds);
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
    message = connection_.socket().receive();
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
  const std::chrono::duration<double> time = connection_.daemon().answer_time;
  throw ProtocolError{fmt::format("pacbench-netd has not answered for {:g} s", time.count())};
}

void Client::daemon_gone() { throw ProtocolError{connection_.end()}; }

}  // namespace pacbench::netd
