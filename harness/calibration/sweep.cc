#include "harness/calibration/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/clock.h"

namespace pacbench::calibration {
namespace {

constexpr std::int64_t kBurst = netd::Shaper{}.burst_bytes;
constexpr std::int64_t kFrames = 1600;  // one frame, and a margin for rounding
constexpr double kRing_s = 0.8;
constexpr int kRings = 2;  // in each pass
constexpr int kMessages = 3;

/// How far rows at one rate miss their ideals on average, in units of their aims; 0 without rows.
/// Takes the rows of messages if `messages` is true, else all others.
double mean_miss(const std::vector<Row>& rows, const Network& network, double rate_mbit,
                 bool messages) {
  double sum = 0;
  int count = 0;
  for (const auto& row : rows) {
    const auto promised = aim(row.subject);
    const bool wanted = (row.subject.quantity == Quantity::kMessage) == messages;
    if (!promised || !wanted || row.subject.rate_mbit != rate_mbit) continue;
    sum += std::abs(row.ratio(network).median - 1) / *promised;
    ++count;
  }
  return count == 0 ? 0 : sum / count;
}

/// Adds what was measured to the row of the same subject, or adds the row if there is none.
void merge(std::vector<Row>& rows, const Row& more) {
  const auto same = std::find_if(rows.begin(), rows.end(),
                                 [&](const Row& row) { return row.subject == more.subject; });
  if (same == rows.end()) {
    rows.push_back(more);
    return;
  }
  same->measured.insert(same->measured.end(), more.measured.begin(), more.measured.end());
}

netd::CreateRequest links_of(const Candidate& candidate, const Network& network, double rate_mbit) {
  auto request = network_of(network, rate_mbit, Shaped::kBoth);
  request.shaper = candidate.shaper;
  request.congestion_control = candidate.congestion_control;
  for (auto& worker : request.workers) {
    worker.up.queue_bytes = worker.down.queue_bytes = candidate.queue_bytes;
  }
  return request;
}

/// Measures a trial's candidate at one rate, once, or notes why the daemon refused it.
void attempt(Trial& trial, const Options& options, const Context& context, double rate_mbit) {
  const auto request = links_of(trial.candidate, options.network, rate_mbit);
  std::optional<links::Fabric> fabric;
  try {
    fabric.emplace(context.programs.daemon, request);
  } catch (const ProtocolError& error) {
    trial.refused = fmt::format("at {:g} Mbit/s: {}", rate_mbit, error.what());
    return;
  }
  Measurer measurer{
      {*fabric, &*fabric}, options.network, context.programs.probe, context.interrupt};
  for (const auto& test : sweep_tests(rate_mbit)) {
    for (const auto& row : measurer.run(test)) merge(trial.rows, row);
  }
}

}  // namespace

std::vector<Candidate> candidates() {
  std::vector<Candidate> all{Candidate{}};
  for (const std::int64_t gso : {8192, 12288, 13400, 16384, 22100}) {
    // The burst is one frame, or the bytes that a wake-up 24 µs late costs at 1 Gbit/s.
    for (const std::int64_t ceil_burst : {kFrames, std::int64_t{3000}}) {
      const Candidate candidate{{kBurst, ceil_burst, gso}};
      if (describe(candidate) != describe(all.front())) all.push_back(candidate);
    }
  }
  all.push_back({{kBurst, kFrames, 6144}});
  all.push_back({{kBurst, kFrames, 65536}});
  for (const std::int64_t gso : {16384, 65536}) all.push_back({{kBurst, kBurst, gso}});
  all.push_back({{kBurst, kFrames, 16384}, "bbr"});
  all.push_back({{kBurst, kFrames, 16384}, "reno"});
  all.push_back({{kBurst, kFrames, 16384}, "cubic", 128 * 1024});
  all.push_back({{kBurst, kFrames, 16384}, "cubic", 1024 * 1024});
  return all;
}

std::string describe(const Candidate& candidate) {
  const auto& shaper = candidate.shaper;
  auto text =
      fmt::format("{}, packets up to {} bytes, burst {}/{} bytes", candidate.congestion_control,
                  shaper.gso_max_bytes, shaper.burst_bytes, shaper.ceil_burst_bytes);
  if (candidate.queue_bytes > 0) text += ", queue " + size_text(candidate.queue_bytes);
  return text;
}

std::vector<Test> sweep_tests(double rate_mbit) {
  std::vector<Test> all;
  for (const std::int64_t kilobytes : {64, 70, 100, 128, 256, 1024}) {
    all.push_back({{rate_mbit, Quantity::kMessage, Shaped::kBoth, kilobytes * 1024}, kMessages, 0});
  }
  all.push_back({{rate_mbit, Quantity::kRing, Shaped::kBoth, 0}, kRings, kRing_s});
  return all;
}

double score_at(const Trial& trial, const Network& network, double rate_mbit) {
  return (mean_miss(trial.rows, network, rate_mbit, true) +
          mean_miss(trial.rows, network, rate_mbit, false)) /
         2;
}

double score(const Trial& trial, const Network& network) {
  std::vector<double> rates;
  for (const auto& row : trial.rows) {
    const auto rate = row.subject.rate_mbit;
    if (std::find(rates.begin(), rates.end(), rate) == rates.end()) rates.push_back(rate);
  }
  double sum = 0;
  for (const auto rate : rates) sum += score_at(trial, network, rate);
  return rates.empty() ? 0 : sum / static_cast<double>(rates.size());
}

std::vector<Trial> sweep(const Options& options, const Context& context) {
  std::vector<Trial> trials;
  for (auto& candidate : candidates()) trials.push_back({std::move(candidate), {}, {}});
  const auto all = static_cast<double>(kSweepPasses * options.rates_mbit.size() * trials.size());
  int done = 0;
  for (int pass = 0; pass < kSweepPasses; ++pass) {
    for (const auto rate_mbit : options.rates_mbit) {
      for (auto& trial : trials) {
        context.on_progress(fmt::format("{:g} Mbit/s: {}", rate_mbit, describe(trial.candidate)),
                            done++ / all);
        if (trial.refused.empty()) attempt(trial, options, context, rate_mbit);
      }
    }
  }
  std::stable_sort(trials.begin(), trials.end(), [&](const Trial& a, const Trial& b) {
    if (a.refused.empty() != b.refused.empty()) return a.refused.empty();
    return score(a, options.network) < score(b, options.network);
  });
  return trials;
}

}  // namespace pacbench::calibration
