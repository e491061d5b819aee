#include "probe/arrivals.h"

#include <algorithm>
#include <cmath>

namespace pacbench::probe {

void Arrivals::add(std::int64_t number, std::int64_t sent_ns, std::int64_t arrived_ns) {
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

Json Arrivals::counts(std::int64_t sent) const {
  return {{"sent", sent},
          {"received", numbers_.size()},
          {"duplicates", duplicates_},
          {"reordered", reordered_}};
}

double Arrivals::jitter_us() const {
  if (delays_us_.size() < 2) return 0;
  double sum_us = 0;
  for (std::size_t i = 1; i < delays_us_.size(); ++i) {
    sum_us += std::abs(delays_us_[i] - delays_us_[i - 1]);
  }
  return sum_us / static_cast<double>(delays_us_.size() - 1);
}

}  // namespace pacbench::probe
