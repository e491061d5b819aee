#include "harness/calibration/subject.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "base/frames.h"
#include "contract/fabric/queue_length.h"

namespace pacbench::calibration {
namespace {

constexpr double kKilobyte = 1024;
constexpr std::int64_t kSmallestPromised = 64 * 1024;
constexpr std::int64_t kBulkMessage = 256 * 1024;
constexpr std::int64_t kLargestMessage = 4 * 1024 * 1024;
constexpr double kExactUpToMbit = 500;
constexpr std::int64_t kBulkAllReduce = 8 * 1024 * 1024;

struct Words {
  Quantity quantity;
  const char* name;
  const char* unit;
  const char* text;
};

constexpr std::array kWords{
    Words{Quantity::kFlow, "flow", "Mbit/s", "one flow"},
    Words{Quantity::kRing, "ring", "Mbit/s", "ring, mean flow"},
    Words{Quantity::kSlowestOfRing, "slowest of ring", "Mbit/s", "ring, slowest flow"},
    Words{Quantity::kIncast, "incast", "Mbit/s", "incast, all flows"},
    Words{Quantity::kMessage, "message", "ms", "message of {}"},
    Words{Quantity::kLatency, "latency", "ms", "empty message, until the receiver's kernel has it"},
    Words{Quantity::kWakeUp, "wake-up", "ms",
          "empty message, from the receiver's kernel to its reader"},
    Words{Quantity::kAllReduce, "all-reduce", "ms", "all-reduce of {}"},
    Words{Quantity::kRateStep, "rate step", "Mbit/s", "flow after a rate step"},
    Words{Quantity::kStepLateness, "step lateness", "ms", "lateness of a rate step"},
    Words{Quantity::kFloor, "floor", "ms", "scheduling floor"},
    Words{Quantity::kOrdinaryFloor, "ordinary floor", "ms", "scheduling floor, ordinary class"},
};

const Words& words_of(Quantity quantity) {
  for (const auto& words : kWords) {
    if (words.quantity == quantity) return words;
  }
  throw std::logic_error{"a quantity without words"};
}

double message_ms(std::int64_t bytes, const Subject& subject, const Network& network) {
  return wire_bytes(bytes, network.mtu) * 8e-3 / subject.rate_mbit;
}

/// The aim for a message. It is widest for 70 to 128 KB, since such a message may end in a packet
/// of the largest size, which HTB passes in no time. The aims for other sizes are wider above 500
/// Mbit/s, where a late timer matters more.
double message_aim(const Subject& subject) {
  const double factor = subject.rate_mbit > kExactUpToMbit ? 5.0 / 3 : 1;
  if (subject.bytes >= kBulkMessage) return 0.03 * factor;
  return subject.bytes == kSmallestPromised ? 0.05 * factor : 0.10;
}

}  // namespace

std::string name_of(Quantity quantity) { return words_of(quantity).name; }
std::string unit_of(Quantity quantity) { return words_of(quantity).unit; }

Quantity quantity_of(const std::string& name) {
  for (const auto& words : kWords) {
    if (words.name == name) return words.quantity;
  }
  throw std::invalid_argument{fmt::format("no quantity is called \"{}\"", name)};
}

std::string name_of(Shaped shaped) {
  return shaped == Shaped::kBoth ? "both" : shaped == Shaped::kUp ? "up" : "down";
}

Shaped shaped_of(const std::string& name) {
  for (const auto shaped : {Shaped::kBoth, Shaped::kUp, Shaped::kDown}) {
    if (name_of(shaped) == name) return shaped;
  }
  throw std::invalid_argument{fmt::format("found shaped \"{}\", expected both, up or down", name)};
}

std::string size_text(std::int64_t bytes) {
  const auto size = static_cast<double>(bytes);
  if (size < kKilobyte) return fmt::format("{} bytes", bytes);
  if (size < kKilobyte * kKilobyte) return fmt::format("{:g} KB", size / kKilobyte);
  return fmt::format("{:g} MB", size / kKilobyte / kKilobyte);
}

std::string describe(const Subject& subject) {
  auto text = fmt::format(fmt::runtime(words_of(subject.quantity).text), size_text(subject.bytes));
  if (subject.shaped != Shaped::kBoth) text += fmt::format(", {} only", name_of(subject.shaped));
  return text;
}

double wire_bytes(std::int64_t payload_bytes, int mtu) {
  const double segments =
      std::ceil(static_cast<double>(payload_bytes) / static_cast<double>(segment_bytes(mtu)));
  return static_cast<double>(payload_bytes) + segments * static_cast<double>(kFrameHeaderBytes);
}

std::optional<double> ideal(const Subject& subject, const Network& network) {
  switch (subject.quantity) {
    case Quantity::kFlow:
    case Quantity::kRing:
    case Quantity::kSlowestOfRing:
    case Quantity::kIncast:
    case Quantity::kRateStep:
      return subject.rate_mbit * payload_share(network.mtu);
    case Quantity::kMessage:
      return message_ms(subject.bytes, subject, network);
    case Quantity::kAllReduce: {
      const auto sent =
          2.0 * (network.workers - 1) / network.workers * static_cast<double>(subject.bytes);
      return message_ms(std::llround(sent), subject, network);
    }
    case Quantity::kLatency:
    case Quantity::kWakeUp:
    case Quantity::kStepLateness:
    case Quantity::kFloor:
    case Quantity::kOrdinaryFloor:
      break;
  }
  return std::nullopt;
}

std::optional<double> least_share(const Subject& subject, const Network& network) {
  if (subject.quantity != Quantity::kMessage) return std::nullopt;
  auto links = netd::star(network.workers, subject.rate_mbit * network.time_dilation);
  links.mtu = network.mtu;
  const auto frames =
      std::max<std::int64_t>(1, netd::largest_packet_bytes(links) / segment_bytes(network.mtu));
  const auto bytes = wire_bytes(subject.bytes, network.mtu);
  const auto last = std::min(bytes, static_cast<double>(frames * frame_bytes(network.mtu)));
  const auto free = last + static_cast<double>(links.shaper.ceil_burst_bytes);
  return std::max(0.0, 1 - free / bytes);
}

std::optional<double> aim(const Subject& subject) {
  switch (subject.quantity) {
    case Quantity::kFlow:
      return 0.015;
    case Quantity::kRing:
    case Quantity::kSlowestOfRing:
      return 0.03;
    case Quantity::kMessage:
      if (subject.bytes < kSmallestPromised || subject.bytes > kLargestMessage) break;
      return message_aim(subject);
    case Quantity::kAllReduce:
      if (subject.bytes < kBulkAllReduce) break;
      return 0.03;
    case Quantity::kStepLateness:
      return 5;
    default:
      break;
  }
  return std::nullopt;
}

}  // namespace pacbench::calibration
