#include "harness/calibration/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "base/frames.h"
#include "contract/fabric/fabric_spec.h"

namespace pacbench::calibration {
namespace {

constexpr double kKilobyte = 1024;
constexpr std::int64_t kSmallestPromised = 64 * 1024;
constexpr std::int64_t kBulkMessage = 256 * 1024;
constexpr std::int64_t kLargestMessage = 4 * 1024 * 1024;
constexpr double kExactUpToMbit = 500;
constexpr std::int64_t kBulkAllReduce = 8 * 1024 * 1024;

struct Words {
  const char* name;
  const char* unit;
  const char* text;
};

/// In the order of the quantities.
constexpr std::array kWords{
    Words{"flow", "Mbit/s", "one flow"},
    Words{"ring", "Mbit/s", "ring, mean flow"},
    Words{"slowest of ring", "Mbit/s", "ring, slowest flow"},
    Words{"incast", "Mbit/s", "incast, all flows"},
    Words{"message", "ms", "message of {}"},
    Words{"latency", "ms", "empty message, until the receiver's kernel has it"},
    Words{"wake-up", "ms", "empty message, from the receiver's kernel to its reader"},
    Words{"all-reduce", "ms", "all-reduce of {}"},
    Words{"rate step", "Mbit/s", "flow after a rate step"},
    Words{"step lateness", "ms", "lateness of a rate step"},
    Words{"floor", "ms", "scheduling floor"},
    Words{"ordinary floor", "ms", "scheduling floor, ordinary class"},
};

const Words& words_of(Quantity quantity) { return kWords.at(static_cast<std::size_t>(quantity)); }

/// A number of bytes in words: "24 bytes", "64 KB" or "1 MB". A KB has 1024 bytes, an MB 1024 KB.
std::string size_text(std::int64_t bytes) {
  const auto size = static_cast<double>(bytes);
  if (size < kKilobyte) return fmt::format("{} bytes", bytes);
  if (size < kKilobyte * kKilobyte) return fmt::format("{:g} KB", size / kKilobyte);
  return fmt::format("{:g} MB", size / kKilobyte / kKilobyte);
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

constexpr std::int64_t kKilo = 1024;
constexpr std::int64_t kMega = 1024 * 1024;
constexpr std::int64_t kEmptyMessageBytes = 24;  // of the test of latency and wake-ups
constexpr int kQuickRepeat = 3;
constexpr double kFlow_s = 1.0;
constexpr double kQuickFlow_s = 0.5;
// Measured times: to make and remove links, to start probes, and to start eight workers.
constexpr double kStartNetwork_s = 0.6;
constexpr double kStartFlow_s = 0.1;
constexpr double kStartWorkers_s = 6;
constexpr double kScheduling_s = 0.025;  // delay of a small all-reduce, at worst

std::vector<std::int64_t> message_sizes(Shaped shaped, bool quick) {
  // With the packets of netd::usual_shaper(), messages of 64, 128 and 256 KB happen to end in a
  // small packet. Up to 300 Mbit/s a message of 70 KB ends in a large one, above that one of 100 KB
  // does.
  std::vector<std::int64_t> sizes{4 * kKilo,   16 * kKilo,  64 * kKilo,  70 * kKilo,
                                  100 * kKilo, 128 * kKilo, 256 * kKilo, kMega};
  if (shaped == Shaped::kBoth && !quick) sizes.push_back(4 * kMega);
  return sizes;
}

std::vector<std::int64_t> all_reduce_sizes(bool quick) {
  std::vector<std::int64_t> sizes{4 * kKilo, 64 * kKilo, 256 * kKilo, kMega, 8 * kMega};
  if (!quick) sizes.push_back(32 * kMega);
  return sizes;
}

}  // namespace

std::string name_of(Quantity quantity) { return words_of(quantity).name; }
std::string unit_of(Quantity quantity) { return words_of(quantity).unit; }

Quantity quantity_of(const std::string& name) {
  for (std::size_t i = 0; i < kWords.size(); ++i) {
    if (kWords[i].name == name) return static_cast<Quantity>(i);
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
    default:
      return std::nullopt;
  }
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

double expected_s(const Test& test, const Network& network) {
  const auto exact = ideal(test.subject, network).value_or(0);
  switch (test.subject.quantity) {
    case Quantity::kMessage:
    case Quantity::kLatency:
      return (test.repeat + kWarmUpMessages) * (exact + kIdle_ms) * 1e-3 + kStartFlow_s;
    case Quantity::kAllReduce:
      return (test.repeat + 1) * (exact * 1e-3 + kScheduling_s);
    case Quantity::kRateStep:
      return (test.repeat + 1) * kStep_s + kStartFlow_s;
    default:
      return test.repeat * (test.flow_s + kStartFlow_s);
  }
}

int Options::repetitions() const { return quick ? std::min(repeat, kQuickRepeat) : repeat; }

std::vector<Test> tests(const Options& options, double rate_mbit) {
  const int repeat = options.repetitions();
  const double flow_s = options.quick ? kQuickFlow_s : kFlow_s;
  std::vector<Test> all;
  const auto flow = [&](Quantity quantity, Shaped shaped) {
    all.push_back({{rate_mbit, quantity, shaped, 0}, repeat, flow_s});
  };
  const auto sizes = [&](Quantity quantity, Shaped shaped, const std::vector<std::int64_t>& each) {
    for (const auto bytes : each) all.push_back({{rate_mbit, quantity, shaped, bytes}, repeat});
  };
  const auto messages = [&](Shaped shaped) {
    sizes(Quantity::kMessage, shaped, message_sizes(shaped, options.quick));
  };
  const auto all_reduces = [&] {
    sizes(Quantity::kAllReduce, Shaped::kBoth, all_reduce_sizes(options.quick));
  };
  if (options.network.topology != "star") {
    // A chain has no other tests: its first two workers share a switch, and its shaped links,
    // between switches, are no worker's own.
    all_reduces();
    return all;
  }
  flow(Quantity::kFlow, Shaped::kBoth);
  flow(Quantity::kRing, Shaped::kBoth);
  flow(Quantity::kIncast, Shaped::kBoth);
  sizes(Quantity::kLatency, Shaped::kBoth, {kEmptyMessageBytes});
  messages(Shaped::kBoth);
  flow(Quantity::kRateStep, Shaped::kBoth);
  if (options.all_reduce) all_reduces();
  for (const auto shaped : {Shaped::kUp, Shaped::kDown}) {
    if (!options.directions) break;
    flow(Quantity::kFlow, shaped);
    if (!options.quick) messages(shaped);
  }
  return all;
}

double expected_s(const Options& options) {
  double total_s = 0;
  for (const auto rate_mbit : options.rates_mbit) {
    total_s += kStartNetwork_s * (options.directions ? 3 : 1);
    if (options.all_reduce) total_s += kStartWorkers_s;
    for (const auto& test : tests(options, rate_mbit / options.network.time_dilation)) {
      total_s += expected_s(test, options.network);
    }
  }
  return total_s;
}

}  // namespace pacbench::calibration
