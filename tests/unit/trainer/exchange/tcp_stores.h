#pragma once

#include <vector>

#include "base/unique_fd.h"
#include "trainer/collectives/store.h"

namespace pacbench::trainer::test {

/// One store for each rank. The ranks meet over TCP on this host, as if each were a process of its
/// own.
class TcpStores {
 public:
  explicit TcpStores(int ranks);

  StorePtr of(int rank) const { return stores_[static_cast<std::size_t>(rank)]; }

 private:
  std::vector<StorePtr> stores_;
};

/// A socket that listens on the loopback, and its port.
struct ListeningSocket {
  UniqueFd fd;
  std::uint16_t port = 0;

  static ListeningSocket create();
};

}  // namespace pacbench::trainer::test
