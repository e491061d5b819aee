#pragma once

#include <linux/netlink.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "base/unique_fd.h"

namespace pacbench {

/// An rtnetlink socket. It acts on the network namespace in which it was made, whichever process
/// uses it afterwards; without CAP_NET_ADMIN it can only read.
class RouteSocket {
 public:
  /// Opens a socket in the calling thread's namespace. Throws std::system_error.
  RouteSocket();
  /// Takes over a socket that was opened elsewhere.
  explicit RouteSocket(UniqueFd fd);

  int fd() const { return fd_.get(); }

  /// Asks for all objects of a kind (RTM_GETLINK, RTM_GETQDISC, ...) and shows each answer to
  /// `visit`. `Header` is the kind's fixed header (ifinfomsg, tcmsg, rtmsg), which may filter.
  /// Throws std::system_error with the kernel's reason.
  template <typename Header>
  void dump(std::uint16_t type, const Header& header, const std::function<void(nlmsghdr*)>& visit) {
    request(type, &header, sizeof header);
    collect(visit);
  }

  /// Asks for a change (RTM_NEWTCLASS, ...), a whole message but for its number, and waits until
  /// the kernel has acknowledged it. Throws std::system_error with the kernel's reason.
  void change(nlmsghdr& message);

 private:
  void request(std::uint16_t type, const void* header, std::size_t size);
  void collect(const std::function<void(nlmsghdr*)>& visit);
  bool take(int size, const std::function<void(nlmsghdr*)>& visit);

  UniqueFd fd_;
  std::uint32_t sequence_ = 0;
  std::vector<char> buffer_;
};

}  // namespace pacbench
