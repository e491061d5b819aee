#include "trainer/rank/control_page.h"

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <ctime>
#include <system_error>

#include "base/check.h"

namespace pacbench::trainer {
namespace {

using Word = std::atomic<std::uint32_t>;

/// Sleeps in the kernel while `word` holds `value`, for at most 5 s. Returns false when these have
/// passed.
bool wait_while(Word& word, std::uint32_t value) {
  const timespec at_most{5, 0};
  const auto result = ::syscall(SYS_futex, &word, FUTEX_WAIT, value, &at_most, nullptr, 0);
  return result == 0 || errno != ETIMEDOUT;
}

void wake_all(Word& word) { ::syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0); }

}  // namespace

ControlPage::ControlPage(int fd, int rank, int ranks) : rank_{rank}, ranks_{ranks} {
  check("size the ranks' control page", ::ftruncate(fd, sizeof(Page)));
  auto* address = ::mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (address == MAP_FAILED) {
    throw std::system_error{errno, std::generic_category(), "map the ranks' control page"};
  }
  page_ = static_cast<Page*>(address);
}

ControlPage::~ControlPage() { ::munmap(page_, sizeof(Page)); }

void ControlPage::barrier(const std::function<void()>& still_waiting) {
  const auto generation = page_->generation.load();
  if (page_->arrived.fetch_add(1) + 1 == static_cast<std::uint32_t>(ranks_)) {
    page_->arrived.store(0);
    page_->generation.fetch_add(1);
    wake_all(page_->generation);
    return;
  }
  while (page_->generation.load() == generation) {
    if (!wait_while(page_->generation, generation)) still_waiting();
  }
}

void ControlPage::set_hash(std::uint64_t hash) { page_->hashes[rank_].store(hash); }

int ControlPage::first_different_hash() {
  for (int rank = 1; rank < ranks_; ++rank) {
    if (page_->hashes[rank].load() != page_->hashes[0].load()) return rank;
  }
  return -1;
}

void ControlPage::set_word(std::uint64_t word) { page_->word.store(word); }

std::uint64_t ControlPage::word() { return page_->word.load(); }

}  // namespace pacbench::trainer
