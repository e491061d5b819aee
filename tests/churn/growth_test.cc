#include "tests/churn/growth.h"

#include <gmock/gmock.h>

namespace pacbench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<Holdings> twenty_rounds() {
  std::vector<Holdings> rounds(20);
  for (auto& round : rounds) round = {8, 1, 1, 700, 56'000};
  return rounds;
}

TEST(Growth, IsNothingWhereAllStaysOrOnceWasLarger) {
  auto rounds = twenty_rounds();
  EXPECT_THAT(growth(rounds), IsEmpty());
  rounds.front().kernel_kb = 900'000;
  rounds[18].descriptors = 9;
  EXPECT_THAT(growth(rounds), IsEmpty());
}

TEST(Growth, OfADescriptorARoundIsSeen) {
  auto rounds = twenty_rounds();
  for (int i = 0; auto& round : rounds) round.descriptors += i++;
  EXPECT_THAT(growth(rounds), ElementsAre(HasSubstr("descriptors of the service: 14, then 26")));
}

TEST(Growth, OfTheKernelsMemoryIsSeenBeyondWhatOtherProgramsTake) {
  auto rounds = twenty_rounds();
  for (int i = 0; auto& round : rounds) round.kernel_kb += 1000 * i++;
  EXPECT_THAT(growth(rounds), IsEmpty());
  for (int i = 0; auto& round : rounds) round.kernel_kb += 9000 * i++;
  EXPECT_THAT(growth(rounds), ElementsAre(HasSubstr("kB of the kernel")));
}

TEST(Growth, CannotBeToldFromTwoRounds) {
  EXPECT_THROW(growth(std::vector<Holdings>(2)), std::runtime_error);
}

}  // namespace
}  // namespace pacbench
