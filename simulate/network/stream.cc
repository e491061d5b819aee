#include "simulate/network/stream.h"

#include <algorithm>
#include <utility>

#include "base/frames.h"

namespace pacbench::simulate {
namespace {

constexpr double kEndOfSlowStart = 16;
constexpr double kSegmentsOfGrowth = 20;
// For each segment of the window, the send buffer grows by 8704 bytes of kernel memory: twice the
// 4352 bytes of a packet of one segment. A packet of several segments takes 1.09 times its bytes.
constexpr double kBufferBytesPerSegment = 8704 / 1.09;
constexpr double kLargestBuffer_bytes = 4'194'304 / 1.09;
// Linux's least retransmission time-out is 0.2 s; round trips through queues add some.
constexpr double kTimeOut_s = 0.25;

}  // namespace

Traffic frames_of(std::int64_t stream_bytes, int mtu) {
  const auto frames = (stream_bytes + segment_bytes(mtu) - 1) / segment_bytes(mtu);
  return {stream_bytes + frames * kFrameHeaderBytes, frames};
}

void Stream::write(std::int64_t bytes, Then accepted, Then arrived) {
  shrink_after_idleness();
  pieces_.push_back({bytes, bytes > window_bytes(), std::move(accepted), std::move(arrived)});
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
  if (pieces_.front().is_long && in_flight_ >= window_bytes()) return false;
  if (leave_at_s_.front() <= network_->now_s()) return true;
  if (!waits_) {
    waits_ = true;
    network_->after(leave_at_s_.front() - network_->now_s(), [this] {
      waits_ = false;
      send();
    });
  }
  return false;
}

std::int64_t Stream::window_bytes() const {
  return segment_bytes(settings_->mtu) * static_cast<std::int64_t>(window_segments_);
}

/// Counts bytes as in flight. Returns a continuation that sends their acknowledgement back.
Then Stream::when_arrived(std::int64_t bytes) {
  in_flight_ += bytes;
  return [this, bytes] {
    queues_->pass(*back_, kFrameHeaderBytes, [this, bytes] { acknowledged(bytes); });
  };
}

void Stream::acknowledged(std::int64_t bytes) {
  const auto segment = static_cast<double>(segment_bytes(settings_->mtu));
  const double segments = static_cast<double>(bytes) / segment;
  const double used = static_cast<double>(in_flight_) / segment;
  in_flight_ -= bytes;
  if (window_segments_ < kEndOfSlowStart) {
    if (window_segments_ < 2 * used) window_segments_ += segments;
  } else if (window_segments_ < used + segments) {
    window_segments_ += segments / kSegmentsOfGrowth;
  }
  largest_window_segments_ = std::max(largest_window_segments_, window_segments_);
  accept();
  send();
}

void Stream::send() {
  // A callback may call write(), which calls send() again: the loop below sends the new bytes.
  if (sends_) return;
  sends_ = true;
  const std::int64_t segment = segment_bytes(settings_->mtu);
  const auto most = segment * std::max<std::int64_t>(settings_->packet_bytes / segment, 1);
  while (!pieces_.empty() && has_room()) {
    auto& piece = pieces_.front();
    const auto bytes = std::min(piece.left, most);
    piece.left -= bytes;
    const bool is_last = piece.left == 0;
    const auto wire = static_cast<double>(frames_of(bytes, settings_->mtu).bytes);
    auto arrived = is_last         ? std::move(piece.arrived)
                   : piece.is_long ? when_arrived(bytes)
                                   : Then{};
    const double leaves_at_s = queues_->pass(*path_, wire, std::move(arrived));
    leave_at_s_ = {leave_at_s_.back(), leaves_at_s};
    last_sent_s_ = leaves_at_s;
    accept();
    if (is_last) pieces_.erase(pieces_.begin());
  }
  sends_ = false;
}

}  // namespace pacbench::simulate
