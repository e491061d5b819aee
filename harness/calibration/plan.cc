#include "harness/calibration/plan.h"

#include <algorithm>

namespace pacbench::calibration {
namespace {

constexpr std::int64_t kKilo = 1024;
constexpr std::int64_t kMega = 1024 * 1024;
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
  const auto messages = [&](Shaped shaped) {
    for (const auto bytes : message_sizes(shaped, options.quick)) {
      all.push_back({{rate_mbit, Quantity::kMessage, shaped, bytes}, repeat});
    }
  };
  const auto all_reduces = [&] {
    for (const auto bytes : all_reduce_sizes(options.quick)) {
      all.push_back({{rate_mbit, Quantity::kAllReduce, Shaped::kBoth, bytes}, repeat});
    }
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
  all.push_back({{rate_mbit, Quantity::kLatency, Shaped::kBoth, kEmptyMessageBytes}, repeat});
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
