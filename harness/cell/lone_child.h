#pragma once

#include <utility>

#include "base/readable.h"
#include "base/subprocess.h"
#include "harness/links/worker_host.h"

namespace pacbench::cell {

/// The one program of a cell that needs no links: a child of this process.
class LoneChild : public links::WorkerHost {
 public:
  explicit LoneChild(ChildProcess child) : child_{std::move(child)}, pid_{child_.pid()} {}

  int fd() const override { return child_.running() ? child_.pidfd() : -1; }
  int pid() const override { return pid_; }
  void signal(int, int number) override {
    if (child_.running()) child_.signal(number);
  }

  std::vector<netd::ExitedEvent> take_exited() override {
    if (!child_.running() || !readable(child_.pidfd(), 0)) return {};
    const auto status = child_.wait();
    return {{0, 0, status.code, status.signal}};
  }

 private:
  ChildProcess child_;
  int pid_;
};

}  // namespace pacbench::cell
