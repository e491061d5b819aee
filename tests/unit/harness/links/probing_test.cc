#include "harness/links/probing.h"

#include <gmock/gmock.h>

#include <utility>

namespace pacbench::links {
namespace {

using ::testing::Pair;

FlowMeasurement flow(std::vector<FlowMeasurement::Sample> samples) {
  FlowMeasurement result;
  result.samples = std::move(samples);
  return result;
}

TEST(CommonTime, IsFromTheLastStartToTheFirstEndAndEmptyWhereverAFlowWithoutBytesStands) {
  const std::vector<FlowMeasurement> flows{flow({{10, 0}, {90, 5}}), flow({{20, 0}, {100, 5}})};
  EXPECT_THAT(common_time(flows), Pair(20, 90));
  for (std::size_t place = 0; place <= flows.size(); ++place) {
    auto all = flows;
    all.insert(all.begin() + static_cast<std::ptrdiff_t>(place), FlowMeasurement{});
    const auto [start_ns, end_ns] = common_time(all);
    EXPECT_LE(end_ns, start_ns) << "at " << place;
  }
}

}  // namespace
}  // namespace pacbench::links
