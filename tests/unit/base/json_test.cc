#include "base/json/json.h"

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <vector>

#include "base/json/checked_keys.h"

namespace pacbench {
namespace {

struct Counted {
  std::int64_t bytes = 0;
  std::optional<int> rank;
  std::vector<std::int64_t> elements;
};

}  // namespace

template <>
struct JsonFields<Counted> {
  static constexpr std::tuple kAll{required("bytes", &Counted::bytes),
                                   required("rank", &Counted::rank),
                                   required("elements", &Counted::elements)};
};

namespace {

TEST(JsonInteger, IsReadUpToSizesWhoseDifferenceFits) {
  constexpr std::int64_t kMost = (std::int64_t{1} << 62) - 1;
  for (const auto number : {std::int64_t{0}, -kMost, kMost}) {
    EXPECT_EQ(Json(number).get<std::int64_t>(), number);
  }
  for (const Json& wrong : {Json(kMost + 1), Json(-kMost - 1), Json(1e24), Json(1.0), Json(true),
                            Json(std::numeric_limits<std::uint64_t>::max()), Json("7"), Json()}) {
    EXPECT_THROW(wrong.get<std::int64_t>(), Json::exception) << wrong;
    EXPECT_THROW((Json{{"key", wrong}}.value("key", std::int64_t{0})), Json::exception) << wrong;
    EXPECT_THROW((Json{0, wrong}.get<std::vector<std::int64_t>>()), Json::exception) << wrong;
  }
}

TEST(JsonInteger, IsNotCutToTheBitsOfASmallerType) {
  EXPECT_EQ(Json(65535).get<std::uint16_t>(), 65535);
  EXPECT_EQ(Json(-32768).get<std::int16_t>(), -32768);
  EXPECT_THROW(Json(65536).get<std::uint16_t>(), Json::exception);
  EXPECT_THROW(Json(-1).get<std::uint64_t>(), Json::exception);
  EXPECT_THROW(Json(std::int64_t{1} << 32).get<int>(), Json::exception);
}

TEST(JsonInteger, IsWhatFieldsOfIntegersTake) {
  const Json document{{"bytes", 7}, {"rank", nullptr}, {"elements", {1, 2}}};
  const auto counted = document.get<Counted>();
  EXPECT_EQ(counted.bytes, 7);
  EXPECT_EQ(counted.rank, std::nullopt);
  EXPECT_EQ(counted.elements, (std::vector<std::int64_t>{1, 2}));
  for (const auto& [key, wrong] :
       {std::pair{"bytes", Json(1e24)}, std::pair{"rank", Json(0.5)},
        std::pair{"elements", Json{1, 1e24}}, std::pair{"elements", Json(3)}}) {
    auto changed = document;
    changed[key] = wrong;
    EXPECT_THROW(changed.get<Counted>(), Json::exception) << changed;
  }
}

}  // namespace
}  // namespace pacbench
