#include "probe/request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.h"

namespace pacbench::probe {
namespace {

using ::testing::HasSubstr;

/// All that is wrong with a line; empty when nothing is.
std::string complaint(const std::string& line) {
  try {
    request_from_line(line);
    return "";
  } catch (const ConfigError& error) {
    return error.what();
  }
}

TEST(Request, TravelsAsALine) {
  const Request request{1, Traffic::kDatagrams, Sender::kServer, 2.5, 1000, 10, 1472};
  const auto line = request_line(request);
  EXPECT_LT(line.size(), Request::kMostLineBytes);
  EXPECT_EQ(request_from_line(line), request);
  EXPECT_EQ(request_from_line(request_line({1, Traffic::kFlow, Sender::kClient, 1, 5, 0, 0})),
            (Request{1, Traffic::kFlow, Sender::kClient, 1, 5, 0, 0}));
}

TEST(Request, IsRefusedWithWhatIsWrong) {
  const auto complaint_about = [](const std::string& keys) {
    return complaint(R"({"sender": "client", "seconds": 1, )" + keys + "}");
  };
  EXPECT_THAT(complaint("GET / HTTP/1.1"), HasSubstr("request"));
  EXPECT_THAT(complaint_about(R"("version": 2, "traffic": "flow", "bytes": 1)"),
              HasSubstr("version"));
  EXPECT_THAT(complaint_about(R"("version": 1, "traffic": "flood", "bytes": 0)"),
              AllOf(HasSubstr("traffic"), HasSubstr("bytes")));
  EXPECT_THAT(complaint_about(R"("version": 1, "traffic": "datagrams", "bytes": 1)"),
              AllOf(HasSubstr("datagram_bytes"), HasSubstr("rate_mbit")));
}

}  // namespace
}  // namespace pacbench::probe
