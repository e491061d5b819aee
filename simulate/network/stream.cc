#include "simulate/network/stream.h"

#include <algorithm>
#include <utility>

#include "base/frames.h"

namespace pacbench::simulate {

Traffic frames_of(std::int64_t stream_bytes, int mtu) {
  const auto frames = (stream_bytes + segment_bytes(mtu) - 1) / segment_bytes(mtu);
  return {stream_bytes + frames * kFrameHeaderBytes, frames};
}

void Stream::write(std::int64_t bytes, Then accepted, Then arrived) {
  pieces_.push_back({bytes, std::move(accepted), std::move(arrived)});
  send();
}

bool Stream::has_room() {
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

void Stream::send() {
  // A callback may write more, which the loop below then sends.
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
    const double leaves_at_s =
        queues_->pass(*path_, wire, is_last ? std::move(piece.arrived) : Then{});
    leave_at_s_ = {leave_at_s_.back(), leaves_at_s};
    if (!is_last) continue;
    const auto accepted = std::move(piece.accepted);
    pieces_.erase(pieces_.begin());
    if (accepted) accepted();
  }
  sends_ = false;
}

}  // namespace pacbench::simulate
