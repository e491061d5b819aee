#include "harness/path/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/harness/path/measured_path.h"

namespace pacbench::path {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string text_of(const Measurement& measurement) {
  return render_text(measurement, links_block(measurement, 2));
}

TEST(PathReport, BeginsWithTheAnswerAndEndsWithTheBlock) {
  const auto text = text_of(measured_path());
  EXPECT_THAT(text, StartsWith("This machine sends 50.0 Mbit/s to there and receives 20.0 Mbit/s "
                               "from it. The round trip is 40.0 ms, and none of the datagrams are "
                               "lost.\n"));
  const auto block = text.substr(text.find("\"links\": ") + 9);
  EXPECT_EQ(Json::parse(block), links_block(measured_path(), 2).links());
}

TEST(PathReport, BlockSaysWhatIsNotAsInAnyScenario) {
  auto measurement = measured_path();
  EXPECT_THAT(text_of(measurement),
              AllOf(Not(HasSubstr("\"mtu\"")), Not(HasSubstr("\"congestion"))));
  measurement.mtu = 9000;
  measurement.congestion_control = "bbr";
  EXPECT_THAT(text_of(measurement), AllOf(HasSubstr("\"mtu\": 9000,\n"),
                                          HasSubstr("\"congestion_control\": \"bbr\",\n")));
}

TEST(PathReport, PartsThatWereLeftOutAreDashes) {
  auto measurement = measured_path();
  measurement.up.both.reset();
  measurement.up.datagrams.reset();
  measurement.stopped_early = {"UDP from here to there: left out"};
  EXPECT_THAT(
      text_of(measurement),
      AllOf(HasSubstr("–"), HasSubstr("Stopped early: UDP from here to there: left out\n")));
}

TEST(PathReport, AsADocumentHasTheRatesAndTheBlock) {
  const auto measurement = measured_path();
  const auto document = to_json(measurement, links_block(measurement, 2));
  EXPECT_NEAR(document.at("up").at("rate_mbit").get<double>(), 50, 1e-9);
  EXPECT_NEAR(document.at("ring_share").get<double>(), 1, 1e-9);
  EXPECT_EQ(document.at("loss"), 0);
  EXPECT_EQ(document.at("links"), links_block(measurement, 2).links());
}

}  // namespace
}  // namespace pacbench::path
