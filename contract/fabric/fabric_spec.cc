#include "contract/fabric/fabric_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/frames.h"

namespace pacbench::netd {
namespace {

/// A trunk and the direction in which a packet crosses it.
struct Hop {
  int trunk = 0;
  bool forward = true;
};

/// Appends the trunks on the way from the switch `at` to the switch `to`, in order. Returns false
/// when every way goes back to the switch `previous`, or there is none.
bool find_way(const CreateRequest& request, int at, int to, int previous, std::vector<Hop>& way) {
  if (at == to) return true;
  for (std::size_t i = 0; i < request.trunks.size(); ++i) {
    const auto& trunk = request.trunks[i];
    if (trunk.a != at && trunk.b != at) continue;
    const bool forward = trunk.a == at;
    const int next = forward ? trunk.b : trunk.a;
    if (next == previous) continue;
    way.push_back({static_cast<int>(i), forward});
    if (find_way(request, next, to, at, way)) return true;
    way.pop_back();
  }
  return false;
}

/// The number of workers on the switches that can be reached from `at` without the trunk `without`.
int workers_beyond(const CreateRequest& request, int at, std::size_t without) {
  int count = static_cast<int>(
      std::count_if(request.workers.begin(), request.workers.end(),
                    [&](const WorkerLink& link) { return link.attached_to == at; }));
  for (std::size_t i = 0; i < request.trunks.size(); ++i) {
    const auto& trunk = request.trunks[i];
    if (i == without || (trunk.a != at && trunk.b != at)) continue;
    count += workers_beyond(request, trunk.a == at ? trunk.b : trunk.a, i);
  }
  return count;
}

/// The rate of the slowest trunk on the way from one switch to another; infinite when they are the
/// same switch.
double slowest_trunk_mbit(const CreateRequest& request, int from, int to) {
  std::vector<Hop> way;
  find_way(request, from, to, -1, way);
  double slowest_mbit = std::numeric_limits<double>::infinity();
  for (const auto& hop : way) {
    const auto& trunk = request.trunks[static_cast<std::size_t>(hop.trunk)];
    slowest_mbit =
        std::min(slowest_mbit, hop.forward ? trunk.forward.rate_mbit : trunk.backward.rate_mbit);
  }
  return slowest_mbit;
}

/// Whether no packet comes to the worker faster than the worker's down link carries it.
bool is_paced(const CreateRequest& request, std::size_t worker) {
  const auto& link = request.workers[worker];
  std::vector<double> fastest_mbit(static_cast<std::size_t>(request.switches), 0);
  for (std::size_t from = 0; from < request.workers.size(); ++from) {
    if (from == worker) continue;
    const auto& other = request.workers[from];
    auto& fastest = fastest_mbit.at(static_cast<std::size_t>(other.attached_to));
    fastest = std::max(fastest, other.up.rate_mbit);
  }
  for (int at = 0; at < request.switches; ++at) {
    const double comes_mbit = std::min(fastest_mbit[static_cast<std::size_t>(at)],
                                       slowest_trunk_mbit(request, at, link.attached_to));
    if (comes_mbit > link.down.rate_mbit) return false;
  }
  return request.workers.size() > 1;
}

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

Shaper usual_shaper(double rate_mbit) {
  constexpr double kLateWakeUp_s = 24e-6;
  // Up to this rate a packet for each frame costs little CPU, and a frame takes so long that a
  // timer which fires 0.2 ms late costs no rate.
  constexpr double kSingleFramesUpToMbit = 20;
  constexpr double kLateTimer_s = 200e-6;
  Shaper shaper;
  if (rate_mbit <= kSingleFramesUpToMbit) {
    shaper.gso_max_bytes = Shaper::kSingleFrames;
    shaper.ceil_burst_bytes = std::llround(rate_mbit * 1e6 / 8 * kLateTimer_s);
    return shaper;
  }
  // Room for five, nine and fifteen segments of 1448 bytes, and for TCP's headers.
  shaper.gso_max_bytes = rate_mbit <= 300 ? 8192 : rate_mbit <= 700 ? 13400 : 22100;
  shaper.ceil_burst_bytes = std::max<std::int64_t>(
      shaper.ceil_burst_bytes, std::llround(rate_mbit * 1e6 / 8 * kLateWakeUp_s));
  return shaper;
}

CreateRequest star(int workers, double rate_mbit) {
  const Direction direction{rate_mbit, 0, {}};
  CreateRequest request;
  request.workers.assign(static_cast<std::size_t>(workers), {0, direction, direction});
  request.shaper = usual_shaper(rate_mbit);
  return request;
}

std::vector<int> workers_here(const CreateRequest& request) {
  if (request.uplink) return {request.uplink->worker};
  std::vector<int> all(request.workers.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::string worker_address(int worker) { return fmt::format("10.77.0.{}", worker + 1); }

std::string control_address(int worker) { return fmt::format("10.78.0.{}", worker + 1); }

std::string up_name(int worker) { return fmt::format("worker{}.up", worker); }
std::string down_name(int worker) { return fmt::format("worker{}.down", worker); }
std::string forward_name(int trunk) { return fmt::format("trunk{}.forward", trunk); }
std::string backward_name(int trunk) { return fmt::format("trunk{}.backward", trunk); }

std::vector<std::string> direction_names(const CreateRequest& request) {
  std::vector<std::string> names;
  for_each_direction(request,
                     [&](const Direction&, std::string name) { names.push_back(std::move(name)); });
  return names;
}

std::vector<std::string> directions_here(const CreateRequest& request) {
  if (!request.uplink) return direction_names(request);
  return {up_name(request.uplink->worker), down_name(request.uplink->worker)};
}

std::optional<std::size_t> place_of(const CreateRequest& request, std::string_view name) {
  const auto number_of = [&](std::string_view kind, std::string_view way,
                             std::size_t count) -> std::optional<std::size_t> {
    if (!name.starts_with(kind) || !name.ends_with(way)) return std::nullopt;
    const auto* const end = name.data() + name.size() - way.size();
    std::size_t number = 0;
    const auto read = std::from_chars(name.data() + kind.size(), end, number);
    return read.ec == std::errc{} && read.ptr == end && number < count ? std::optional{number}
                                                                       : std::nullopt;
  };
  const auto workers = request.workers.size();
  if (const auto worker = number_of("worker", ".up", workers)) return 2 * *worker;
  if (const auto worker = number_of("worker", ".down", workers)) return 2 * *worker + 1;
  const auto trunks = request.trunks.size();
  if (const auto trunk = number_of("trunk", ".forward", trunks)) return 2 * (workers + *trunk);
  if (const auto trunk = number_of("trunk", ".backward", trunks)) return 2 * (workers + *trunk) + 1;
  return std::nullopt;
}

const Direction* find_direction(const CreateRequest& request, const std::string& name) {
  const auto place = place_of(request, name);
  if (!place) return nullptr;
  const bool first = *place % 2 == 0;
  if (*place / 2 < request.workers.size()) {
    const auto& link = request.workers[*place / 2];
    return first ? &link.up : &link.down;
  }
  const auto& trunk = request.trunks[*place / 2 - request.workers.size()];
  return first ? &trunk.forward : &trunk.backward;
}

std::vector<std::string> route(const CreateRequest& request, int from, int to) {
  const auto switch_of = [&](int worker) {
    return request.workers.at(static_cast<std::size_t>(worker)).attached_to;
  };
  std::vector<Hop> way;
  find_way(request, switch_of(from), switch_of(to), -1, way);
  std::vector<std::string> names{up_name(from)};
  for (const auto& hop : way) {
    names.push_back(hop.forward ? forward_name(hop.trunk) : backward_name(hop.trunk));
  }
  names.push_back(down_name(to));
  return names;
}

Shaper shaper_of(const CreateRequest& request, const std::string& direction) {
  auto shaper = request.shaper;
  const auto place = place_of(request, direction);
  const bool is_down = place && *place % 2 == 1 && *place / 2 < request.workers.size();
  if (is_down && is_paced(request, *place / 2)) {
    shaper.ceil_burst_bytes = std::max(shaper.ceil_burst_bytes, shaper.burst_bytes);
  }
  return shaper;
}

int flows_over(const CreateRequest& request, const std::string& name) {
  const auto place = place_of(request, name);
  const int workers = static_cast<int>(request.workers.size());
  if (!place) return 0;
  if (*place / 2 < request.workers.size()) return workers - 1;
  const auto trunk = *place / 2 - request.workers.size();
  const int on_one_side = workers_beyond(request, request.trunks[trunk].a, trunk);
  return on_one_side * (workers - on_one_side);
}

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
