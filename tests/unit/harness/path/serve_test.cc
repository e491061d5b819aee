#include "harness/path/serve.h"

#include <gtest/gtest.h>

namespace pacbench::path {
namespace {

std::string described(const char* line) { return describe(Json::parse(line), {}); }

TEST(PathServe, SaysWhatItListensOnAndWhatItGives) {
  EXPECT_EQ(described(R"({"event": "answering", "address": "0.0.0.0", "port": 4501})"),
            "listening on 0.0.0.0 port 4501, TCP and UDP, for at most 16 client addresses in all, "
            "1000 MB each; Ctrl-C ends it");
}

TEST(PathServe, SaysWhoGotWhat) {
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
