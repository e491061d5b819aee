#include "harness/probes/features.h"

#include <gmock/gmock.h>

#include "harness/doctor/doctor.h"
#include "harness/links/probing.h"

namespace pacbench::probes {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

Scenario with_links(std::vector<LinkProfile> links) {
  Scenario scenario;
  scenario.mode = Mode::kEmulate;
  scenario.workers = 4;
  scenario.network.links = std::move(links);
  return scenario;
}

LinkProfile near_by() { return {"near", 100, 100}; }

LinkProfile far_away() {
  LinkProfile link{"far", 100, 100};
  link.impairment.delay_ms = 20;
  return link;
}

TEST(Needs, OfDelayAreNetemAndWhatItHangsOnAtTheLinkThatHasIt) {
  EXPECT_THAT(needs_of(with_links({near_by()})), ElementsAre());
  const auto needs = needs_of(with_links({near_by(), far_away()}));
  EXPECT_THAT(needs, ElementsAre(Field(&Need::feature, "netem"), Field(&Need::feature, "ifb"),
                                 Field(&Need::feature, "mirred")));
  EXPECT_EQ(needs.front().pointer, "/network/links/1");
  auto scenario = with_links({far_away()});
  scenario.mode = Mode::kLearn;
  EXPECT_THAT(needs_of(scenario), ElementsAre());
}

TEST(Needs, ThatTheKernelDoesNotHaveAreRefusedWithReasonAndCure) {
  const auto needs = needs_of(with_links({far_away()}));
  const std::vector<netd::Feature> features{{"netem", false, "Specified qdisc kind is unknown."},
                                            {"ifb", true, ""},
                                            {"mirred", true, ""}};
  EXPECT_THAT([&] { require_features("far.json", needs, features); },
              ThrowsMessage<ConfigError>(AllOf(StartsWith("far.json: /network/links/0: "),
                                               HasSubstr("Specified qdisc kind is unknown"),
                                               HasSubstr("modprobe"), Not(HasSubstr("\n")))));
  EXPECT_NO_THROW(require_features(
      "far.json", needs,
      {{"netem", true, ""}, {"ifb", true, ""}, {"mirred", true, ""}, {"bbr", false, "no"}}));
}

TEST(DoctorFindings, SayWhyNotWhatToDoAndWhatAResultLacks) {
  const auto findings = doctor::findings_of(
      {{"htb", true, ""}, {"netem", false, "unknown"}, {"steering", false, "read-only"}});
  EXPECT_TRUE(doctor::is_usable(findings));
  EXPECT_EQ(doctor::render_text({findings[0]}), "yes  htb: tried, and works\n");
  EXPECT_THAT(doctor::render_text({findings[1]}),
              AllOf(HasSubstr("no   netem: unknown\n"), HasSubstr("cure: "),
                    HasSubstr("without it: scenarios with delay, jitter, loss")));
  const auto without_shaping = doctor::findings_of({{"htb", false, "unknown"}});
  EXPECT_FALSE(doctor::is_usable(without_shaping));
  EXPECT_THAT(doctor::render_text(without_shaping), HasSubstr("NO   htb: unknown"));
  EXPECT_EQ(to_json(without_shaping).at("usable"), false);
}

constexpr std::int64_t kNsInMs = 1'000'000;

/// A flow of 100 Mbit/s that was held up from 500 to 600 ms, and then went on as before.
links::FlowMeasurement held_up() {
  links::FlowMeasurement flow;
  std::int64_t bytes = 0;
  for (std::int64_t at_ms = 0; at_ms <= 1000; at_ms += 10) {
    flow.samples.push_back({at_ms * kNsInMs, bytes});
    if (at_ms < 500 || at_ms >= 600) bytes += 125'000;
  }
  return flow;
}

MachineTrace taken(std::int64_t from_ms, std::int64_t to_ms) {
  MachineTrace trace;
  trace.disturbances.push_back({TakenBy::kUnseen, from_ms * kNsInMs, to_ms * kNsInMs, 0.1});
  return trace;
}

TEST(QuietGoodput, IsThatOfTheWholeTimeButDisturbancesAndTheTimeAfterThem) {
  const auto all = quiet_goodput(held_up(), 0, 1000 * kNsInMs, {});
  EXPECT_DOUBLE_EQ(all.time_s, 1);
  EXPECT_DOUBLE_EQ(all.mbit(), 90);
  const auto quiet = quiet_goodput(held_up(), 0, 1000 * kNsInMs, taken(495, 605));
  EXPECT_DOUBLE_EQ(quiet.mbit(), 100);
  EXPECT_NEAR(quiet.time_s, 1 - 0.14, 1e-9) << "from 490 to 630 ms";
}

TEST(BestGoodput, IsThatOfALinkWhateverHoldsItsFlowUp) {
  auto flow = held_up();
  EXPECT_DOUBLE_EQ(best_mbit(flow, 0, 1000 * kNsInMs).value(), 100);
  for (auto& sample : flow.samples) sample.bytes = sample.bytes * 9 / 10;
  EXPECT_NEAR(best_mbit(flow, 0, 1000 * kNsInMs).value(), 90, 1e-3);
  EXPECT_FALSE(best_mbit(flow, 0, 300 * kNsInMs)) << "too few parts";
}

}  // namespace
}  // namespace pacbench::probes
