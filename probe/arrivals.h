#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include "base/json/json_reader.h"

namespace pacbench::probe {

/// The datagrams of one sender that have arrived so far.
class Arrivals {
 public:
  /// Adds datagram `number`. Its sender handed it to a socket at `sent_ns` by the sender's clock.
  void add(std::int64_t number, std::int64_t sent_ns, std::int64_t arrived_ns) {
    if (!numbers_.insert(number).second) {
      ++duplicates_;
      return;
    }
    // This datagram was overtaken by one that was sent later (RFC 4737, section 3.3).
    if (number < highest_) ++reordered_;
    highest_ = std::max(highest_, number);
    if (first_ns_ == 0) first_ns_ = arrived_ns;
    last_ns_ = arrived_ns;
    delays_us_.push_back(static_cast<double>(arrived_ns - sent_ns) * 1e-3);
  }

  std::int64_t received() const { return static_cast<std::int64_t>(numbers_.size()); }

  /// The counts "sent", "received", "duplicates" and "reordered".
  Json counts(std::int64_t sent) const {
    return {{"sent", sent},
            {"received", numbers_.size()},
            {"duplicates", duplicates_},
            {"reordered", reordered_}};
  }
  /// The one-way delays in the order of arrival; they are meaningful only where both ends share one
  /// clock.
  const std::vector<double>& delays_us() const { return delays_us_; }
  /// The mean absolute difference of the delays of datagrams that arrived one after the other: RFC
  /// 3550's interarrival jitter without its smoothing. It needs no common clock. 0 for fewer than
  /// two datagrams.
  double jitter_us() const {
    if (delays_us_.size() < 2) return 0;
    double sum_us = 0;
    for (std::size_t i = 1; i < delays_us_.size(); ++i) {
      sum_us += std::abs(delays_us_[i] - delays_us_[i - 1]);
    }
    return sum_us / static_cast<double>(delays_us_.size() - 1);
  }
  std::int64_t first_ns() const { return first_ns_; }
  std::int64_t last_ns() const { return last_ns_; }

 private:
  std::set<std::int64_t> numbers_;
  std::int64_t highest_ = -1;
  std::int64_t duplicates_ = 0;
  std::int64_t reordered_ = 0;
  std::int64_t first_ns_ = 0;
  std::int64_t last_ns_ = 0;
  std::vector<double> delays_us_;
};

}  // namespace pacbench::probe
