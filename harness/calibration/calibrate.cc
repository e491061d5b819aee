#include "harness/calibration/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/clock.h"
#include "contract/fabric/dilated.h"
#include "contract/network/network.h"
#include "harness/machine/build_info.h"

namespace pacbench::calibration {
namespace {

// A direction that is not limited to the calibrated rate has at least this rate, which is many
// times any rate worth calibrating.
constexpr double kFastMbit = 10'000;

class Run {
 public:
  Run(const Options& options, const Context& context)
      : options_{options}, context_{context}, expected_s_{expected_s(options)} {
    result_.made = utc_now();
    result_.pacbench = fmt::format("{} ({})", version(), git_commit());
    result_.machine = Environment::read();
    result_.network = options.network;
    result_.repeat = options.repetitions();
  }

  /// Runs the tests of one network, all-reduces together at the end.
  void measure(links::Fabric& fabric, const std::vector<Test>& all) {
    links::Probing probing{fabric, context_.programs.probe, context_.interrupt};
    std::vector<Test> all_reduces;
    for (const auto& test : all) {
      if (test.subject.quantity == Quantity::kAllReduce) {
        all_reduces.push_back(test);
        continue;
      }
      announce(test.subject.rate_mbit, describe(test.subject));
      add(run_test(test, options_.network, fabric, probing));
    }
    if (all_reduces.empty()) return;
    announce(all_reduces.front().subject.rate_mbit, "all-reduces");
    const auto timed = time_all_reduces(fabric, options_.network, all_reduces,
                                        context_.programs.worker, context_.interrupt);
    result_.real_time = timed.real_time;
    add(timed.rows);
  }

  Calibration& result() { return result_; }

 private:
  void announce(double rate_mbit, const std::string& what) {
    const auto gone_s = seconds(monotonic_ns() - start_ns_);
    context_.on_progress(fmt::format("{:g} Mbit/s: {}", rate_mbit, what),
                         std::min(1.0, gone_s / expected_s_));
  }

  void add(std::vector<Row> rows) {
    std::move(rows.begin(), rows.end(), std::back_inserter(result_.rows));
  }

  const Options& options_;
  const Context& context_;
  double expected_s_;
  std::int64_t start_ns_ = monotonic_ns();
  Calibration result_;
};

/// Returns a chain of three switches with a third of the workers on each.
netd::CreateRequest chain_of(const Network& network, double rate_mbit) {
  const netd::Direction shaped{rate_mbit, network.queue_bytes, {}};
  auto request = netd::star(network.workers, kFastMbit);
  request.shaper = netd::usual_shaper(rate_mbit);
  request.mtu = network.mtu;
  request.switches = 3;
  request.trunks = {{0, 1, shaped, shaped}, {1, 2, shaped, shaped}};
  std::size_t worker = 0;
  const auto groups = thirds(network.workers);
  for (std::size_t at = 0; at < groups.size(); ++at) {
    for (int i = 0; i < groups[at]; ++i)
      request.workers[worker++].attached_to = static_cast<int>(at);
  }
  return request;
}

}  // namespace

netd::CreateRequest network_of(const Network& network, double rate_mbit, Shaped shaped) {
  if (network.topology != "star") {
    return netd::dilated(chain_of(network, rate_mbit), network.time_dilation);
  }
  auto request = netd::star(network.workers, rate_mbit);
  request.mtu = network.mtu;
  for (auto& worker : request.workers) {
    worker.up.queue_bytes = worker.down.queue_bytes = network.queue_bytes;
    if (shaped == Shaped::kUp) worker.down.rate_mbit = std::max(rate_mbit, kFastMbit);
    if (shaped == Shaped::kDown) worker.up.rate_mbit = std::max(rate_mbit, kFastMbit);
  }
  return netd::dilated(request, network.time_dilation);
}

Calibration calibrate(const Options& options, const Context& context) {
  Run run{options, context};
  for (const auto rate_mbit : options.rates_mbit) {
    const auto all = tests(options, rate_mbit / options.network.time_dilation);
    for (const auto shaped : {Shaped::kBoth, Shaped::kUp, Shaped::kDown}) {
      auto some = all;
      std::erase_if(some, [&](const Test& test) { return test.subject.shaped != shaped; });
      if (some.empty()) continue;
      const auto request = network_of(options.network, rate_mbit, shaped);
      links::Fabric fabric{context.programs.daemon, request};
      run.measure(fabric, some);
      run.result().congestion_control = request.congestion_control;
    }
  }
  return std::move(run.result());
}

}  // namespace pacbench::calibration
