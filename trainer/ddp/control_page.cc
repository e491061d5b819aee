#include "trainer/ddp/control_page.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <thread>

namespace pacbench {

ControlPage::ControlPage(int fd, int rank, int ranks, std::chrono::milliseconds timeout)
    : rank_{rank}, ranks_{ranks}, timeout_{timeout} {
  auto* address = ::mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (address == MAP_FAILED) {
    throw std::system_error{errno, std::generic_category(), "map the ranks' control page"};
  }
  page_ = static_cast<Page*>(address);
}

ControlPage::~ControlPage() { ::munmap(page_, sizeof(Page)); }

void ControlPage::barrier() {
  const auto generation = page_->generation.load();
  if (page_->arrived.fetch_add(1) + 1 == static_cast<std::uint32_t>(ranks_)) {
    page_->arrived.store(0);
    page_->generation.fetch_add(1);
    return;
  }
  const auto deadline = std::chrono::steady_clock::now() + timeout_;
  while (page_->generation.load() == generation) {
    if (std::chrono::steady_clock::now() > deadline) {
      throw std::runtime_error{fmt::format("only {} of {} ranks came to a barrier within {} s",
                                           page_->arrived.load(), ranks_,
                                           static_cast<double>(timeout_.count()) / 1000)};
    }
    // Off the clock: half a millisecond of skew against a yield that would steal from rank 0.
    std::this_thread::sleep_for(std::chrono::microseconds{500});
  }
}

void ControlPage::set_hash(std::uint64_t hash) { page_->hashes[rank_].store(hash); }

int ControlPage::first_different_hash() const {
  for (int rank = 1; rank < ranks_; ++rank) {
    if (page_->hashes[rank].load() != page_->hashes[0].load()) return rank;
  }
  return -1;
}

void ControlPage::set_word(std::uint64_t word) { page_->word.store(word); }

std::uint64_t ControlPage::word() const { return page_->word.load(); }

}  // namespace pacbench
