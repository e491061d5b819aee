#pragma once

#include <coroutine>
#include <cstdint>
#include <string>
#include <utility>

#include "contract/catalogue/method_exchanges.h"

namespace pacbench::simulate {

/// One thing that a rank asks of its connections in a collective. Sends and receives start and run
/// in the background. A wait lasts until any one send (or receive) has ended that no earlier wait
/// has counted.
struct Operation {
  enum class Kind { kSend, kReceive, kAwaitSent, kAwaitReceived };

  Kind kind = Kind::kSend;
  int peer = 0;            ///< place in the group
  std::int64_t bytes = 0;  ///< payload
};

/// The operations of one rank in one collective, made one by one: a ring of 1,024 ranks has
/// thousands. A function that returns these is a coroutine and yields them.
class Operations {
 public:
  // The C++ standard prescribes these names.
  struct promise_type {  // NOLINT(readability-identifier-naming)
    Operation current;

    Operations get_return_object() {
      return Operations{std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(Operation operation) noexcept {
      current = operation;
      return {};
    }
    void return_void() noexcept {}
    void unhandled_exception() { throw; }
  };

  Operations(Operations&& other) noexcept : coroutine_{std::exchange(other.coroutine_, {})} {}
  Operations(const Operations&) = delete;
  Operations& operator=(const Operations&) = delete;
  Operations& operator=(Operations&&) = delete;
  ~Operations() {
    if (coroutine_) coroutine_.destroy();
  }

  /// The next operation; null after the last. Throws what the coroutine throws.
  const Operation* next() {
    coroutine_.resume();
    return coroutine_.done() ? nullptr : &coroutine_.promise().current;
  }

 private:
  explicit Operations(std::coroutine_handle<promise_type> coroutine) : coroutine_{coroutine} {}

  std::coroutine_handle<promise_type> coroutine_;
};

/// A recorded collective of a profile.
using Call = MethodExchanges::Step;

/// A rank's place in a group.
struct Place {
  int rank = 0;
  int size = 1;
};

/// Describes how Gloo (gloo/allreduce.cc and so on) runs a collective, message by message, for the
/// rank at `place`. `call` must outlive the Operations. Throws std::invalid_argument for an unknown
/// `call.op`.
Operations operations_of(const Call& call, Place place);

/// Bytes of one element, by the name of its type; 0 for the empty name, which a barrier has. Throws
/// std::invalid_argument for an unknown name.
std::int64_t element_bytes(const std::string& dtype);

}  // namespace pacbench::simulate
