#include "simulate/ranks/simulation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>
#include <stdexcept>
#include <utility>

#include "contract/fabric/fabric_spec.h"
#include "contract/profile/profile.h"
#include "contract/worker/worker_event.h"
#include "simulate/ranks/exchange.h"

namespace pacbench::simulate {
namespace {

/// The most TCP payload of a packet, which may be several frames long (GSO), as in an emulated
/// cell. For topologies that only mode simulate has, `tree` is empty and does not know the MTU.
std::int64_t packet_bytes(const SimulationSpec& spec) {
  auto request = spec.links.tree;
  request.mtu = spec.mtu;
  return netd::largest_packet_bytes(request);
}

/// A worker's traces give this bucket number to calls made while no bucket is in progress.
constexpr int kBeside = -1;

LinkTraffic between(const Traffic& sent_before, const Traffic& sent, const Traffic& received_before,
                    const Traffic& received) {
  return {.sent_bytes = sent.bytes - sent_before.bytes,
          .sent_packets = sent.frames - sent_before.frames,
          .received_bytes = received.bytes - received_before.bytes,
          .received_packets = received.frames - received_before.frames};
}

}  // namespace

/// One rank that computes for as long as its profile says and replays the recorded exchanges of its
/// method, iteration after iteration. A worker of mode compose with "exchange": "profile" does the
/// same (trainer/roles/rank.cc).
class Rank {
 public:
  using Report = std::function<void(const IterationEvent&)>;

  /// `spec` must outlive this object. Its profile has the exchanges of one method.
  Rank(const SimulationSpec& spec, int rank, Network& network, Transport& transport,
       GroupNumbers& numbers, Report report)
      : spec_{spec},
        rank_{rank},
        traits_{spec.traits.at(static_cast<std::size_t>(rank))},
        network_{network},
        transport_{transport},
        report_{std::move(report)},
        parts_{network, {transport, numbers, rank, spec.workers}, traits_.compute_factor},
        draws_{spec.profile, spec.seed, rank} {}
  Rank(const Rank&) = delete;
  Rank& operator=(const Rank&) = delete;

  void start() {
    network_.after(traits_.start_delay_s, [this] { begin(1); });
  }

  std::int64_t iterations_done() const { return done_; }
  /// The elements of each of this rank's buckets.
  std::vector<std::int64_t> layout() const {
    std::vector<std::int64_t> elements;
    for (const auto& bucket : spec_.profile.exchanges.front().iteration_of(rank_, 1).buckets) {
      elements.push_back(bucket.elements);
    }
    return elements;
  }

