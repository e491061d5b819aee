// The method that is expected to take least time for each layer, from made-up costs.
#include "harness/costs/layer_costs.h"

#include <gmock/gmock.h>

namespace pacbench::costs {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::vector<LayerCosts::Layer> kLayers{{"fc1", 1000}, {"fc2", 10}};

/// A link on which method "bytes" is faster for the layer with many elements, "messages" for the
/// other.
LayerCosts::Link few_bytes_or_few_messages() {
  return {"slow",
          {{"bytes", "", {{400, 0.004}, {40, 0.003}}},
           {"none", "sends as much as the gradients tell", {}},
           {"messages", "", {{4000, 0.020}, {80, 0.001}}}}};
}

TEST(FastestByLayer, IsTheMethodOfTheLeastKnownTimeAndTheFirstOfEqualOnes) {
  auto link = few_bytes_or_few_messages();
  EXPECT_THAT(fastest_by_layer(link), ElementsAre(0, 2));
  std::swap(link.methods[0], link.methods[1]);
  link.methods[2].layers = link.methods[1].layers;
  EXPECT_THAT(fastest_by_layer(link), ElementsAre(1, 1));
}

TEST(FastestByLayer, IsNothingWhereNoCostsAreKnown) {
  const LayerCosts::Link link{"slow", {{"none", "sends as much as the gradients tell", {}}}};
  EXPECT_THAT(fastest_by_layer(link), IsEmpty());
  EXPECT_THAT(costs_table(kLayers, link).rows, IsEmpty());
}

TEST(CostsTable, HasARowForEachLayerAndTheirSum) {
  const auto table = costs_table(kLayers, few_bytes_or_few_messages());
  ASSERT_EQ(table.columns.size(), 9U) << "of two methods";
  EXPECT_EQ(table.columns[7].group, "messages");
  EXPECT_THAT(
      table.rows,
      ElementsAre(ElementsAre("fc1", "1000", "bytes", "400", "4.00", "400", "4.00", "4000", "20.0"),
                  ElementsAre("fc2", "10", "messages", "80", "1.00", "40", "3.00", "80", "1.00"),
                  ElementsAre("all", "1010", "fastest of each layer", "480", "5.00", "440", "7.00",
                              "4080", "21.0")));
}

}  // namespace
}  // namespace pacbench::costs
