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
/// real runs over links of 50 Mbit/s showed one for each 5 to 10 frames. A lone frame is
/// acknowledged by what is sent anyway.
Traffic acknowledgements_of(const Traffic& data) {
  constexpr std::int64_t kFramesOfEach = 7;
  const auto frames = data.frames / kFramesOfEach;
  return {frames * kFrameHeaderBytes, frames};
}

}  // namespace

Traffic frames_of(std::int64_t stream_bytes, int mtu) {
  const auto frames = (stream_bytes + segment_bytes(mtu) - 1) / segment_bytes(mtu);
  return {stream_bytes + frames * kFrameHeaderBytes, frames};
}

void Transport::send(const Message& message, Then sent) {
  auto& connection = connection_of(message);
  // The announcement delays nothing: its bytes are counted, but take no time on the links.
  count(message.from, message.to, frames_of(gloo::kHeaderBytes, mtu_));
  meeting_of(connection, message.collective).sends.push_back({message.bytes, std::move(sent)});
  match(connection, message.collective);
}

void Transport::receive(const Message& message, Then received) {
  auto& connection = connection_of(message);
  meeting_of(connection, message.collective).receives.push_back(std::move(received));
  count(message.to, message.from, frames_of(gloo::kHeaderBytes, mtu_));
  network_.after(time_of_a_word(message.to, message.from),
                 [this, &connection, collective = message.collective] {
                   ++meeting_of(connection, collective).ready;
                   match(connection, collective);
                 });
}

Transport::Connection& Transport::connection_of(const Message& message) {
  const auto key = static_cast<std::uint64_t>(message.group) << 32 |
                   static_cast<std::uint64_t>(message.from) << 16 |
                   static_cast<std::uint64_t>(message.to);
  // Callers may keep the reference: std::unordered_map does not move its elements.
  auto& connection = connections_[key];
  connection.from = message.from;
  connection.to = message.to;
  return connection;
}

Transport::Meeting& Transport::meeting_of(Connection& connection, std::int64_t collective) {
  auto& all = connection.meetings;
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Meeting& one) { return one.collective == collective; });
  return found != all.end() ? *found : all.emplace_back(Meeting{collective});
}

/// Pairs the sends and receives that both ends have posted, the oldest first.
void Transport::match(Connection& connection, std::int64_t collective) {
  auto& meeting = meeting_of(connection, collective);
  while (meeting.ready > 0 && !meeting.sends.empty()) {
    --meeting.ready;
    auto posted = taken_first(meeting.sends);
    wait_behind(connection, static_cast<double>(posted.bytes));
    connection.waiting.push_back(
        {posted.bytes, std::move(posted.then), taken_first(meeting.receives)});
  }
  if (meeting.is_over()) {
    std::erase_if(connection.meetings,
                  [&](const Meeting& one) { return one.collective == collective; });
  }
  transmit(connection);
}

/// Sends the next message of a connection, one at a time because a connection is one stream.
void Transport::transmit(Connection& connection) {
  if (connection.busy || connection.waiting.empty()) return;
  connection.busy = true;
  auto transfer = taken_first(connection.waiting);
  wait_behind(connection, -static_cast<double>(transfer.bytes));
  const auto frames = frames_of(gloo::kHeaderBytes + transfer.bytes, mtu_);
  count(connection.from, connection.to, frames);
  count(connection.to, connection.from, acknowledgements_of(frames));
  const double latency_s =
      network_.path(connection.from, connection.to).latency_s + 1e-3 * model_.latency_ms;
  const double work_s = 1e-3 * model_.message_ms +
                        1e-9 * model_.work_ns_per_byte * static_cast<double>(transfer.bytes);
  network_.carry(connection.from, connection.to, static_cast<double>(frames.bytes),
                 [this, &connection, latency_s, work_s, transfer = std::move(transfer)]() mutable {
                   connection.busy = false;
                   network_.after(latency_s, [this, work_s,
                                              received = std::move(transfer.received)]() mutable {
                     cores_.work(work_s, std::move(received));
                   });
                   transfer.sent();
                   transmit(connection);
                 });
}

/// Adds waiting bytes to a switch's queue: a sender does not wait for the switch, so its ready
/// messages are in that queue.
void Transport::wait_behind(const Connection& connection, double bytes) {
  const auto& path = network_.path(connection.from, connection.to);
  if (path.standing >= 0 && path.standing != path.directions.front())
    waiting_[path.standing] += bytes;
}

/// The time of a short message, which waits in queues behind the data of others. In the queue of
/// its worker's own link that is what the kernel accepts of each connection; in a switch's, all.
double Transport::time_of_a_word(int from, int to) {
  const auto& path = network_.path(from, to);
  double time_s = path.latency_s + 1e-3 * model_.latency_ms;
  for (const int direction : path.directions) {
    const auto& queue = network_.queue(direction);
    const bool is_own = direction == path.directions.front();
    auto bytes =
        network_.standing_bytes(direction, is_own ? queue.most_bytes_of_each : queue.most_bytes);
    if (const auto waiting = waiting_.find(direction); waiting != waiting_.end()) {
      bytes += waiting->second;
    }
    if (bytes > 0) time_s += std::min(bytes, queue.most_bytes) / queue.bytes_per_s;
  }
  return time_s;
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
