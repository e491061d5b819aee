#include "base/json/message_socket.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/socket.h>

#include <array>
#include <cstring>
#include <optional>
#include <system_error>

#include "base/check.h"

namespace pacbench {
namespace {

/// The time that is left for a message.
class Deadline {
 public:
  Deadline(int socket, int option, const std::optional<std::chrono::milliseconds>& most)
      : socket_{socket}, option_{option} {
    if (most) end_ = Clock::now() + *most;
  }

  /// Limits the next call on the socket to the time left. Call this before each call that may wait.
  /// Throws std::system_error with EAGAIN when no time is left.
  void limit_next() const {
    if (!end_) return;
    const auto left = std::chrono::duration_cast<std::chrono::microseconds>(*end_ - Clock::now());
    if (left.count() <= 0) {
      throw std::system_error{EAGAIN, std::generic_category(),
                              "the other end took too long to send or take a whole message"};
    }
    constexpr std::int64_t kMicroseconds = 1'000'000;
    const timeval limit{left.count() / kMicroseconds, left.count() % kMicroseconds};
    check("setsockopt", ::setsockopt(socket_, SOL_SOCKET, option_, &limit, sizeof limit));
  }

 private:
  using Clock = std::chrono::steady_clock;

  int socket_;
  int option_;
  std::optional<Clock::time_point> end_;
};

constexpr std::size_t kControlBytes = CMSG_SPACE(sizeof(int) * MessageSocket::kMaxFds);

/// Receives up to `size` bytes and returns how many, 0 at the end of the stream. Adds any
/// descriptors that come with them to `fds`.
std::size_t receive_some(int socket, char* data, std::size_t size, std::vector<UniqueFd>& fds) {
  alignas(cmsghdr) std::array<char, kControlBytes> control{};
  iovec part{data, size};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  ssize_t count = 0;
  do {
    count = ::recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
  } while (count < 0 && errno == EINTR);
  if (count < 0 && errno == ECONNRESET) return 0;
  check("recvmsg", count);
  for (auto* c = CMSG_FIRSTHDR(&header); c != nullptr; c = CMSG_NXTHDR(&header, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
    for (std::size_t offset = 0; CMSG_LEN(offset + sizeof(int)) <= c->cmsg_len;
         offset += sizeof(int)) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(c) + offset, sizeof fd);
      fds.emplace_back(fd);
    }
  }
  // A peer may spread the descriptors over many parts of a message.
  if ((header.msg_flags & MSG_CTRUNC) != 0 || fds.size() > MessageSocket::kMaxFds)
    throw ProtocolError{"too many descriptors in one message"};
  return static_cast<std::size_t>(count);
}

/// Receives exactly `size` bytes. Returns false when the stream ended before the first byte; a
/// stream that ends later is an error.
bool receive_all(int socket, char* data, std::size_t size, std::vector<UniqueFd>& fds,
                 const Deadline& deadline) {
  std::size_t received = 0;
  while (received < size) {
    deadline.limit_next();
    const auto count = receive_some(socket, data + received, size - received, fds);
    if (count == 0 && received == 0) return false;
    if (count == 0)
      throw ProtocolError{"the other end closed the connection in the middle of a message"};
    received += count;
  }
  return true;
}

void attach(msghdr& header, std::array<char, kControlBytes>& control, const std::vector<int>& fds) {
  if (fds.empty()) return;
  if (fds.size() > MessageSocket::kMaxFds)
    throw ProtocolError{"too many descriptors in one message"};
  header.msg_control = control.data();
  header.msg_controllen = CMSG_SPACE(sizeof(int) * fds.size());
  auto* c = CMSG_FIRSTHDR(&header);
  c->cmsg_level = SOL_SOCKET;
  c->cmsg_type = SCM_RIGHTS;
  c->cmsg_len = CMSG_LEN(sizeof(int) * fds.size());
  std::memcpy(CMSG_DATA(c), fds.data(), sizeof(int) * fds.size());
}

}  // namespace

std::pair<UniqueFd, UniqueFd> socket_pair() {
  int ends[2];
  check("socketpair", ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends));
  return {UniqueFd{ends[0]}, UniqueFd{ends[1]}};
}

void MessageSocket::send(const Json& body, const std::vector<int>& fds) {
  const auto text = json_text(body);
  if (text.size() > kMaxBytes) {
    throw ProtocolError{
        fmt::format("found a message of {} bytes, expected at most {}", text.size(), kMaxBytes)};
  }
  const std::uint32_t length = htonl(static_cast<std::uint32_t>(text.size()));
  std::string frame(reinterpret_cast<const char*>(&length), sizeof length);
  frame += text;
  const Deadline deadline{fd(), SO_SNDTIMEO, most_};
  std::size_t sent = 0;
  while (sent < frame.size()) {
    deadline.limit_next();
    alignas(cmsghdr) std::array<char, kControlBytes> control{};
    iovec part{frame.data() + sent, frame.size() - sent};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    if (sent == 0) attach(header, control, fds);
    const auto count = ::sendmsg(socket_.get(), &header, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    sent += static_cast<std::size_t>(check("sendmsg", count));
  }
}

std::optional<Message> MessageSocket::receive() {
  const Deadline deadline{fd(), SO_RCVTIMEO, most_};
  Message message;
  std::uint32_t length = 0;
  if (!receive_all(socket_.get(), reinterpret_cast<char*>(&length), sizeof length, message.fds,
                   deadline)) {
    return std::nullopt;
  }
  length = ntohl(length);
  if (length > kMaxBytes) {
    throw ProtocolError{
        fmt::format("found a message of {} bytes, expected at most {}", length, kMaxBytes)};
  }
  std::string text(length, '\0');
  if (length > 0 && !receive_all(socket_.get(), text.data(), length, message.fds, deadline)) {
    throw ProtocolError{"the other end closed the connection in the middle of a message"};
  }
  try {
    message.body = parse_json("message", text);
  } catch (const ConfigError& error) {
    throw ProtocolError{error.what()};
  }
  return message;
}

}  // namespace pacbench
