#pragma once

#include <linux/netlink.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "base/unique_fd.h"

namespace pacbench {

/// An rtnetlink socket. It acts on the network namespace in which it was made, whichever process
/// uses it afterwards. A process without CAP_NET_ADMIN can only read through it.
class RouteSocket {
 public:
  /// Opens a socket in the calling thread's namespace. Throws std::system_error.
  RouteSocket();
  /// Takes over a socket that was opened elsewhere.
  explicit RouteSocket(UniqueFd fd);

  int fd() const { return fd_.get(); }

  /// Asks for all objects of a kind (RTM_GETLINK, RTM_GETQDISC, ...) and passes each answer to
  /// `visit`. `Header` is the kind's fixed header (ifinfomsg, tcmsg, rtmsg); its fields may narrow
  /// the request. Throws std::system_error with the kernel's reason.
  template <typename Header>
  void dump(std::uint16_t type, const Header& header, const std::function<void(nlmsghdr*)>& visit) {
    request(type, &header, sizeof header);
    collect(visit);
  }

  /// Asks for a change (RTM_NEWTCLASS, ...) and waits until the kernel has acknowledged it.
  /// `message` is complete except for its sequence number and its request flags, which change()
  /// sets. Throws std::system_error with the kernel's reason.
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
