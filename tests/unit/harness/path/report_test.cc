#include "harness/path/report.h"

#include <gmock/gmock.h>

#include "harness/path/measure.h"
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
                               "from it. The round trip is 40.0 ms, and none of"));
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

std::string described(const char* line) { return describe(Json::parse(line), {}); }

TEST(PathServe, SaysWhatItListensOnAndWhoGotWhat) {
  EXPECT_THAT(described(R"({"event": "answering", "address": "0.0.0.0", "port": 4501})"),
              StartsWith("listening on 0.0.0.0 port 4501, TCP and UDP, for at most 16"));
  EXPECT_EQ(described(R"({"event": "answered", "from": "192.0.2.7", "traffic": "flow",
                          "sender": "server", "bytes": 12340000})"),
            "192.0.2.7: flow sent, 12.3 MB");
  EXPECT_EQ(described(R"({"event": "answered", "from": "192.0.2.7", "traffic": "pings",
                          "sender": "client", "bytes": 170})"),
            "192.0.2.7: 170 pings");
  EXPECT_EQ(described(R"({"event": "refused", "from": "192.0.2.7", "message": "too much"})"),
            "192.0.2.7: refused: too much");
  EXPECT_EQ(described(R"({"event": "error", "from": "192.0.2.7", "message": "gone"})"),
            "192.0.2.7: gone");
}

}  // namespace
}  // namespace pacbench::path
