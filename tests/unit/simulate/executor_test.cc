#include "simulate/ranks/executor.h"

#include <gmock/gmock.h>

#include "tests/unit/simulate/plain_network.h"

namespace pacbench::simulate {
namespace {

TEST(Executor, ContinuesAnExchangeBeforeItBeginsOne) {
  PlainNetwork network;
  Executor executor{network};
  std::vector<std::pair<char, double>> ends;
  const auto note = [&](char name) {
    return [&, name] { ends.emplace_back(name, network.now_s()); };
  };
  executor.post(2, note('a'));
  executor.post(3, note('b'));
  executor.post_ahead(1, note('c'));
  network.run();
  EXPECT_THAT(
      ends, ::testing::ElementsAre(std::pair{'a', 2.0}, std::pair{'c', 3.0}, std::pair{'b', 6.0}));
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
