#include "trainer/rank/control.h"

#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <ctime>
#include <system_error>
#include <thread>
#include <utility>

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

class ControlPage final : public Control {
 public:
  ControlPage(int fd, int rank, int ranks) : rank_{rank}, ranks_{ranks} {
    check("size the ranks' control page", ::ftruncate(fd, sizeof(Page)));
    auto* address = ::mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (address == MAP_FAILED) {
      throw std::system_error{errno, std::generic_category(), "map the ranks' control page"};
    }
    page_ = static_cast<Page*>(address);
  }
  ~ControlPage() override { ::munmap(page_, sizeof(Page)); }

  void barrier(const std::function<void()>& still_waiting) override {
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

  void set_hash(std::uint64_t hash) override { page_->hashes[rank_].store(hash); }

  int first_different_hash() override {
    for (int rank = 1; rank < ranks_; ++rank) {
      if (page_->hashes[rank].load() != page_->hashes[0].load()) return rank;
    }
    return -1;
  }

  void set_word(std::uint64_t word) override { page_->word.store(word); }
  std::uint64_t word() override { return page_->word.load(); }

 private:
  static constexpr int kMaxRanks = 256;

  struct Page {
    std::atomic<std::uint32_t> arrived;
    std::atomic<std::uint32_t> generation;
    std::atomic<std::uint64_t> word;
    std::atomic<std::uint64_t> hashes[kMaxRanks];
  };
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

  Page* page_;
  int rank_;
  int ranks_;
};

using std::chrono_literals::operator""s;
using std::chrono_literals::operator""ms;

constexpr auto kBetweenSigns = 5s;
constexpr auto kLeavingTime = 10s;

std::string arrived_key(std::uint64_t generation) { return fmt::format("arrived/{}", generation); }
std::string passed_key(std::uint64_t generation) { return fmt::format("passed/{}", generation); }
std::string hash_key(int rank) { return fmt::format("hash/{}", rank); }

void put(c10d::Store& store, const std::string& key, std::uint64_t value) {
  store.set(key, std::to_string(value));
}

std::uint64_t number(c10d::Store& store, const std::string& key) {
  return std::stoull(store.get_to_str(key));
}

/// Waits for the key. Returns whether it came before the next call of still_waiting() is due.
bool comes_soon(c10d::Store& store, const std::string& key) {
  try {
    store.wait({key}, kBetweenSigns);
    return true;
  } catch (const c10::DistStoreError&) {
    return false;
  }
}

class ControlStore final : public Control {
 public:
  ControlStore(StorePtr store, int rank, int ranks)
      : store_{std::move(store)}, rank_{rank}, ranks_{ranks} {}

  ~ControlStore() override {
    try {
      store_->add("left", 1);
      if (rank_ != 0) return;
      const auto until = std::chrono::steady_clock::now() + kLeavingTime;
      while (store_->add("left", 0) < ranks_ && std::chrono::steady_clock::now() < until) {
        std::this_thread::sleep_for(10ms);
      }
    } catch (const std::exception&) {  // the server has gone: nobody is left to wait for
    }
  }

  void barrier(const std::function<void()>& still_waiting) override {
    const auto generation = generation_++;
    if (store_->add(arrived_key(generation), 1) == ranks_) {
      put(*store_, passed_key(generation), 1);
      // All ranks have come to this barrier, so all of them have passed the previous one.
      if (generation > 0) {
        store_->deleteKey(arrived_key(generation - 1));
        store_->deleteKey(passed_key(generation - 1));
      }
      return;
    }
    while (!comes_soon(*store_, passed_key(generation))) still_waiting();
  }

  void set_hash(std::uint64_t hash) override { put(*store_, hash_key(rank_), hash); }

  int first_different_hash() override {
    const auto first = number(*store_, hash_key(0));
    for (int rank = 1; rank < ranks_; ++rank) {
      if (number(*store_, hash_key(rank)) != first) return rank;
    }
    return -1;
  }

  void set_word(std::uint64_t word) override { put(*store_, "word", word); }
  std::uint64_t word() override { return number(*store_, "word"); }

 private:
  StorePtr store_;
  int rank_;
  int ranks_;
  std::uint64_t generation_ = 0;  ///< barriers that this rank has come to
};

}  // namespace

std::unique_ptr<Control> control_in_memory(int fd, int rank, int ranks) {
  return std::make_unique<ControlPage>(fd, rank, ranks);
}

std::unique_ptr<Control> control_in_store(StorePtr store, int rank, int ranks) {
  return std::make_unique<ControlStore>(std::move(store), rank, ranks);
}

}  // namespace pacbench::trainer
