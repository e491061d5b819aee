#include "probe/stamped_reader.h"

#include <sys/socket.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "base/check.h"
#include "base/clock.h"

namespace pacbench::probe {
namespace {

std::int64_t to_ns(const timespec& time) { return time.tv_sec * 1'000'000'000 + time.tv_nsec; }

}  // namespace

std::int64_t DayClock::monotonic_of(const timespec& stamp) {
  timespec now{};
  const auto before_ns = monotonic_ns();
  check("clock_gettime", ::clock_gettime(CLOCK_REALTIME, &now));
  const auto after_ns = monotonic_ns();
  least_offset_ns_ = std::max(least_offset_ns_, before_ns - to_ns(now));
  most_offset_ns_ = std::min(most_offset_ns_, after_ns - to_ns(now));
  if (least_offset_ns_ > most_offset_ns_) {  // somebody set the time of day
    least_offset_ns_ = before_ns - to_ns(now);
    most_offset_ns_ = after_ns - to_ns(now);
  }
  return to_ns(stamp) + most_offset_ns_;
}

void stamp_arrivals(int socket) {
  const int on = 1;
  check("SO_TIMESTAMPNS", ::setsockopt(socket, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on));
}

std::optional<std::int64_t> stamp_of(msghdr& message, DayClock& clock) {
  for (auto* about = CMSG_FIRSTHDR(&message); about != nullptr;
       about = CMSG_NXTHDR(&message, about)) {
    if (about->cmsg_level != SOL_SOCKET || about->cmsg_type != SCM_TIMESTAMPNS) continue;
    timespec stamp{};
    std::memcpy(&stamp, CMSG_DATA(about), sizeof stamp);
    return clock.monotonic_of(stamp);
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
  if (const auto at_ns = stamp_of(message, clock_)) last_ns_ = *at_ns;
  return static_cast<std::size_t>(count);
}

}  // namespace pacbench::probe
