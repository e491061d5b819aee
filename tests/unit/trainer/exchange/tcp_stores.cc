#include "tests/unit/trainer/exchange/tcp_stores.h"

#include <arpa/inet.h>
#include <sys/socket.h>

#include <future>

#include "base/check.h"

namespace pacbench::trainer::test {

ListeningSocket ListeningSocket::create() {
  ListeningSocket listening{UniqueFd{check("socket", ::socket(AF_INET, SOCK_STREAM, 0))}, 0};
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof at;
  auto* address = reinterpret_cast<sockaddr*>(&at);
  check("bind", ::bind(listening.fd.get(), address, size));
  check("listen", ::listen(listening.fd.get(), 64));
  check("getsockname", ::getsockname(listening.fd.get(), address, &size));
  listening.port = ntohs(at.sin_port);
  return listening;
}

TcpStores::TcpStores(int ranks) {
  auto listening = ListeningSocket::create();
  const StoreAddress address{"127.0.0.1", listening.port};
  const int fd = listening.fd.release();  // the server closes it
  std::vector<std::future<StorePtr>> joining;
  for (int rank = 0; rank < ranks; ++rank) {
    joining.push_back(std::async(std::launch::async, [=] {
      return store_at(address, rank, ranks, fd, std::chrono::seconds{20});
    }));
  }
  for (auto& store : joining) stores_.push_back(store.get());
}

}  // namespace pacbench::trainer::test
