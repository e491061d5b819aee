#include "harness/probes/queues.h"

#include <algorithm>

#include "base/clock.h"
#include "base/frames.h"
#include "contract/fabric/queue_length.h"
#include "harness/record/probe_plan.h"
#include "harness/statistics/spread.h"

namespace pacbench::probes {
namespace {

constexpr double kLongest_ms = 500;
constexpr double kMostInAll_ms = 6000;
constexpr int kQueueAttempts = 3;
constexpr int kDisturbedAttempts = 8;  // a burst that stops the sender leaves the queue half full
constexpr double kFast = 2;    // times the link's rate, so that a queue is full after its own time
constexpr double kQueues = 4;  // so many queues' bytes are sent
constexpr double kApart = 4;   // times a queue's time from one path to the next
constexpr std::int64_t kOfSocket = 100;  // datagrams that a socket can surely have in a queue
constexpr double kFull = 0.75;  // of the delays, this share or less come while the queue fills

record::ProbedQueue planned(const netd::CreateRequest& request, int worker) {
  record::ProbedQueue queue;
  queue.direction = netd::up_name(worker);
  const auto bytes = netd::queue_bytes(request, queue.direction);
  queue.expected_ms =
      static_cast<double>(bytes) * 8e-3 / netd::find_direction(request, queue.direction)->rate_mbit;
  return queue;
}

/// Whether the first queue on the way from each worker to the next is the only one that can fill.
bool first_queues_fill_alone(const netd::CreateRequest& request) {
  if (!request.trunks.empty() || !record::is_plain(request)) return false;
  const auto rate_mbit = [&](const std::string& name) {
    return netd::find_direction(request, name)->rate_mbit;
  };
  const auto workers = static_cast<int>(request.workers.size());
  for (int worker = 0; worker < workers; ++worker) {
    const int next = (worker + 1) % workers;
    if (rate_mbit(netd::up_name(worker)) > rate_mbit(netd::down_name(next))) return false;
  }
  return true;
}

void measure(links::Probing& probing, const netd::CreateRequest& request,
             std::vector<record::ProbedQueue>& queues) {
  double longest_ms = 0;
  double fastest_mbit = 0;
  std::vector<plan::Path> paths;
  const auto workers = static_cast<int>(request.workers.size());
  for (std::size_t i = 0; i < queues.size(); ++i) {
    paths.push_back({static_cast<int>(i), (static_cast<int>(i) + 1) % workers});
    longest_ms = std::max(longest_ms, queues[i].expected_ms);
    fastest_mbit =
        std::max(fastest_mbit, netd::find_direction(request, queues[i].direction)->rate_mbit);
  }
  const auto frame = static_cast<double>(frame_bytes(request.mtu));
  const double bytes = longest_ms * 1e-3 * fastest_mbit * 1e6 / 8;
  links::Probing::Overflow overflow;
  overflow.count = static_cast<int>(kQueues * bytes / frame);
  overflow.bytes = static_cast<int>(datagram_bytes(request.mtu));
  overflow.interval_us = frame * 8 / (kFast * fastest_mbit);
  overflow.sockets = std::min<int>(64, static_cast<int>(bytes / frame / kOfSocket) + 2);
  overflow.apart_ms = kApart * longest_ms;
  const auto measured = probing.overflow(paths, overflow);
  for (std::size_t i = 0; i < measured.size(); ++i) {
    if (measured[i].delays_ms.empty()) continue;
    auto& queue = queues[i];
    const double full_ms = statistics::quantile(measured[i].delays_ms, kFull);
    if (measured[i].received == measured[i].sent && full_ms < queue.expected_ms) continue;
    queue.shortest_ms = std::min(full_ms, queue.shortest_ms.value_or(full_ms));
    queue.longest_ms = std::max(full_ms, queue.longest_ms.value_or(full_ms));
  }
}

}  // namespace

std::vector<record::ProbedQueue> measure_queues(links::Probing& probing,
                                                const netd::CreateRequest& request, Meter* meter) {
  std::vector<record::ProbedQueue> queues;
  if (!first_queues_fill_alone(request)) return queues;
  double all_ms = 0;
  for (int worker = 0; worker < static_cast<int>(request.workers.size()); ++worker) {
    const auto queue = planned(request, worker);
    all_ms += kApart * queue.expected_ms;
    if (queue.expected_ms > kLongest_ms * time_dilation || all_ms > kMostInAll_ms * time_dilation) {
      break;
    }
    queues.push_back(queue);
  }
  if (queues.empty()) return queues;
  const auto began_ns = monotonic_ns();
  int most = kQueueAttempts;
  for (int attempt = 1; attempt <= most; ++attempt) {
    measure(probing, request, queues);
    const double taken_share = meter != nullptr ? meter->since(began_ns).taken_share() : 0;
    for (auto& queue : queues) {
      queue.attempts = attempt;
      queue.taken_share = taken_share;
    }
    if (taken_share > record::kTakenWorthSaying) most = kDisturbedAttempts;
    if (std::none_of(queues.begin(), queues.end(), record::is_queue_off)) break;
  }
  return queues;
}

}  // namespace pacbench::probes
