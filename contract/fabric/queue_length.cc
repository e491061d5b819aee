#include "contract/fabric/queue_length.h"

#include "base/frames.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pacbench::netd {
namespace {

// A queue that cannot hold what a few flows send at once drops whole GSO packets. In a longer
// queue, acknowledgements wait behind the data that goes in their direction.
constexpr std::int64_t kUsualQueueBytes = 256 * 1024;
constexpr double kUsualQueue_s = 15e-3;
// As a rule the links into a trunk are faster than the trunk. The trunk's queue then holds what the
// senders have under way, like the queue of a switch's port. Linux's default for a device
// (txqueuelen) is the same number.
constexpr std::int64_t kTrunkQueueFrames = 1000;
constexpr std::int64_t kMostGsoBytes = 65536;

bool is_trunk(const CreateRequest& request, const std::string& direction) {
  const auto place = place_of(request, direction);
  return place && *place / 2 >= request.workers.size();
}

}  // namespace

bool needs_single_packets(const CreateRequest& request) {
  if (request.shaper.gso_max_bytes == Shaper::kSingleFrames) return true;
  const auto loses_or_reorders = [](const Direction& direction) {
    return direction.impairment.loss > 0 || direction.impairment.reorder > 0;
  };
  return std::any_of(request.workers.begin(), request.workers.end(),
                     [&](const WorkerLink& link) {
                       return loses_or_reorders(link.up) || loses_or_reorders(link.down);
                     }) ||
         std::any_of(request.trunks.begin(), request.trunks.end(), [&](const Trunk& trunk) {
           return loses_or_reorders(trunk.forward) || loses_or_reorders(trunk.backward);
         });
}

std::int64_t gso_max_bytes(const CreateRequest& request) {
  const std::int64_t two_frames = 2 * request.mtu;
  return std::min(std::max(request.shaper.gso_max_bytes, two_frames), kMostGsoBytes);
}

std::int64_t largest_packet_bytes(const CreateRequest& request) {
  return needs_single_packets(request) ? frame_bytes(request.mtu) : gso_max_bytes(request);
}

std::int64_t least_queue_bytes(const CreateRequest& request, const std::string& direction) {
  return std::max(1, flows_over(request, direction)) * largest_packet_bytes(request);
}

std::int64_t queue_bytes(const CreateRequest& request, const std::string& direction) {
  const auto& declared = *find_direction(request, direction);
  if (declared.queue_bytes > 0) return declared.queue_bytes;
  const auto usual =
      static_cast<std::int64_t>(std::llround(declared.rate_mbit * 1e6 / 8 * kUsualQueue_s));
  const auto least = std::max({kUsualQueueBytes, usual, least_queue_bytes(request, direction)});
  if (!is_trunk(request, direction)) return least;
  return std::max(least, kTrunkQueueFrames * frame_bytes(request.mtu));
}

std::string queue_shortage(const CreateRequest& request, const std::string& direction) {
  const auto least = least_queue_bytes(request, direction);
  if (queue_bytes(request, direction) >= least) return {};
  const int flows = std::max(1, flows_over(request, direction));
  return fmt::format(
      "the queue of {} holds {} bytes, too few for its flows: when every worker sends to all "
      "others, {} flows cross it, each with a packet of up to {} bytes; expected at least {} × {} "
      "= {} bytes",
      direction, queue_bytes(request, direction), flows, least / flows, flows, least / flows,
      least);
}

}  // namespace pacbench::netd
