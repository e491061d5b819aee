#include "base/unique_fd.h"

#include <fcntl.h>
#include <gtest/gtest.h>

namespace pacbench {
namespace {

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }

UniqueFd open_null() { return UniqueFd{::open("/dev/null", O_RDONLY | O_CLOEXEC)}; }

TEST(UniqueFd, ClosesWhatItOwnsAtTheEndWhichIsNothingOnceItWasMoved) {
  int number = -1;
  {
    auto first = open_null();
    number = first.get();
    const UniqueFd second{std::move(first)};
    EXPECT_FALSE(first);  // NOLINT(bugprone-use-after-move): this state is tested
    EXPECT_EQ(second.get(), number);
    EXPECT_TRUE(is_open(number));
  }
  EXPECT_FALSE(is_open(number));
}

TEST(UniqueFd, AssigningClosesWhatWasThere) {
  auto first = open_null();
  const int number = first.get();
  first = open_null();
  EXPECT_NE(first.get(), number);
  EXPECT_FALSE(is_open(number));
  auto& same = first;
  first = std::move(same);
  EXPECT_TRUE(is_open(first.get())) << "it was assigned to itself";
}

TEST(UniqueFd, ReleasedDescriptorsStayOpen) {
  auto fd = open_null();
  const int number = fd.release();
  fd.reset();
  EXPECT_TRUE(is_open(number));
  ::close(number);
}

}  // namespace
}  // namespace pacbench
