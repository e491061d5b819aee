#include "harness/links/fabric.h"

#include <fcntl.h>
#include <fmt/format.h>

#include "base/check.h"

namespace pacbench::links {
namespace {

// Setting up 128 workers on a busy host takes seconds; a daemon silent for a minute hangs.
constexpr int kReplyTimeoutMs = 60'000;

std::string words_of(const Json& error) {
  return error.value("message", "pacbench-netd failed and does not say why");
}

}  // namespace

Fabric::Fabric(const std::string& daemon, const netd::CreateRequest& request)
    : connection_{daemon} {
  created_ = netd::created_reply_from_json(this->request(to_json(request), "created"));
}

netd::SpawnedReply Fabric::spawn(const netd::SpawnRequest& request, const std::vector<int>& fds) {
  if (!connection_.shared()) {
    return netd::spawned_reply_from_json(this->request(to_json(request), "spawned", fds));
  }
  // A shared daemon sees only some of the files, so the program gets our mount namespace.
  const UniqueFd mounts{
      check("/proc/self/ns/mnt", ::open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC))};
  auto here = request;
  here.in_mount_namespace = true;
  auto with_mounts = fds;
  with_mounts.push_back(mounts.get());
  return netd::spawned_reply_from_json(this->request(to_json(here), "spawned", with_mounts));
}

const netd::ClusterNode& Fabric::node(int slot) const {
  return created_.nodes.at(static_cast<std::size_t>(slot));
}

std::string Fabric::address(int slot) const {
  return spans_hosts() ? node(slot).address : netd::worker_address(slot);
}

std::string Fabric::interface(int slot) const {
  return spans_hosts() ? node(slot).interface : "eth0";
}

std::string Fabric::control_address(int slot) const {
  return spans_hosts() ? node(slot).control_address : netd::control_address(slot);
}

netd::CountersReply Fabric::counters() {
  return netd::counters_reply_from_json(request(netd::counters_request(), "counters"));
}

void Fabric::signal(int process, int number) {
  request(to_json(netd::SignalRequest{process, number}), "signalled");
}

netd::ScheduledReply Fabric::schedule(const netd::ScheduleRequest& schedule) {
  return netd::scheduled_reply_from_json(request(to_json(schedule), "scheduled"));
}

std::vector<netd::ExitedEvent> Fabric::take_exited() {
  take_events();
  return std::exchange(exited_, {});
}

std::vector<netd::SteppedEvent> Fabric::take_stepped() {
  take_events();
  return std::exchange(stepped_, {});
}

void Fabric::take_events() {
  while (readable(fd(), 0)) {
    const auto message = receive(kReplyTimeoutMs);
    if (keep_event(message.body)) continue;
    if (netd::type_of(message.body) == "error") throw ProtocolError{words_of(message.body)};
    throw ProtocolError{"pacbench-netd sent a message that answers no request: " +
                        json_text(message.body)};
  }
}

bool Fabric::keep_event(const Json& message) {
  const auto type = netd::type_of(message);
  if (type == "exited") exited_.push_back(netd::exited_event_from_json(message));
  if (type == "stepped") stepped_.push_back(netd::stepped_event_from_json(message));
  return type == "exited" || type == "stepped";
}

Json Fabric::request(const Json& body, const std::string& expected, const std::vector<int>& fds) {
  try {
    connection_.socket().send(body, fds);
  } catch (const std::system_error&) {
    daemon_gone();
  }
  for (;;) {
    auto message = receive(kReplyTimeoutMs);
    const auto type = netd::type_of(message.body);
    if (type == expected) return std::move(message.body);
    if (keep_event(message.body)) continue;
    if (type == "error") throw ProtocolError{words_of(message.body)};
    throw ProtocolError{fmt::format("pacbench-netd answered {}, expected {}", type, expected)};
  }
}

Message Fabric::receive(int timeout_ms) {
  if (!readable(fd(), timeout_ms)) {
    throw ProtocolError{fmt::format("pacbench-netd has not answered for {} s", timeout_ms / 1000)};
  }
  std::optional<Message> message;
  try {
    message = connection_.socket().receive();
  } catch (const ProtocolError&) {
    // A message is usually cut short because the daemon died; other causes look the same.
    daemon_gone();
  }
  if (!message) daemon_gone();
  return std::move(*message);
}

void Fabric::daemon_gone() { throw ProtocolError{connection_.end()}; }

}  // namespace pacbench::links
