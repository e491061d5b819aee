#include "harness/path/resolve.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>

#include <memory>

#include "base/errors.h"

namespace pacbench::path {

std::string ipv4_of(const std::string& host) {
  addrinfo hints{};
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(host.c_str(), nullptr, &hints, &found); error != 0) {
    throw ConfigError{
        "HOST",
        {{"", fmt::format("found \"{}\" ({}), expected a name or an address of IPv4, such as "
                          "192.0.2.7",
                          host, ::gai_strerror(error))}}};
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner{found, ::freeaddrinfo};
  char text[INET_ADDRSTRLEN]{};
  const auto* address = reinterpret_cast<const sockaddr_in*>(found->ai_addr);
  ::inet_ntop(AF_INET, &address->sin_addr, text, sizeof text);
  return text;
}

}  // namespace pacbench::path
