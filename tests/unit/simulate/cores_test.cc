#include "simulate/network/cores.h"

#include <gmock/gmock.h>

#include "tests/unit/simulate/plain_network.h"

namespace pacbench::simulate {
namespace {

std::vector<double> ends_of_three_works(int cores) {
  PlainNetwork network;
  Cores shared{network, cores};
  std::vector<double> ends;
  for (int i = 0; i < 3; ++i) {
    shared.work(1, [&] { ends.push_back(network.now_s()); });
  }
  network.run();
  return ends;
}

TEST(Cores, MakeWorkWaitForOneOfThem) {
  EXPECT_THAT(ends_of_three_works(1), ::testing::ElementsAre(1, 2, 3));
  EXPECT_THAT(ends_of_three_works(2), ::testing::ElementsAre(1, 1, 2));
  EXPECT_THAT(ends_of_three_works(0), ::testing::ElementsAre(1, 1, 1)) << "each has its own";
}

}  // namespace
}  // namespace pacbench::simulate