 private:
  void begin(std::int64_t number) {
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

  void backward() {
    event_.forward.end_ns = event_.backward.start_ns = event_.backward.end_ns = now_ns();
    parts_.turns.begin(static_cast<int>(calls_.buckets.size()));
    exchanges_.clear();
    to_end_ = calls_.buckets.size();
    if (to_end_ == 0) return finish();
    for (std::size_t bucket = 0; bucket < calls_.buckets.size(); ++bucket) {
      exchanges_.push_back(
          std::make_unique<Exchange>(parts_, calls_.buckets[bucket], static_cast<int>(bucket)));
      // A bucket that is the whole model is ready when the profile's last bucket is.
      const auto& ready_ms = times().ready_ms;
      const bool is_whole = calls_.buckets.size() == 1;
      network_.after(in_s(is_whole ? ready_ms.back() : ready_ms.at(bucket)), [this, bucket] {
        event_.backward.end_ns = now_ns();
        exchanges_[bucket]->start(static_cast<int>(bucket), [this] { bucket_ended(); });
      });
    }
  }

  void bucket_ended() {
    if (--to_end_ > 0) return;
    // The exchange that ended last must first return from its own function.
    network_.after(0, [this] { finish(); });
  }

  void finish() {
    event_.exposed = {event_.backward.end_ns, now_ns()};
    for (const auto& exchange : exchanges_) event_.buckets.push_back(exchange->trace());
    run_beside(calls_.beside, [this] {
      event_.optimizer.start_ns = now_ns();
      losses();
    });
  }

  void losses() {
    const auto passes = static_cast<double>(calls_.losses);
    network_.after(in_s(passes * times().forward_ms),
                   [this] { run_beside(calls_.step, [this] { optimizer_step(); }); });
  }

  void optimizer_step() {
    network_.after(in_s(times().optimizer_ms),
                   [this] { run_beside(calls_.weights, [this] { end(); }); });
  }

  void end() {
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
  void run_beside(const MethodExchanges::Bucket& calls, Then then) {
    if (calls.steps.empty() && calls.end_ms == 0) return then();
    parts_.turns.begin(1);
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

  double in_s(double profiled_ms) const { return 1e-3 * profiled_ms * parts_.compute_factor; }
  std::int64_t now_ns() const { return in_ns(network_.now_s()); }
  const Profile::Iteration& times() const { return draws_.of(number_); }

  const SimulationSpec& spec_;
  int rank_;
  WorkerTraits traits_;
  Network& network_;
  Transport& transport_;
  Report report_;
  RankParts parts_;
  DrawnIterations draws_;

  std::int64_t number_ = 0;
  std::int64_t done_ = 0;
  MethodExchanges::Iteration calls_;  ///< of the iteration under way
  std::vector<std::unique_ptr<Exchange>> exchanges_;
  BucketTrace beside_;
  std::size_t to_end_ = 0;  ///< buckets that have not ended
  IterationEvent event_;
  Traffic sent_;      ///< up to the end of the previous iteration
  Traffic received_;  ///< up to the end of the previous iteration
};

Simulation::Simulation(const SimulationSpec& spec, Network& network, Tell tell)
    : spec_{spec},
      network_{network},
      tell_{std::move(tell)},
      transport_{network,
                 spec.model,
                 spec.workers,
                 {spec.mtu, packet_bytes(spec)},
                 static_cast<std::uint64_t>(spec.seed)} {
  if (spec.profile.exchanges.size() != 1) {
    throw std::invalid_argument{fmt::format(
        "found the exchanges of {} methods in the profile, expected those of the simulated method "
        "alone; start the simulation with pacbench run, which picks them",
        spec.profile.exchanges.size())};
  }
  for (int rank = 0; rank < spec.workers; ++rank) {
    ranks_.push_back(
        std::make_unique<Rank>(spec, rank, network, transport_, numbers_,
                               [this](const IterationEvent& event) { tell_(to_json(event)); }));
  }
}

Simulation::~Simulation() = default;

void Simulation::start() {
  for (int rank = 0; rank < spec_.workers; ++rank) {
    ReadyEvent ready;
    ready.rank = rank;
    ready.bucket_elements = ranks_[static_cast<std::size_t>(rank)]->layout();
    ready.parameters = std::reduce(ready.bucket_elements.begin(), ready.bucket_elements.end());
    tell_(to_json(ready));
  }
  for (auto& rank : ranks_) {
    network_.after(0, [&rank] { rank->start(); });
  }
}

void Simulation::finish() {
  std::vector<int> waiting;
  for (int rank = 0; rank < spec_.workers; ++rank) {
    const auto done = ranks_[static_cast<std::size_t>(rank)]->iterations_done();
    if (done < spec_.iterations) waiting.push_back(rank);
  }
  if (!waiting.empty()) {
    throw std::runtime_error{fmt::format(
        "ranks {} wait for messages that no rank sends: the ranks' collectives in the profile do "
        "not match; make the profile again with pacbench profile --exchanges",
        fmt::join(waiting, ", "))};
  }
  for (int rank = 0; rank < spec_.workers; ++rank) {
    DoneEvent done;
    done.rank = rank;
    done.iterations = spec_.iterations;
    done.training_s = network_.now_s();
    tell_(to_json(done));
  }
}

netd::CountersReply Simulation::counters(const std::vector<std::string>& names) const {
  netd::CountersReply reply;
  const auto& carried = transport_.carried();
  for (std::size_t i = 0; i < carried.size(); ++i) {
    reply.links.push_back({names.at(i), carried[i].bytes, carried[i].frames, 0});
  }
  reply.retransmitted_segments.assign(static_cast<std::size_t>(spec_.workers), 0);
  return reply;
}

}  // namespace pacbench::simulate
