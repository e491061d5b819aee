#pragma once

#include <memory>
#include <vector>

#include "contract/profile/profile_draws.h"
#include "contract/worker/simulation_spec.h"
#include "simulate/gloo/transport.h"
#include "simulate/ranks/exchange.h"
#include "simulate/ranks/groups.h"

namespace pacbench::simulate {

/// One rank that computes for as long as its profile says and replays the recorded exchanges of its
/// method, iteration after iteration. A worker of mode compose with "exchange": "profile" does the
/// same (trainer/roles/rank.cc).
class Rank {
 public:
  using Report = std::function<void(const IterationEvent&)>;

  /// `spec` must outlive this object. Its profile has the exchanges of one method.
  Rank(const SimulationSpec& spec, int rank, Network& network, Transport& transport,
       GroupNumbers& numbers, Report report);
  Rank(const Rank&) = delete;
  Rank& operator=(const Rank&) = delete;

  void start() {
    network_.after(traits_.start_delay_s, [this] { begin(1); });
  }

  std::int64_t iterations_done() const { return done_; }
  /// The elements of each of this rank's buckets.
  std::vector<std::int64_t> layout() const;

 private:
  void begin(std::int64_t number);
  void backward();
  void hand_over(std::size_t bucket);
  void bucket_ended();
  void finish();
  void losses();
  void optimizer_step();
  void weights();
  void end();
  void run_beside(const MethodExchanges::Bucket& calls, Then then);

  double in_s(double profiled_ms) const { return 1e-3 * profiled_ms * parts_.compute_factor; }
  std::int64_t now_ns() const { return in_ns(network_.now_s()); }
  const Profile::Iteration& times() const { return draws_.of(number_); }

  const SimulationSpec& spec_;
  int rank_;
  WorkerTraits traits_;
  Network& network_;
  Transport& transport_;
  Report report_;
  Groups groups_;
  Executor executor_;
  Turns turns_;
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

}  // namespace pacbench::simulate
