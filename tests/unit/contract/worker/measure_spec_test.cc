#include "contract/worker/measure_spec.h"

#include <gmock/gmock.h>

#include "tests/unit/contract/refusals.h"

namespace pacbench {
namespace {

TEST(MeasureSpec, SurvivesTheWayThroughJson) {
  MeasureSpec spec;
  spec.rank = 3;
  spec.workers = 8;
  spec.interface = "eth1";
  spec.timeout_s = 12.5;
  spec.all_reduces = {{4096, 11}, {1 << 20, 9}};
  spec.ordinary_rounds = 7;
  const auto document = to_json(spec);
  EXPECT_EQ(document.at("role"), MeasureSpec::kRole);
  EXPECT_EQ(to_json(measure_spec_from_json(document)), document);
}

TEST(MeasureSpec, OfAnotherVersionOrWithoutAFieldIsRefusedByItsName) {
  auto document = to_json(MeasureSpec{});
  document.erase("all_reduces");
  EXPECT_THAT(testing::refusal_words([&] { measure_spec_from_json(document); }),
              ::testing::HasSubstr("all_reduces"));
  document = to_json(MeasureSpec{});
  document["version"] = 2;
  EXPECT_THROW(measure_spec_from_json(document), ConfigError);
}

TEST(AllReduceEvent, SurvivesTheWayThroughJson) {
  const AllReduceEvent event{5, kFloorBytes, true, {0.25, 0.5}};
  EXPECT_EQ(to_json(all_reduce_event_from_json(to_json(event))), to_json(event));
}

}  // namespace
}  // namespace pacbench
