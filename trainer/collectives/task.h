#pragma once

#include <coroutine>
#include <exception>
#include <functional>
#include <optional>
#include <utility>

namespace pacbench::trainer {

template <typename T = void>
class Task;

namespace task_detail {

/// The part that promises of all result types share: the waiting coroutine, and how the task
/// failed.
class PromiseBase {
 public:
  std::suspend_always initial_suspend() noexcept { return {}; }

  struct ResumeWaiting {
    bool await_ready() const noexcept { return false; }
    template <typename Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> ended) const noexcept {
      return ended.promise().waiting_ ? ended.promise().waiting_ : std::noop_coroutine();
    }
    void await_resume() const noexcept {}
  };
  ResumeWaiting final_suspend() noexcept { return {}; }

  void unhandled_exception() { failure_ = std::current_exception(); }
  void set_waiting(std::coroutine_handle<> waiting) { waiting_ = waiting; }

 protected:
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::coroutine_handle<> waiting_;
  std::exception_ptr failure_;
};

template <typename T>
class Promise : public PromiseBase {
 public:
  Task<T> get_return_object() {
    return Task<T>{std::coroutine_handle<Promise>::from_promise(*this)};
  }
  void return_value(T value) { value_.emplace(std::move(value)); }
  T take() {
    rethrow();
    return std::move(*value_);
  }

 private:
  std::optional<T> value_;
};

template <>
class Promise<void> : public PromiseBase {
 public:
  Task<void> get_return_object();
  void return_void() {}
  void take() { rethrow(); }
};

}  // namespace task_detail

/// A coroutine that starts when it is awaited and hands its result, or its exception, to the one
/// coroutine that awaits it. Owns the coroutine's frame.
template <typename T>
class [[nodiscard]] Task {
 public:
  using promise_type = task_detail::Promise<T>;

  explicit Task(std::coroutine_handle<promise_type> handle) : handle_{handle} {}
  Task(Task&& other) noexcept : handle_{std::exchange(other.handle_, {})} {}
  Task& operator=(Task&&) = delete;
  ~Task() {
    if (handle_) handle_.destroy();
  }

  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiting) {
    handle_.promise().set_waiting(waiting);
    return handle_;
  }
  T await_resume() { return handle_.promise().take(); }

 private:
  std::coroutine_handle<promise_type> handle_;
};

inline Task<void> task_detail::Promise<void>::get_return_object() {
  return Task<void>{std::coroutine_handle<Promise>::from_promise(*this)};
}

/// A coroutine that nobody awaits and that frees itself; only `start` makes one.
struct Detached {
  struct promise_type {
    Detached get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

/// Runs a task on the calling thread up to its first wait. `ended` is called on the thread on which
/// the task ends, with the task's exception or null.
inline Detached start(Task<> task, std::function<void(std::exception_ptr)> ended) {
  std::exception_ptr failure;
  try {
    co_await task;
  } catch (...) {
    failure = std::current_exception();
  }
  ended(failure);
}

}  // namespace pacbench::trainer
