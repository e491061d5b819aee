#pragma once

#include "base/unique_fd.h"

namespace pacbench::netem {

/// A network namespace held by one descriptor. It has no name on disk, so when the last holder
/// goes the kernel removes it with every link and qdisc inside, even after a crash.
class NetNamespace {
 public:
  class Entered;

  static NetNamespace create();  ///< Needs CAP_SYS_ADMIN. Throws std::system_error.
  static NetNamespace current();

  int fd() const { return fd_.get(); }

  /// Moves the calling thread into this namespace until the returned guard is destroyed. Child
  /// processes that the thread starts meanwhile stay in this namespace.
  [[nodiscard]] Entered enter() const;

 private:
  explicit NetNamespace(UniqueFd fd) : fd_{std::move(fd)} {}

  UniqueFd fd_;
};

/// Throws std::runtime_error when the calling thread is in the machine's own network namespace, or
/// in that of the process that it sees as /proc/1. Links are made in neither.
void refuse_initial_namespace();

class NetNamespace::Entered {
 public:
  explicit Entered(const NetNamespace& target);
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;
  ~Entered();

 private:
  NetNamespace home_ = current();
};

}  // namespace pacbench::netem
