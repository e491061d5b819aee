#include "harness/probes/features.h"

#include <gmock/gmock.h>

#include "harness/doctor/features.h"

namespace pacbench::probes {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;

Scenario with_links(std::vector<LinkProfile> links) {
  Scenario scenario;
  scenario.mode = Mode::kEmulate;
  scenario.workers = 4;
  scenario.network.links = std::move(links);
  return scenario;
}

LinkProfile far_away() {
  LinkProfile link;
  link.name = "far";
  link.up_mbit = link.down_mbit = 100;
  link.impairment.delay_ms = 20;
  return link;
}

LinkProfile near_by() {
  LinkProfile link;
  link.name = "near";
  link.up_mbit = link.down_mbit = 100;
  return link;
}

TEST(Needs, OfPlainLinksAreNone) { EXPECT_THAT(needs_of(with_links({near_by()})), ElementsAre()); }

TEST(Needs, OfDelayAreNetemAndWhatItHangsOnAtTheLinkThatHasIt) {
  const auto needs = needs_of(with_links({near_by(), far_away()}));
  EXPECT_THAT(needs, ElementsAre(Field(&Need::feature, "netem"), Field(&Need::feature, "ifb"),
                                 Field(&Need::feature, "mirred")));
  EXPECT_EQ(needs.front().pointer, "/network/links/1");
}

TEST(Needs, OfLearnAreNone) {
  auto scenario = with_links({far_away()});
  scenario.mode = Mode::kLearn;
  EXPECT_THAT(needs_of(scenario), ElementsAre());
}

TEST(Needs, ThatTheKernelDoesNotHaveAreRefusedWithReasonAndCure) {
  const auto needs = needs_of(with_links({far_away()}));
  const std::vector<netd::Feature> features{{"netem", false, "Specified qdisc kind is unknown."},
                                            {"ifb", true, ""},
                                            {"mirred", true, ""}};
  try {
    require_features("far.json", needs, features);
    FAIL() << "netem is missing";
  } catch (const ConfigError& error) {
    ASSERT_EQ(error.issues().size(), 1u);
    EXPECT_EQ(error.issues()[0].pointer, "/network/links/0");
    EXPECT_THAT(error.issues()[0].message,
                AllOf(HasSubstr("Specified qdisc kind is unknown"), HasSubstr("modprobe"),
                      HasSubstr("tools/kernel-run")));
  }
}

TEST(Needs, ThatTheKernelHasPass) {
  EXPECT_NO_THROW(require_features(
      "far.json", needs_of(with_links({far_away()})),
      {{"netem", true, ""}, {"ifb", true, ""}, {"mirred", true, ""}, {"bbr", false, "no"}}));
}

TEST(DoctorFindings, SayWhyNotWhatToDoAndWhatAResultLacks) {
  const auto findings = doctor::findings_of({{"htb", true, ""}, {"netem", false, "unknown"}});
  EXPECT_TRUE(doctor::is_usable(findings));
  EXPECT_EQ(doctor::render_text({findings[0]}), "yes  htb: tried, and works\n");
  EXPECT_THAT(doctor::render_text({findings[1]}),
              AllOf(HasSubstr("no   netem: unknown\n"), HasSubstr("cure: "),
                    HasSubstr("without it: scenarios with delay, jitter, loss")));
}

TEST(DoctorFindings, WithoutSteeringLinksAreUsableAndTheVerdictTells) {
  const auto findings = doctor::findings_of({{"steering", false, "Read-only file system"}});
  EXPECT_TRUE(doctor::is_usable(findings));
  EXPECT_THAT(doctor::render_text(findings),
              AllOf(HasSubstr("overtake"), HasSubstr("verdict"), HasSubstr("6.3")));
}

TEST(DoctorFindings, WithoutShapingNothingIsUsable) {
  const auto findings = doctor::findings_of({{"htb", false, "unknown"}});
  EXPECT_FALSE(doctor::is_usable(findings));
  EXPECT_THAT(doctor::render_text(findings), HasSubstr("NO   htb: unknown"));
  EXPECT_EQ(to_json(findings).at("usable"), false);
}

}  // namespace
}  // namespace pacbench::probes
