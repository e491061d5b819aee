#include "base/unix_socket.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/check.h"

namespace pacbench {
namespace {

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    throw std::system_error{
        ENAMETOOLONG, std::generic_category(),
        fmt::format("{}: a socket's path has at most {} bytes", path, sizeof address.sun_path - 1)};
  }
  path.copy(address.sun_path, path.size());
  return address;
}

const sockaddr* plain(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

}  // namespace

UniqueFd unix_socket() {
  return UniqueFd{check("socket", ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0))};
}

void bind_to(int socket, const std::string& path) {
  const auto address = address_of(path);
  check(path.c_str(), ::bind(socket, plain(address), sizeof address));
}

UniqueFd connect_to(const std::string& path) {
  const auto address = address_of(path);
  auto socket = unix_socket();
  check(("cannot connect to " + path).c_str(),
        ::connect(socket.get(), plain(address), sizeof address));
  return socket;
}

bool nobody_listens(const std::string& path) {
  try {
    connect_to(path);
  } catch (const std::system_error& error) {
    // Any other error could mean that a listener is only busy, or out of our reach.
    return error.code().value() == ECONNREFUSED;
  }
  return false;
}

}  // namespace pacbench
