#include "probe/taking.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "base/check.h"
#include "base/clock.h"

namespace pacbench::probe {
namespace {

constexpr std::int64_t kSampleNs = 10'000'000;
constexpr std::int64_t kDiscardedPart = 1 << 20;
// TCP still looks for the rate before.
constexpr std::int64_t kSettleNs = 250'000'000;

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
  for (std::size_t done = 0; done < bytes;) {
    auto* next = data == nullptr ? nullptr : static_cast<char*>(data) + done;
    const auto count = read_some(next, bytes - done);
    if (count == 0 && done == 0) return false;
    if (count == 0) throw std::runtime_error{"the connection ended in the middle of a message"};
    done += count;
  }
  return true;
}

std::size_t StampedReader::read_some(void* data, std::size_t bytes) {
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(timespec))];
  iovec part{data, bytes};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t count = 0;
  do {
    count = ::recvmsg(socket_, &message, data == nullptr ? MSG_TRUNC : 0);
  } while (count < 0 && errno == EINTR);
  check("recvmsg", count);
  if (const auto at_ns = stamp_of(message, clock_)) last_ns_ = *at_ns;
  return static_cast<std::size_t>(count);
}

/// The rate that half of the bytes arrived at or faster, in Mbit/s; 0 without arrivals.
double Taken::median_mbit(std::vector<Arrival> arrivals) {
  std::ranges::sort(arrivals, {}, &Arrival::mbit);
  std::int64_t all = 0;
  for (const auto& arrival : arrivals) all += arrival.bytes;
  std::int64_t below = 0;
  for (const auto& arrival : arrivals) {
    below += arrival.bytes;
    if (2 * below >= all) return arrival.mbit;
  }
  return 0;
}

void Taken::add(std::int64_t at_ns, std::int64_t bytes) {
  bytes_ += bytes;
  const auto before_ns = std::exchange(now_ns_, std::max(now_ns_, at_ns));
  if (start_ns_ == 0) start_ns_ = now_ns_;
  if (now_ns_ > before_ns && now_ns_ - start_ns_ > kSettleNs) {
    arrivals_.push_back(
        {static_cast<double>(bytes) * 8e3 / static_cast<double>(now_ns_ - before_ns), bytes});
  }
  if (now_ns_ - sampled_ns_ < kSampleNs) return;
  samples_.push_back({now_ns_, bytes_});
  sampled_ns_ = now_ns_;
}

Json Taken::line() const {
  auto samples = samples_;
  samples.push_back({now_ns_, bytes_});
  return {{"bytes", bytes_},
          {"start_ns", start_ns_},
          {"end_ns", now_ns_},
          {"packet_mbit", median_mbit(arrivals_)},
          {"samples", std::move(samples)}};
}

Json take_flow(int socket, std::int64_t most_bytes) {
  Taken taken;
  StampedReader reader{socket};
  while (taken.bytes() < most_bytes) {
    const auto part = std::min(kDiscardedPart, most_bytes - taken.bytes());
    const auto count = reader.read_some(nullptr, static_cast<std::size_t>(part));
    if (count == 0) break;
    taken.add(reader.last_ns(), static_cast<std::int64_t>(count));
  }
  return taken.line();
}

}  // namespace pacbench::probe
