#include "harness/fabric.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "base/check.h"
#include "harness/process.h"

namespace pacbench {
namespace {

// Setting up 128 workers on a busy host takes seconds; a daemon silent for longer hangs.
constexpr int kReplyTimeoutMs = 60'000;
constexpr int kTeardownTimeoutMs = 20'000;

bool readable(int fd, int timeout_ms) {
  pollfd poll{fd, POLLIN, 0};
  int count = 0;
  do {
    count = ::poll(&poll, 1, timeout_ms);
  } while (count < 0 && errno == EINTR);
  return count > 0;
}

std::string text_of(int memory_file) {
  std::string text(static_cast<std::size_t>(::lseek(memory_file, 0, SEEK_END)), '\0');
  const auto count = ::pread(memory_file, text.data(), text.size(), 0);
  text.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
  return text;
}

}  // namespace

Fabric::Fabric(const std::string& daemon, const netd::CreateRequest& request) {
  log_ = memory_file("pacbench-netd.log", 0);
  auto [ours, theirs] = socket_pair();
  socket_ = MessageSocket{std::move(ours)};
  const UniqueFd null{check("open /dev/null", ::open("/dev/null", O_RDWR | O_CLOEXEC))};
  daemon_ = start_process({daemon, "--fd", "3"}, minimal_environment(),
                          {null.get(), log_.get(), log_.get(), theirs.get()});
  theirs.reset();
  created_ = netd::created_reply_from_json(this->request(to_json(request), "created"));
}

Fabric::~Fabric() {
  socket_ = MessageSocket{UniqueFd{}};
  // Closing the connection is the request to take everything down; a daemon that does not end
  // then is killed by its handle.
  if (daemon_.running() && readable(daemon_.pidfd(), kTeardownTimeoutMs)) daemon_.wait();
}

netd::SpawnedReply Fabric::spawn(const netd::SpawnRequest& request, const std::vector<int>& fds) {
  return netd::spawned_reply_from_json(this->request(to_json(request), "spawned", fds));
}

netd::CountersReply Fabric::counters() {
  return netd::counters_reply_from_json(request(netd::counters_request(), "counters"));
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
    throw ProtocolError{"pacbench-netd answered what nobody asked: " + json_text(message.body)};
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
    socket_.send(body, fds);
  } catch (const std::system_error&) {
    daemon_gone();
  }
  for (;;) {
    auto message = receive(kReplyTimeoutMs);
    const auto type = netd::type_of(message.body);
    if (type == expected) return std::move(message.body);
    if (keep_event(message.body)) continue;
    if (type == "error") {
      throw ProtocolError{
          message.body.value("message", "pacbench-netd failed and does not say why")};
    }
    throw ProtocolError{fmt::format("pacbench-netd answered {}, expected {}", type, expected)};
  }
}

Message Fabric::receive(int timeout_ms) {
  if (!readable(fd(), timeout_ms)) {
    throw ProtocolError{fmt::format("pacbench-netd has not answered for {} s", timeout_ms / 1000)};
  }
  std::optional<Message> message;
  try {
    message = socket_.receive();
  } catch (const ProtocolError&) {
    // Cut short by its death is the common case; anything else shows the same way.
    daemon_gone();
  }
  if (!message) daemon_gone();
  return std::move(*message);
}

void Fabric::daemon_gone() {
  std::string how = "closed its connection";
  constexpr int kGraceMs = 2'000;
  if (daemon_.running() && readable(daemon_.pidfd(), kGraceMs)) {
    how = "ended with " + daemon_.wait().describe();
  }
  const auto words = last_lines(text_of(log_.get()), 5);
  throw ProtocolError{fmt::format("pacbench-netd {}{}", how, words.empty() ? "" : ": " + words)};
}

}  // namespace pacbench
