#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "base/files.h"
#include "trainer/collectives/gloo_group.h"

namespace pacbench::trainer::test {

/// One store for each rank. The ranks meet over TCP on this host, as if each were a process of its
/// own.
std::vector<StorePtr> tcp_stores(int ranks);

/// Ranks of this process that meet over loopback. Each rank has its own connections.
class GlooRanks {
 public:
  explicit GlooRanks(int size, std::chrono::seconds timeout = std::chrono::seconds{20});
  /// Lets the ranks meet in these stores.
  explicit GlooRanks(const std::vector<StorePtr>& stores,
                     std::chrono::seconds timeout = std::chrono::seconds{20});

  const std::vector<std::shared_ptr<Backend>>& backends() const { return backends_; }
  const std::shared_ptr<Backend>& backend(int rank) const {
    return backends_[static_cast<std::size_t>(rank)];
  }

 private:
  void join(const std::vector<StorePtr>& stores, std::chrono::seconds timeout);

  TemporaryFolder folder_;
  std::vector<std::shared_ptr<Backend>> backends_;
};

}  // namespace pacbench::trainer::test
