#include "trainer/averaging/exchange_plan.h"

#include <algorithm>
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

bool ends_earlier(const Beginning& one, const Beginning& other) {
  const auto& a = one.timeline;
  const auto& b = other.timeline;
  return std::tie(a.decoded_s, a.others) < std::tie(b.decoded_s, b.others);
}

void keep(std::vector<Beginning>& kept, Beginning added) {
  const auto surpassed_by = [](const Timeline& timeline) {
    return [&timeline](const Beginning& other) { return timeline.surpasses(other.timeline); };
  };
  for (const auto& one : kept) {
    if (one.timeline.surpasses(added.timeline)) return;
  }
  kept.erase(std::remove_if(kept.begin(), kept.end(), surpassed_by(added.timeline)), kept.end());
  kept.push_back(std::move(added));
}

}  // namespace

double finish_s(const std::vector<BucketTimes>& buckets, const ExchangePlan& plan) {
  Timeline timeline;
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    timeline.add(buckets[i], plan.at(i));
  }
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
    std::stable_sort(kept.begin(), kept.end(), ends_earlier);
    if (kept.size() > kMostBeginnings) kept.resize(kMostBeginnings);
    beginnings = std::move(kept);
  }
  return beginnings.front().plan;
}

}  // namespace pacbench::trainer
