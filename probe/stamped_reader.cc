#include "probe/stamped_reader.h"

#include <sys/socket.h>
#include <time.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "base/check.h"
#include "base/clock.h"

namespace pacbench::probe {
namespace {

std::int64_t to_ns(const timespec& time) { return time.tv_sec * 1'000'000'000 + time.tv_nsec; }

/// Converts the kernel's stamp, which is a time of day, to CLOCK_MONOTONIC. Both clocks are read
/// again when this program was held up between them; the pair that was read fastest counts.
std::int64_t monotonic_of(const timespec& stamp) {
  constexpr std::int64_t kNearNs = 50'000;
  constexpr int kMostReadings = 10;
  std::int64_t least_gap_ns = std::numeric_limits<std::int64_t>::max();
  std::int64_t monotonic_less_day_ns = 0;
  for (int reading = 0; reading < kMostReadings && least_gap_ns >= kNearNs; ++reading) {
    timespec now{};
    const auto before_ns = monotonic_ns();
    check("clock_gettime", ::clock_gettime(CLOCK_REALTIME, &now));
    const auto gap_ns = monotonic_ns() - before_ns;
    if (gap_ns >= least_gap_ns) continue;
    least_gap_ns = gap_ns;
    monotonic_less_day_ns = before_ns - to_ns(now);
  }
  return to_ns(stamp) + monotonic_less_day_ns;
}

}  // namespace

void stamp_arrivals(int socket) {
  const int on = 1;
  check("SO_TIMESTAMPNS", ::setsockopt(socket, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on));
}

std::optional<std::int64_t> stamp_of(msghdr& message) {
  for (auto* about = CMSG_FIRSTHDR(&message); about != nullptr;
       about = CMSG_NXTHDR(&message, about)) {
    if (about->cmsg_level != SOL_SOCKET || about->cmsg_type != SCM_TIMESTAMPNS) continue;
    timespec stamp{};
    std::memcpy(&stamp, CMSG_DATA(about), sizeof stamp);
    return monotonic_of(stamp);
  }
  return std::nullopt;
}

StampedReader::StampedReader(int socket) : socket_{socket} { stamp_arrivals(socket); }

bool StampedReader::read(void* data, std::size_t bytes) {
  auto* next = static_cast<char*>(data);
  for (std::size_t left = bytes; left > 0;) {
    const auto count = take(next, left, To::kMemory);
    if (count == 0 && left == bytes) return false;
    if (count == 0) throw std::runtime_error{"the connection ended in the middle of a message"};
    next += count;
    left -= count;
  }
  return true;
}

void StampedReader::discard(std::size_t bytes) {
  while (bytes > 0) {
    const auto count = take(nullptr, bytes, To::kNowhere);
    if (count == 0) throw std::runtime_error{"the connection ended in the middle of a message"};
    bytes -= count;
  }
}

std::size_t StampedReader::take(void* data, std::size_t bytes, To to) {
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(timespec))];
  iovec part{data, bytes};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t count = 0;
  do {
    count = ::recvmsg(socket_, &message, to == To::kNowhere ? MSG_TRUNC : 0);
  } while (count < 0 && errno == EINTR);
  check("recvmsg", count);
  if (const auto at_ns = stamp_of(message)) last_ns_ = *at_ns;
  return static_cast<std::size_t>(count);
}

}  // namespace pacbench::probe
