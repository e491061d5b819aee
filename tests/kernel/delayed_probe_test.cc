// A probe of links with delay and loss, which TCP would not fill within it.
#include "harness/machine/meter.h"
#include "harness/machine/programs.h"
#include "harness/probes/prober.h"
#include "harness/record/probe_plan.h"
#include "tests/kernel/impaired_network.h"

namespace pacbench {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class DelayedProbe : public ImpairedNetwork {
 protected:
  static netd::CreateRequest star(double rate_mbit) {
    auto request = ImpairedNetwork::request(2, {.delay_ms = 10, .loss = 0.01}, {.delay_ms = 10});
    for (auto& worker : request.workers) worker.up.rate_mbit = worker.down.rate_mbit = rate_mbit;
    return request;
  }

  /// A probe of links of `rate_mbit`, held against what links of kDeclared_mbit would give.
  record::LinkProbe probe_of(double rate_mbit) {
    Programs programs;
    programs.daemon = PACBENCH_NETD;
    programs.probe = PACBENCH_LINK_PROBE;
    auto found = probes::probe_links(programs, star(rate_mbit), interrupt(), &meter_);
    EXPECT_THAT(found.failure, IsEmpty());
    const auto planned = record::planned_flows(star(kDeclared_mbit));
    EXPECT_THAT(found.flows, SizeIs(planned.size()));
    for (std::size_t i = 0; i < planned.size(); ++i) {
      found.flows[i].expected_mbit = planned[i].expected_mbit;
      found.flows[i].expected_spacing_mbit = planned[i].expected_spacing_mbit;
    }
    return found;
  }

  static constexpr double kDeclared_mbit = 4;

 private:
  Meter meter_{PACBENCH_LINK_PROBE};
};

TEST_F(DelayedProbe, FindsNoFaultWithLongLinksOfTheirRate) {
  // The kernel below this one may be busy. Three bad probes in a row are the prober's fault.
  auto found = reasons(probe_of(kDeclared_mbit));
  for (int again = 0; again < 2 && !found.empty(); ++again) {
    found = reasons(probe_of(kDeclared_mbit));
  }
  EXPECT_THAT(found, IsEmpty());
}

TEST_F(DelayedProbe, FindsLongLinksThatAreATenthTooSlowOrTooFast) {
  for (const double share : {0.9, 1.1}) {
    const auto probe = probe_of(share * kDeclared_mbit);
    const auto found = reasons(probe);
    ASSERT_THAT(found, SizeIs(1)) << share << record::to_json(probe);
    EXPECT_THAT(found.front(), HasSubstr(share < 1 ? "% too slow" : "% too fast"));
    // Only datagrams tell that such a link is slow. TCP may show by itself that one is fast.
    if (share < 1) {
      EXPECT_THAT(found.front(), HasSubstr("in UDP datagrams"));
    }
  }
}

}  // namespace
}  // namespace pacbench
