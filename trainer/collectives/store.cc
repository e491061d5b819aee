#include "trainer/collectives/store.h"

#include <fmt/format.h>

#include <charconv>
#include <stdexcept>
#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

namespace pacbench::trainer {

StorePtr store_in_file(const std::string& path, int ranks, std::chrono::milliseconds timeout) {
  auto store = c10::make_intrusive<c10d::FileStore>(path, ranks);
  store->setTimeout(timeout);
  return store;
}

StoreAddress StoreAddress::parse(const std::string& text) {
  StoreAddress address;
  const auto colon = text.rfind(':');
  if (colon != std::string::npos) {
    address.host = text.substr(0, colon);
    const auto* end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data() + colon + 1, end, address.port);
    if (error != std::errc{} || stopped != end) address.port = 0;
  }
  if (address.host.empty() || address.port == 0) {
    throw std::invalid_argument{
        fmt::format("the ranks' store: found \"{}\", expected ADDRESS:PORT", text)};
  }
  return address;
}

StorePtr store_at(const StoreAddress& address, int rank, int ranks, int listening_fd,
                  std::chrono::milliseconds timeout) {
  c10d::TCPStoreOptions options;
  options.port = address.port;
  options.isServer = rank == 0;
  options.numWorkers = static_cast<std::size_t>(ranks);
  options.waitWorkers = false;
  options.timeout = timeout;
  if (options.isServer) options.masterListenFd = listening_fd;
  options.useLibUV = false;  // takes torch's older server
  return c10::make_intrusive<c10d::TCPStore>(address.host, options);
}

StorePtr part_of(const StorePtr& store, const std::string& name) {
  return c10::make_intrusive<c10d::PrefixStore>(name, store);
}

}  // namespace pacbench::trainer
