#include "simulate/ranks/rank.h"

#include <utility>

namespace pacbench::simulate {
namespace {

/// A worker's traces give this bucket number to calls made while no bucket is in progress.
constexpr int kBeside = -1;

LinkTraffic between(const Traffic& sent_before, const Traffic& sent, const Traffic& received_before,
                    const Traffic& received) {
  LinkTraffic traffic;
  traffic.sent_bytes = sent.bytes - sent_before.bytes;
  traffic.sent_packets = sent.frames - sent_before.frames;
  traffic.received_bytes = received.bytes - received_before.bytes;
  traffic.received_packets = received.frames - received_before.frames;
  return traffic;
}

}  // namespace

Rank::Rank(const SimulationSpec& spec, int rank, Network& network, Transport& transport,
           GroupNumbers& numbers, Report report)
    : spec_{spec},
      rank_{rank},
      traits_{spec.traits.at(static_cast<std::size_t>(rank))},
      network_{network},
      transport_{transport},
      report_{std::move(report)},
      groups_{transport, numbers, rank, spec.workers},
      executor_{network},
      parts_{network, executor_, turns_,
             [this](const std::vector<int>& ranks) { return groups_.of(ranks); },
             traits_.compute_factor},
      draws_{spec.profile, spec.seed, rank} {}

std::vector<std::int64_t> Rank::layout() const {
  std::vector<std::int64_t> elements;
  for (const auto& bucket : spec_.profile.exchanges.front().iteration_of(rank_, 1).buckets) {
    elements.push_back(bucket.elements);
  }
  return elements;
}

void Rank::begin(std::int64_t number) {
  number_ = number;
  calls_ = spec_.profile.exchanges.front().iteration_of(rank_, number);
  event_ = {};
  event_.rank = rank_;
  event_.iteration = number;
  event_.step.start_ns = event_.forward.start_ns = now_ns();
  beside_ = {};
  beside_.index = kBeside;
  network_.after(in_s(times().forward_ms), [this] { backward(); });
}

void Rank::backward() {
  event_.forward.end_ns = event_.backward.start_ns = event_.backward.end_ns = now_ns();
  turns_.begin(static_cast<int>(calls_.buckets.size()));
  exchanges_.clear();
  to_end_ = calls_.buckets.size();
  if (to_end_ == 0) return finish();
  for (std::size_t bucket = 0; bucket < calls_.buckets.size(); ++bucket) {
    exchanges_.push_back(
        std::make_unique<Exchange>(parts_, calls_.buckets[bucket], static_cast<int>(bucket)));
    // A bucket that is the whole model is ready when the profile's last bucket is.
    const auto& ready_ms = times().ready_ms;
    const bool is_whole = calls_.buckets.size() == 1;
    network_.after(in_s(is_whole ? ready_ms.back() : ready_ms.at(bucket)),
                   [this, bucket] { hand_over(bucket); });
  }
}

void Rank::hand_over(std::size_t bucket) {
  event_.backward.end_ns = now_ns();
  exchanges_[bucket]->start(static_cast<int>(bucket), [this] { bucket_ended(); });
}

void Rank::bucket_ended() {
  if (--to_end_ > 0) return;
  // The exchange that ended last must first return from its own function.
  network_.after(0, [this] { finish(); });
}

void Rank::finish() {
  event_.exposed = {event_.backward.end_ns, now_ns()};
  for (const auto& exchange : exchanges_) event_.buckets.push_back(exchange->trace());
  run_beside(calls_.beside, [this] {
    event_.optimizer.start_ns = now_ns();
    losses();
  });
}

void Rank::losses() {
  const auto passes = static_cast<double>(calls_.losses);
  network_.after(in_s(passes * times().forward_ms),
                 [this] { run_beside(calls_.step, [this] { optimizer_step(); }); });
}

void Rank::optimizer_step() {
  network_.after(in_s(times().optimizer_ms), [this] { weights(); });
}

void Rank::weights() {
  run_beside(calls_.weights, [this] { end(); });
}

void Rank::end() {
  event_.step.end_ns = event_.optimizer.end_ns = now_ns();
  event_.training_s = network_.now_s();
  if (!beside_.collectives.empty()) event_.buckets.push_back(beside_);
  for (const auto& bucket : event_.buckets) {
    for (const auto& call : bucket.collectives) event_.expected_sent_bytes += call.sent_bytes;
  }
  const auto& sent = transport_.sent_by(rank_);
  const auto& received = transport_.received_by(rank_);
  event_.traffic =
      between(std::exchange(sent_, sent), sent, std::exchange(received_, received), received);
  report_(event_);
  done_ = number_;
  if (number_ < spec_.iterations) begin(number_ + 1);
}

/// Runs calls while no bucket is in progress, and keeps their traces as those of one exchange.
void Rank::run_beside(const MethodExchanges::Bucket& calls, Then then) {
  if (calls.steps.empty() && calls.end_ms == 0) return then();
  turns_.begin(1);
  exchanges_.clear();
  exchanges_.push_back(std::make_unique<Exchange>(parts_, calls, kBeside));
  exchanges_.back()->start(0, [this, then = std::move(then)] {
    network_.after(0, [this, then] {
      for (const auto& call : exchanges_.back()->trace().collectives) {
        beside_.collectives.push_back(call);
      }
      then();
    });
  });
}

}  // namespace pacbench::simulate
