#include "netem/kernel/packet_steering.h"

#include <gtest/gtest.h>

namespace pacbench::netem {
namespace {

TEST(SetOfCpus, HasThoseOfTheListWhateverTheirNumbers) {
  EXPECT_EQ(set_of_cpus("0-1"), "3");
  EXPECT_EQ(set_of_cpus("0,2-3"), "d");
  EXPECT_EQ(set_of_cpus("1,3,5,7"), "aa");
}

TEST(SetOfCpus, IsWrittenInWordsOf32) {
  EXPECT_EQ(set_of_cpus("0-31"), "ffffffff");
  EXPECT_EQ(set_of_cpus("0-32"), "1,ffffffff");
  EXPECT_EQ(set_of_cpus("0,36-67"), "f,fffffff0,00000001");
}

}  // namespace
}  // namespace pacbench::netem
