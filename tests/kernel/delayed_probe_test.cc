// A probe of links with delay and loss, which TCP would not fill within it.
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

  record::LinkProbe probe(const netd::CreateRequest& request) const {
    Programs programs;
    programs.daemon = PACBENCH_NETD;
    programs.probe = PACBENCH_LINK_PROBE;
    return probes::probe_links(programs, request, interrupt(), nullptr);
  }
};

TEST_F(DelayedProbe, JudgesTheRateOfLongLinksByDatagrams) {
  const auto declared = star(4);
  EXPECT_THAT(reasons(probe(declared)), IsEmpty());
  // Links that are 10 % too slow and too fast, where everything else agrees.
  for (const double rate_mbit : {3.6, 4.4}) {
    auto found = probe(star(rate_mbit));
    ASSERT_THAT(found.failure, IsEmpty());
    const auto planned = record::planned_flows(declared);
    ASSERT_THAT(found.flows, SizeIs(planned.size()));
    for (std::size_t i = 0; i < planned.size(); ++i) {
      found.flows[i].expected_mbit = planned[i].expected_mbit;
    }
    ASSERT_THAT(reasons(found), SizeIs(1)) << rate_mbit;
    EXPECT_THAT(reasons(found).front(), HasSubstr(rate_mbit < 4 ? "% too slow" : "% too fast"));
    EXPECT_THAT(reasons(found).front(), HasSubstr("in UDP datagrams"));
  }
}

}  // namespace
}  // namespace pacbench
