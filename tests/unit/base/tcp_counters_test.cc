#include "base/traffic_counters.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace pacbench {
namespace {

TEST(RetransmittedSegments, AreFoundByTheirName) {
  EXPECT_EQ(retransmitted_segments("Ip: Forwarding RetransSegs\nIp: 1 7\n"
                                   "Tcp: RtoAlgorithm InSegs RetransSegs InErrs\nTcp: 1 50 12 3\n"),
            12);
}

TEST(RetransmittedSegments, AreAnErrorWhenTheKernelDoesNotTellThem) {
  EXPECT_THROW(retransmitted_segments("Ip: Forwarding\nIp: 1\n"), std::runtime_error);
  EXPECT_THROW(retransmitted_segments("Tcp: InSegs RetransSegs\nTcp: 5\n"), std::runtime_error);
}

}  // namespace
}  // namespace pacbench
