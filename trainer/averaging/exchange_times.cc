#include "trainer/averaging/exchange_times.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace pacbench::trainer {
namespace {

// At most this many partial plans are kept, those that end first. More than this many arise from
// about 20 buckets with four ways each.
constexpr std::size_t kMostBeginnings = 500;

/// The times at which encoder, link and decoder are free again after some buckets, and how many of
/// these buckets have a way other than ways[0].
struct Timeline {
  double encoded_s = 0;
  double sent_s = 0;
  double decoded_s = 0;
  std::size_t others = 0;

  void add(const BucketTimes& bucket, std::size_t way) {
    const auto& cost = bucket.ways.at(way);
    encoded_s = std::max(encoded_s, bucket.ready_s) + cost.encode_s;
    sent_s = std::max(sent_s, encoded_s) + cost.wire_s;
    decoded_s = std::max(decoded_s, sent_s) + cost.decode_s;
    others += way == 0 ? 0 : 1;
  }

  /// Whether every continuation ends no later after this timeline than after `other`, with no more
  /// buckets whose way is not ways[0].
  bool surpasses(const Timeline& other) const {
    return encoded_s <= other.encoded_s && sent_s <= other.sent_s && decoded_s <= other.decoded_s &&
           others <= other.others;
  }
};

struct Beginning {
  Timeline timeline;
  ExchangePlan plan;
};

void keep(std::vector<Beginning>& kept, Beginning added) {
  for (const auto& one : kept) {
    if (one.timeline.surpasses(added.timeline)) return;
  }
  std::erase_if(kept, [&](const auto& other) { return added.timeline.surpasses(other.timeline); });
  kept.push_back(std::move(added));
}

// A rough model of wire time, by which encodings, and Espresso's methods, are compared. No measured
// time comes from it: Espresso's notes and `pacbench costs` call its numbers expected.

// The time of one message from rank to rank with nothing else under way, including the time that
// threads take to wake up for it.
constexpr double kStepS = 50e-6;
// An all-to-all sends up to N - 1 flows into one link at once, and these take longer than their
// bytes alone would. Measured with seven flows: fp16 by all-to-all and all-gather, against a ring
// with the same bytes (docs/fidelity/pytorch.md).
constexpr double kIncast = 1.4;
// The rate that is assumed where there is no link, as in mode learn.
constexpr double kRateOfNoLinkMbit = 1000;

/// How many times the bytes of one worker's link cross the busiest link in an all-to-all. Links
/// between switches carry all pairs that they separate; a ring in the order of ranks crosses them
/// once.
double all_to_all_load(const LinkFacts& link, int ranks) {
  double most = 1;
  int beyond = 0;
  for (const int group : link.groups) {
    // In a chain, a link separates all groups up to `group` from the rest; around a core, it
    // separates one group.
    beyond = link.topology == "chain3" ? beyond + group : group;
    most = std::max(most, static_cast<double>(beyond) * (ranks - beyond) / (ranks - 1));
  }
  return most;
}

int steps_of(CollectiveKind kind, int ranks) {
  switch (kind) {
    case CollectiveKind::kAllReduce:
      return 2 * (ranks - 1);
    case CollectiveKind::kAllGather:
      return ranks - 1;
    default:
      return 1;
  }
}

constexpr double kNotYet = std::numeric_limits<float>::max();

}  // namespace

double finish_s(const std::vector<BucketTimes>& buckets, const ExchangePlan& plan) {
  Timeline timeline;
  for (std::size_t i = 0; i < buckets.size(); ++i) timeline.add(buckets[i], plan.at(i));
  return timeline.decoded_s;
}

ExchangePlan fastest_plan(const std::vector<BucketTimes>& buckets) {
  std::vector<Beginning> beginnings(1);
  for (const auto& bucket : buckets) {
    std::vector<Beginning> kept;
    for (const auto& before : beginnings) {
      for (std::size_t way = 0; way < bucket.ways.size(); ++way) {
        auto next = before;
        next.timeline.add(bucket, way);
        next.plan.push_back(way);
        keep(kept, std::move(next));
      }
    }
    std::stable_sort(kept.begin(), kept.end(), [](const auto& one, const auto& other) {
      const auto& a = one.timeline;
      const auto& b = other.timeline;
      return std::tie(a.decoded_s, a.others) < std::tie(b.decoded_s, b.others);
    });
    if (kept.size() > kMostBeginnings) kept.resize(kMostBeginnings);
    beginnings = std::move(kept);
  }
  return beginnings.front().plan;
}

double expected_wire_s(const PlannedCollective& call, int ranks, const LinkFacts& link,
                       double round_trip_s) {
  if (ranks < 2) return 0;
  const double rate_mbit = link.rate_mbit > 0 ? link.rate_mbit : kRateOfNoLinkMbit;
  const double bytes_s = static_cast<double>(sent_bytes(call, 0, ranks)) * 8 / (rate_mbit * 1e6);
  const bool direct = call.kind == CollectiveKind::kAllToAll;
  const double shared = direct ? all_to_all_load(link, ranks) * (ranks > 2 ? kIncast : 1) : 1;
  return bytes_s * shared + steps_of(call.kind, ranks) * (kStepS + round_trip_s);
}

double expected_wire_s(const PlannedCalls& calls, const Group& group, const LinkFacts& link) {
  double total_s = 0;
  for (const auto& call : calls) {
    const auto& ranks = call.ranks;
    if (ranks.empty()) total_s += expected_wire_s(call, group.size(), link);
    if (!std::binary_search(ranks.begin(), ranks.end(), group.rank())) continue;
    total_s += expected_wire_s(call, static_cast<int>(ranks.size()), link);
  }
  return total_s;
}

ExchangeTimings::ExchangeTimings(std::size_t buckets, std::size_t ways) {
  const ExchangeTimes not_yet{kNotYet, kNotYet, kNotYet};
  buckets_.assign(buckets, {kNotYet, std::vector<ExchangeTimes>(ways, not_yet)});
}

void ExchangeTimings::take(int bucket, std::size_t way, double ready_s, const ExchangeTimes& cost) {
  auto& costs = buckets_.at(static_cast<std::size_t>(bucket));
  auto& least = costs.ways.at(way);
  costs.ready_s = std::min(costs.ready_s, ready_s);
  least.encode_s = std::min(least.encode_s, cost.encode_s);
  least.wire_s = std::min(least.wire_s, cost.wire_s);
  least.decode_s = std::min(least.decode_s, cost.decode_s);
}

std::vector<double*> ExchangeTimings::numbers() {
  std::vector<double*> all;
  for (auto& bucket : buckets_) {
    all.push_back(&bucket.ready_s);
    for (auto& way : bucket.ways) {
      all.insert(all.end(), {&way.encode_s, &way.wire_s, &way.decode_s});
    }
  }
  return all;
}

PlannedCollective ExchangeTimings::agreement() const {
  std::int64_t numbers = 0;
  for (const auto& bucket : buckets_) numbers += 1 + 3 * std::ssize(bucket.ways);
  return {CollectiveKind::kAllReduce, 4 * numbers};
}

Task<> ExchangeTimings::agree(Group& group) {
  const auto all = numbers();
  const auto seconds = at::empty({std::ssize(all)});
  auto* second = seconds.data_ptr<float>();
  for (const auto* number : all) *second++ = static_cast<float>(*number);
  co_await group.all_reduce(seconds, Reduction::kMax);
  const auto* agreed = seconds.const_data_ptr<float>();
  for (auto* number : all) *number = *agreed++;
}

}  // namespace pacbench::trainer
