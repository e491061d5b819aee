#include "harness/calibration/calibrated.h"

#include <gmock/gmock.h>

#include <cmath>

namespace pacbench::calibration {
namespace {

/// In a ring of 8 the slowest flow has 0.98 of its ideal rate at 100 Mbit/s, and 0.90 at 1000.
Calibration calibration() {
  Calibration result;
  const auto ring = [&](double rate_mbit, double share) {
    Row row;
    row.subject = {rate_mbit, Quantity::kSlowestOfRing, Shaped::kBoth, 0};
    row.measured = {share * ideal(row.subject, result.network).value()};
    return row;
  };
  result.rows = {ring(1000, 0.90), ring(100, 0.98)};
  return result;
}

TEST(RingShare, IsWhatWasMeasuredAtARate) {
  EXPECT_NEAR(ring_share(calibration(), 100, 8).value(), 0.98, 1e-9);
  EXPECT_NEAR(ring_share(calibration(), 1000, 4).value(), 0.90, 1e-9);
}

TEST(RingShare, LiesBetweenRatesInProportionToTheirLogarithms) {
  EXPECT_NEAR(ring_share(calibration(), std::sqrt(1e5), 8).value(), 0.94, 1e-9);
  EXPECT_NEAR(ring_share(calibration(), 10, 8).value(), 0.98, 1e-9) << "as at the lowest rate";
}

TEST(RingShare, IsUnknownBeyondWhatWasMeasured) {
  EXPECT_FALSE(ring_share(calibration(), 2000, 8));
  EXPECT_FALSE(ring_share(calibration(), 100, 9));
  EXPECT_FALSE(ring_share(Calibration{}, 100, 8));
}

}  // namespace
}  // namespace pacbench::calibration
