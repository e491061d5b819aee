#include "trainer/rank/control_page.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "base/check.h"
#include "base/unique_fd.h"

namespace pacbench::trainer::control_page_test {
namespace {

constexpr int kThreads = 4;

class ControlPageTest : public ::testing::Test {
 protected:
  ControlPageTest() : fd{check("memfd_create", ::memfd_create("page", 0))} {
    check("ftruncate", ::ftruncate(fd.get(), 4 * 4096));
    for (int rank = 0; rank < kThreads; ++rank) {
      pages.push_back(std::make_unique<ControlPage>(fd.get(), rank, kThreads));
    }
  }

  UniqueFd fd;
  std::vector<std::unique_ptr<ControlPage>> pages;
};

const auto kNothing = [] {};

TEST_F(ControlPageTest, NobodyPassesABarrierBeforeAllHaveCome) {
  std::atomic<int> arrived = 0;
  std::atomic<bool> early = false;
  std::vector<std::jthread> ranks;
  for (auto& page : pages) {
    ranks.emplace_back([&] {
      for (int round = 1; round <= 200; ++round) {
        ++arrived;
        page->barrier(kNothing);
        if (arrived < kThreads * round) early = true;
        page->barrier(kNothing);
      }
    });
  }
  ranks.clear();
  EXPECT_FALSE(early);
  EXPECT_EQ(arrived, kThreads * 200);
}

TEST_F(ControlPageTest, NamesTheFirstRankWhoseWeightsDiffer) {
  for (auto& page : pages) page->set_hash(7);
  EXPECT_EQ(pages[3]->first_different_hash(), -1);
  pages[2]->set_hash(8);
  EXPECT_EQ(pages[1]->first_different_hash(), 2);
}

TEST_F(ControlPageTest, CarriesAWordToAll) {
  pages[0]->set_word(1);
  EXPECT_EQ(pages[3]->word(), 1U);
}

}  // namespace
}  // namespace pacbench::trainer::control_page_test
