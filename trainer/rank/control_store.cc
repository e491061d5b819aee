#include "trainer/rank/control_store.h"

#include <fmt/format.h>

#include <chrono>
#include <stdexcept>
#include <thread>

namespace pacbench::trainer {
namespace {

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

}  // namespace

ControlStore::ControlStore(StorePtr store, int rank, int ranks)
    : store_{std::move(store)}, rank_{rank}, ranks_{ranks} {}

ControlStore::~ControlStore() {
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

void ControlStore::barrier(const std::function<void()>& still_waiting) {
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

void ControlStore::set_hash(std::uint64_t hash) { put(*store_, hash_key(rank_), hash); }

int ControlStore::first_different_hash() {
  const auto first = number(*store_, hash_key(0));
  for (int rank = 1; rank < ranks_; ++rank) {
    if (number(*store_, hash_key(rank)) != first) return rank;
  }
  return -1;
}

void ControlStore::set_word(std::uint64_t word) { put(*store_, "word", word); }

std::uint64_t ControlStore::word() { return number(*store_, "word"); }

}  // namespace pacbench::trainer
