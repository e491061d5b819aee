#include "base/token_bucket.h"

#include <algorithm>
#include <limits>

namespace pacbench {

double TokenBucket::left(double now_s) const {
  return std::min(terms_.most, state_.left + terms_.per_s * (now_s - state_.at_s));
}

double TokenBucket::wait_s(double count, double now_s) const {
  if (count > terms_.most) return std::numeric_limits<double>::infinity();
  return std::max(0.0, (count - left(now_s)) / terms_.per_s);
}

void TokenBucket::take(double count, double now_s) { state_ = {left(now_s) - count, now_s}; }

}  // namespace pacbench
