#include "simulate/ranks/executor.h"

#include <gmock/gmock.h>

#include "tests/unit/simulate/plain_network.h"

namespace pacbench::simulate {
namespace {

TEST(Executor, WorksOnOneThingAfterAnother) {
  PlainNetwork network;
  Executor executor{network};
  std::vector<double> ends;
  executor.post(2, [&] { ends.push_back(network.now_s()); });
  executor.post(3, [&] { ends.push_back(network.now_s()); });
  network.run();
  EXPECT_THAT(ends, ::testing::ElementsAre(2, 5));
}

TEST(Executor, ContinuesAnExchangeBeforeItBeginsOne) {
  PlainNetwork network;
  Executor executor{network};
  std::string order;
  executor.post(1, [&] { order += "a"; });
  executor.post(1, [&] { order += "b"; });
  executor.post_ahead(1, [&] { order += "c"; });
  network.run();
  EXPECT_EQ(order, "acb");
}

TEST(Executor, DoesWhatTakesNoTimeInOrderToo) {
  PlainNetwork network;
  Executor executor{network};
  std::string order;
  executor.post(0, [&] {
    executor.post_ahead(0, [&] { order += "b"; });
    order += "a";
  });
  EXPECT_EQ(order, "ab");
}

}  // namespace
}  // namespace pacbench::simulate
