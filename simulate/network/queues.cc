#include "simulate/network/queues.h"

#include <algorithm>
#include <utility>

#include "base/frames.h"

namespace pacbench::simulate {

Queues::Queues(Network& network, int mtu)
    : network_{network}, frame_bytes_{static_cast<double>(frame_bytes(mtu))} {}

double Queues::pass(const Path& path, double wire_bytes, Then arrived) {
  return enter(0, network_.now_s(), {&path, wire_bytes, std::move(arrived)});
}

Queues::Direction& Queues::direction_at(int number) {
  const auto place = static_cast<std::size_t>(number);
  if (place >= directions_.size()) directions_.resize(place + 1);
  auto& direction = directions_[place];
  if (direction.s_per_byte > 0) return direction;
  const auto& service = network_.service(number);
  direction.s_per_byte = 1 / service.bytes_per_s;
  if (service.bucket_bytes) {
    direction.bucket_s = *service.bucket_bytes * direction.s_per_byte;
    direction.free_at_s = network_.now_s() - direction.bucket_s;
  }
  return direction;
}

Queues::Leaving Queues::serve(Direction& direction, double bytes, double last_byte_s) const {
  const double start_s = std::max(network_.now_s(), direction.free_at_s);
  if (direction.bucket_s >= 0) {
    direction.free_at_s =
        std::max(direction.free_at_s, start_s - direction.bucket_s) + bytes * direction.s_per_byte;
    return {start_s, std::max(start_s, last_byte_s)};
  }
  const double frame_s = std::min(bytes, frame_bytes_) * direction.s_per_byte;
  direction.free_at_s = start_s + bytes * direction.s_per_byte;
  // The last frame cannot leave before it has come.
  return {start_s + frame_s, std::max(direction.free_at_s, last_byte_s + frame_s)};
}

/// Queues a packet in front of direction number `hop` of its path, and later in front of the next
/// ones. The packet's first frame has just come; its last byte comes at `last_byte_s`. Returns the
/// time at which the last byte leaves the direction.
double Queues::enter(std::size_t hop, double last_byte_s, Packet packet) {
  const auto& path = *packet.path;
  const auto leaving = serve(direction_at(path.directions[hop]), packet.bytes, last_byte_s);
  if (hop + 1 < path.directions.size()) {
    if (leaving.first_frame_s <= network_.now_s()) {
      enter(hop + 1, leaving.last_byte_s, std::move(packet));
      return leaving.last_byte_s;
    }
    network_.after(
        leaving.first_frame_s - network_.now_s(),
        [this, hop, last_byte_s = leaving.last_byte_s, packet = std::move(packet)]() mutable {
          enter(hop + 1, last_byte_s, std::move(packet));
        });
  } else if (packet.arrived) {
    network_.after(leaving.last_byte_s + path.latency_s - network_.now_s(),
                   std::move(packet.arrived));
  }
  return leaving.last_byte_s;
}

void Cores::work(double seconds, Then then) {
  if (free_at_s_.empty()) return network_.after(seconds, std::move(then));
  const double now_s = network_.now_s();
  const double end_s = std::max(now_s, free_at_s_.top()) + seconds;
  free_at_s_.pop();
  free_at_s_.push(end_s);
  network_.after(end_s - now_s, std::move(then));
}

}  // namespace pacbench::simulate
