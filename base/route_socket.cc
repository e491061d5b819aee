#include "base/route_socket.h"

#include <netlink/msg.h>
#include <sys/socket.h>

#include <array>
#include <cstring>

#include "base/check.h"

namespace pacbench {
namespace {

// The kernel fills at most 32 KB of answers at a time.
constexpr std::size_t kBufferBytes = 32768;

}  // namespace

RouteSocket::RouteSocket()
    : RouteSocket{UniqueFd{check("socket(NETLINK_ROUTE)",
                                 ::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE))}} {}

RouteSocket::RouteSocket(UniqueFd fd) : fd_{std::move(fd)}, buffer_(kBufferBytes) {}

void RouteSocket::request(std::uint16_t type, const void* header, std::size_t size) {
  nlmsghdr message{};
  message.nlmsg_len = static_cast<std::uint32_t>(NLMSG_LENGTH(size));
  message.nlmsg_type = type;
  message.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  message.nlmsg_seq = ++sequence_;
  std::array<iovec, 2> parts{{{&message, sizeof message}, {const_cast<void*>(header), size}}};
  static_assert(sizeof message % NLMSG_ALIGNTO == 0);
  msghdr envelope{};
  envelope.msg_iov = parts.data();
  envelope.msg_iovlen = parts.size();
  check("rtnetlink request", ::sendmsg(fd_.get(), &envelope, 0));
}

void RouteSocket::change(nlmsghdr& message) {
  message.nlmsg_flags |= NLM_F_REQUEST | NLM_F_ACK;
  message.nlmsg_seq = ++sequence_;
  check("rtnetlink request", ::send(fd_.get(), &message, message.nlmsg_len, 0));
  collect([](nlmsghdr*) {});
}

void RouteSocket::collect(const std::function<void(nlmsghdr*)>& visit) {
  for (;;) {
    const auto size = ::recv(fd_.get(), buffer_.data(), buffer_.size(), MSG_TRUNC);
    if (size < 0 && errno == EINTR) continue;
    check("rtnetlink answer", size);
    if (static_cast<std::size_t>(size) > buffer_.size()) {
      throw std::system_error{EMSGSIZE, std::generic_category(), "rtnetlink answer"};
    }
    if (take(static_cast<int>(size), visit)) return;
  }
}

/// Reads one piece of an answer; returns true when the answer is complete.
bool RouteSocket::take(int size, const std::function<void(nlmsghdr*)>& visit) {
  auto* message = reinterpret_cast<nlmsghdr*>(buffer_.data());
  for (; ::nlmsg_ok(message, size) != 0; message = ::nlmsg_next(message, &size)) {
    // Skips the rest of an answer that an earlier exception cut short.
    if (message->nlmsg_seq != sequence_) continue;
    if (message->nlmsg_type == NLMSG_DONE) return true;
    if (message->nlmsg_type == NLMSG_ERROR) {
      const auto* failure = static_cast<const nlmsgerr*>(::nlmsg_data(message));
      if (failure->error == 0) return true;  // the acknowledgement of a change
      throw std::system_error{-failure->error, std::generic_category(), "rtnetlink request"};
    }
    visit(message);
  }
  return false;
}

}  // namespace pacbench
