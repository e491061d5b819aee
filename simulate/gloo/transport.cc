#include "simulate/gloo/transport.h"

#include <algorithm>
#include <utility>

#include "base/frames.h"
#include "contract/worker/gloo.h"

namespace pacbench::simulate {
namespace {

template <typename Value>
Value taken_first(std::vector<Value>& values) {
  auto first = std::move(values.front());
  values.erase(values.begin());
  return first;
}

/// The acknowledgements of some data. The kernel acknowledges packets of several frames at once:
/// real runs over links of 50 Mbit/s showed one acknowledgement for each 5 to 10 frames. Data of
/// fewer than 7 frames add none: other messages carry their acknowledgement.
Traffic acknowledgements_of(const Traffic& data) {
  constexpr std::int64_t kFramesOfEach = 7;
  const auto frames = data.frames / kFramesOfEach;
  return {frames * kFrameHeaderBytes, frames};
}

}  // namespace

void Transport::send(const Message& message, Then sent) {
  // The announcement of a message delays nothing: its bytes are counted but take no time on links.
  count(message.from, message.to, frames_of(gloo::kHeaderBytes, settings_.mtu));
  post(message.from, [this, message, sent = std::move(sent)]() mutable {
    auto& connection = connection_of(message.group, message.from, message.to);
    meeting_of(connection, message.collective).sends.push_back({message.bytes, std::move(sent)});
    match(connection, message);
  });
}

void Transport::receive(const Message& message, Then received) {
  auto& connection = connection_of(message.group, message.from, message.to);
  meeting_of(connection, message.collective).receives.push_back(std::move(received));
  count(message.to, message.from, frames_of(gloo::kHeaderBytes, settings_.mtu));
  post(message.to, [this, &connection, message] {
    auto& back = connection_of(message.group, message.to, message.from);
    back.stream.write(gloo::kHeaderBytes, nullptr, [this, &connection, message] {
      network_.after(latency_s(), [this, &connection, message] {
        ++meeting_of(connection, message.collective).ready;
        match(connection, message);
      });
    });
  });
}

/// Calls `then` when the worker's thread gets to it. The thread posts one message after another, so
/// a later one queues in the worker's own link behind the data of earlier ones.
void Transport::post(int worker, Then then) {
  auto& free_at_s = free_at_s_[static_cast<std::size_t>(worker)];
  free_at_s = std::max(free_at_s, network_.now_s()) + 1e-3 * model_.post_ms;
  network_.after(free_at_s - network_.now_s(), std::move(then));
}

Transport::Connection& Transport::connection_of(int group, int from, int to) {
  const auto key = static_cast<std::uint64_t>(group) << 32 |
                   static_cast<std::uint64_t>(from) << 16 | static_cast<std::uint64_t>(to);
  // Callers may keep the reference: std::unordered_map does not move its elements.
  const auto known = connections_.find(key);
  if (known != connections_.end()) return known->second;
  Stream stream{network_, queues_, network_.path(from, to), network_.path(to, from), settings_};
  return connections_.emplace(key, Connection{{}, std::move(stream)}).first->second;
}

Transport::Meeting& Transport::meeting_of(Connection& connection, std::int64_t collective) {
  auto& all = connection.meetings;
  const auto found = std::ranges::find(all, collective, &Meeting::collective);
  return found != all.end() ? *found : all.emplace_back(Meeting{collective});
}

/// Sends what both ends of a connection have posted for a collective, the oldest first.
void Transport::match(Connection& connection, const Message& message) {
  while (true) {
    auto& meeting = meeting_of(connection, message.collective);
    const bool matches = meeting.ready > 0 && !meeting.sends.empty();
    Posted send;
    Then received;
    if (matches) {
      --meeting.ready;
      send = taken_first(meeting.sends);
      received = taken_first(meeting.receives);
    }
    if (meeting.sends.empty() && meeting.receives.empty()) {
      std::erase_if(connection.meetings,
                    [&](const Meeting& one) { return one.collective == message.collective; });
    }
    if (!matches) return;
    transmit(message, connection.stream, std::move(send), std::move(received));
  }
}

void Transport::transmit(const Message& message, Stream& stream, Posted send, Then received) {
  const auto bytes = gloo::kHeaderBytes + send.bytes;
  const auto frames = frames_of(bytes, settings_.mtu);
  count(message.from, message.to, frames);
  count(message.to, message.from, acknowledgements_of(frames));
  const double work_s =
      1e-3 * model_.message_ms + 1e-9 * model_.work_ns_per_byte * static_cast<double>(send.bytes);
  stream.write(
      bytes, std::move(send.then), [this, work_s, received = std::move(received)]() mutable {
        network_.after(latency_s(), [this, work_s, received = std::move(received)]() mutable {
          cores_.work(work_s, std::move(received));
        });
      });
}

double Transport::latency_s() {
  return 1e-3 * model_.latency_ms * std::exponential_distribution<double>{1}(random_);
}

void Transport::count(int from, int to, const Traffic& traffic) {
  sent_[static_cast<std::size_t>(from)] += traffic;
  received_[static_cast<std::size_t>(to)] += traffic;
  for (const int direction : network_.path(from, to).directions) {
    const auto place = static_cast<std::size_t>(direction);
    if (carried_.size() <= place) carried_.resize(place + 1);
    carried_[place] += traffic;
  }
}

}  // namespace pacbench::simulate
