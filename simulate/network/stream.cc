#include "simulate/network/stream.h"

#include <algorithm>
#include <utility>

#include "base/frames.h"

namespace pacbench::simulate {
namespace {

constexpr double kEndOfSlowStart = 16;
constexpr double kSegmentsOfGrowth = 20;
constexpr double kKernelBytesPerByte = 1.09;  // kernel memory of a packet of several segments
// For each segment of the window, the send buffer grows by 8704 bytes of kernel memory: twice the
// 4352 bytes of a packet of one segment.
constexpr double kBufferBytesPerSegment = 8704 / kKernelBytesPerByte;
constexpr double kLargestBuffer_bytes = 4'194'304 / kKernelBytesPerByte;
// Linux's least retransmission time-out is 0.2 s; round trips through queues add some.
constexpr double kTimeOut_s = 0.25;
constexpr std::size_t kPacketsInQueue = 2;
// Linux paces a connection at 1.2 windows in a round trip, in slow start at two windows, and lets
// what it sends in 1/1024 s into the queue of its link (net.ipv4.tcp_pacing_ca_ratio,
// tcp_pacing_ss_ratio, sk_pacing_shift).
constexpr double kPacing = 1.2;
constexpr double kPacingInSlowStart = 2;
constexpr double kPacedTime_s = 1.0 / 1024;

Then one_after_another(std::vector<Then> all) {
  if (all.empty()) return {};
  if (all.size() == 1) return std::move(all.front());
  return [all = std::move(all)] {
    for (const auto& then : all) then();
  };
}

}  // namespace

Traffic frames_of(std::int64_t stream_bytes, int mtu) {
  const auto frames = (stream_bytes + segment_bytes(mtu) - 1) / segment_bytes(mtu);
  return {stream_bytes + frames * kFrameHeaderBytes, frames};
}

void Stream::write(std::int64_t bytes, Then accepted, Then arrived) {
  shrink_after_idleness();
  const bool is_long = bytes > window_bytes();
  // Shorter messages need no acknowledgement here: they never wait in front of their link's queue.
  const bool is_answered = is_long || bytes > std::int64_t{kPacketsInQueue} * packet_bytes();
  pieces_.push_back({bytes, is_long, is_answered, std::move(accepted), std::move(arrived)});
  accept();
  send();
}

std::int64_t Stream::buffer_bytes() const {
  return static_cast<std::int64_t>(
      std::min(largest_window_segments_ * kBufferBytesPerSegment, kLargestBuffer_bytes));
}

/// Calls `accepted` of each piece whose last byte is in the send buffer now.
void Stream::accept() {
  std::vector<Then> accepted;
  auto filled_bytes = in_flight_;
  for (auto& piece : pieces_) {
    filled_bytes += piece.left;
    if (piece.left > 0 && filled_bytes > buffer_bytes()) break;
    if (piece.accepted) accepted.push_back(std::exchange(piece.accepted, nullptr));
  }
  for (auto& then : accepted) then();
}

void Stream::shrink_after_idleness() {
  if (!pieces_.empty()) return;
  for (double idle_s = network_->now_s() - last_sent_s_;
       idle_s > kTimeOut_s && window_segments_ > settings_->first_window_segments;
       idle_s -= kTimeOut_s) {
    window_segments_ = std::max(window_segments_ / 2, settings_->first_window_segments);
  }
}

bool Stream::has_room() {
  if (pieces_.front().is_long && in_flight_ >= window_bytes()) {
    full_until_ = in_flight_;
    return false;
  }
  if (queue_has_room()) return true;
  if (!waits_) {
    waits_ = true;
    network_->after(queued_.front().leaves_at_s - network_->now_s(), [this] {
      waits_ = false;
      send();
    });
  }
  return false;
}

bool Stream::queue_has_room() {
  std::erase_if(queued_, [&](const Queued& one) { return one.leaves_at_s <= network_->now_s(); });
  if (queued_.size() < kPacketsInQueue) return true;
  if (round_trip_s_ == 0) return false;
  double bytes = 0;
  for (const auto& one : queued_) bytes += kKernelBytesPerByte * static_cast<double>(one.bytes);
  const double pacing = window_segments_ < kEndOfSlowStart ? kPacingInSlowStart : kPacing;
  return bytes <= pacing * static_cast<double>(window_bytes()) / round_trip_s_ * kPacedTime_s;
}

/// The most bytes of a packet: whole segments, at least one.
std::int64_t Stream::packet_bytes() const {
  const std::int64_t segment = segment_bytes(settings_->mtu);
  return segment * std::max<std::int64_t>(settings_->packet_bytes / segment, 1);
}

std::int64_t Stream::window_bytes() const {
  return segment_bytes(settings_->mtu) * static_cast<std::int64_t>(window_segments_);
}

/// Counts a packet as under way. Returns a continuation that sends its acknowledgement back.
Then Stream::when_arrived(std::int64_t bytes) {
  in_flight_ += bytes;
  under_way_.push_back({network_->now_s(), bytes});
  return [this] { queues_->pass(*back_, kFrameHeaderBytes, [this] { acknowledged(); }); };
}

/// Acknowledgements come in the order in which the packets were sent.
void Stream::acknowledged() {
  const auto packet = under_way_.front();
  under_way_.erase(under_way_.begin());
  const double round_trip_s = network_->now_s() - packet.sent_s;
  round_trip_s_ =
      round_trip_s_ == 0 ? round_trip_s : round_trip_s_ + (round_trip_s - round_trip_s_) / 8;
  const auto segment = static_cast<double>(segment_bytes(settings_->mtu));
  const double segments = static_cast<double>(packet.bytes) / segment;
  if (window_segments_ < kEndOfSlowStart) {
    if (window_segments_ < 2 * static_cast<double>(in_flight_) / segment) {
      window_segments_ += segments;
    }
  } else if (full_until_ > 0) {
    window_segments_ += segments / kSegmentsOfGrowth;
  }
  in_flight_ -= packet.bytes;
  full_until_ -= packet.bytes;
  largest_window_segments_ = std::max(largest_window_segments_, window_segments_);
  accept();
  send();
}

/// Takes the bytes of the next packet from the pieces, the oldest first. Returns how many, and adds
/// to `arrived` what is to happen when the packet has arrived.
std::int64_t Stream::cut_packet(std::vector<Then>& arrived) {
  std::int64_t bytes = 0;
  for (auto& piece : pieces_) {
    const auto taken = std::min(piece.left, packet_bytes() - bytes);
    bytes += taken;
    piece.left -= taken;
    if (piece.left > 0) {
      if (taken > 0 && piece.is_answered) arrived.push_back(when_arrived(bytes));
      break;
    }
    if (piece.arrived) arrived.push_back(std::move(piece.arrived));
  }
  return bytes;
}

void Stream::send() {
  // A callback may call write(), which calls send() again: the loop below sends the new bytes.
  if (sends_) return;
  sends_ = true;
  while (!pieces_.empty() && has_room()) {
    std::vector<Then> arrived;
    const auto bytes = cut_packet(arrived);
    const auto wire = static_cast<double>(frames_of(bytes, settings_->mtu).bytes);
    const double leaves_at_s = queues_->pass(*path_, wire, one_after_another(std::move(arrived)));
    queued_.push_back({leaves_at_s, bytes});
    last_sent_s_ = leaves_at_s;
    accept();
    std::erase_if(pieces_, [](const Piece& piece) { return piece.left == 0; });
  }
  sends_ = false;
}

}  // namespace pacbench::simulate
