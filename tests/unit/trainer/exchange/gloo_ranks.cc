#include "tests/unit/trainer/exchange/gloo_ranks.h"

#include <arpa/inet.h>
#include <sys/socket.h>

#include <cstdlib>
#include <future>

#include "base/check.h"
#include "base/unique_fd.h"

namespace pacbench::trainer::test {

std::vector<StorePtr> tcp_stores(int ranks) {
  UniqueFd listening{check("socket", ::socket(AF_INET, SOCK_STREAM, 0))};
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof place;
  auto* address = reinterpret_cast<sockaddr*>(&place);
  check("bind", ::bind(listening.get(), address, size));
  check("listen", ::listen(listening.get(), 64));
  check("getsockname", ::getsockname(listening.get(), address, &size));
  const StoreAddress server{"127.0.0.1", ntohs(place.sin_port)};
  const int fd = listening.release();  // the server closes it
  std::vector<std::future<StorePtr>> joining;
  for (int rank = 0; rank < ranks; ++rank) {
    joining.push_back(std::async(std::launch::async, [=] {
      return store_at(server, rank, ranks, fd, std::chrono::seconds{20});
    }));
  }
  std::vector<StorePtr> stores;
  for (auto& store : joining) stores.push_back(store.get());
  return stores;
}

GlooRanks::GlooRanks(int size, std::chrono::seconds timeout) {
  std::vector<StorePtr> stores;
  for (int rank = 0; rank < size; ++rank) {
    stores.push_back(store_in_file(folder_.path() + "/rendezvous", size, timeout));
  }
  join(stores, timeout);
}

GlooRanks::GlooRanks(const std::vector<StorePtr>& stores, std::chrono::seconds timeout) {
  join(stores, timeout);
}

void GlooRanks::join(const std::vector<StorePtr>& stores, std::chrono::seconds timeout) {
  // torch has one flight recorder in a process, which looks up groups without a lock. With several
  // ranks in one process it may crash (c10d/FlightRecorderDetail.hpp). torch reads this variable at
  // the first call.
  ::setenv("TORCH_FR_BUFFER_SIZE", "0", 1);
  std::vector<std::future<std::shared_ptr<Backend>>> joining;
  const auto size = static_cast<int>(stores.size());
  for (int rank = 0; rank < size; ++rank) {
    joining.push_back(std::async(std::launch::async, [&, rank] {
      return join_gloo_group({stores[static_cast<std::size_t>(rank)], rank, size, timeout}, "lo");
    }));
  }
  for (auto& rank : joining) backends_.push_back(rank.get());
}

}  // namespace pacbench::trainer::test
