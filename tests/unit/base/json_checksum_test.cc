#include "base/json/json_checksum.h"

#include <gmock/gmock.h>

#include "base/sha256.h"

namespace pacbench {
namespace {

const Json kDocument{{"b", {1, 2.5e-7, "x"}}, {"a", nullptr}};

TEST(JsonChecksum, IsOfAllElseAsOneLineWithItsKeysInOrder) {
  EXPECT_EQ(with_checksum(kDocument).at("sha256"), sha256(R"({"a":null,"b":[1,2.5e-07,"x"]})"));
  EXPECT_EQ(with_checksum(with_checksum(kDocument)), with_checksum(kDocument));
}

TEST(JsonChecksum, TellsOfAnythingThatIsOther) {
  const auto document = with_checksum(kDocument);
  EXPECT_FALSE(checksum_issue(parse_json("file", json_text(document, 2))));
  auto value = document;
  value["b"][1] = 2.6e-7;
  auto gone = document;
  gone.erase("a");
  auto more = document;
  more["c"] = 0;
  auto wrong = document;
  wrong["sha256"] = nullptr;
  for (const auto& changed : {value, gone, more, wrong}) {
    ASSERT_TRUE(checksum_issue(changed)) << changed;
    EXPECT_EQ(checksum_issue(changed)->pointer, "/sha256");
  }
}

}  // namespace
}  // namespace pacbench
