#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json_reader.h"
#include "harness/cell/gloo_wire.h"
#include "harness/cell/training.h"
#include "harness/compose/sleeps.h"
#include "harness/fidelity/host_sampler.h"
#include "harness/fidelity/link_probe.h"
#include "harness/links/network_trace.h"
#include "harness/links/rate_limits.h"
#include "spec/netd_protocol.h"
#include "spec/worker_event.h"

namespace pacbench::cell {

/// What the lines of one cell say, boiled down as they come, so that a cell of any length needs
/// little memory. Filled from a live run or from the recorded files alike.
class CellRecord {
 public:
  /// What rank 0 took for one iteration, in seconds.
  struct Step {
    double step_s = 0;
    double compute_s = 0;  ///< forward + backward
    double exposed_s = 0;  ///< wait for means after backward
    double encode_s = 0;   ///< of all buckets: exchange without a collective of theirs under way
    double wire_s = 0;     ///< at least one collective under way
    std::int64_t sent_bytes = 0;           ///< wire bytes
    double clock_s = 0;                    ///< training clock at its end
    std::int64_t expected_sent_bytes = 0;  ///< as the method declares
    double late_s = 0;  ///< mode compose: that some rank overslept (compose/sleeps.h)
  };

  /// How the cell came to its end.
  struct End {
    std::string status;  ///< done, failed or interrupted
    std::string reason;  ///< why it is not done
  };

  /// Wire bytes of one rank in one iteration that the declared rate cannot have carried.
  struct Excess {
    int rank = 0;
    std::int64_t iteration = 0;
    double ratio = 1;  ///< counted over possible
  };

  explicit CellRecord(links::RateLimits limits, std::optional<compose::Sleeps> sleeps = {})
      : limits_{std::move(limits)}, sleeps_{std::move(sleeps)} {}
  CellRecord(const Scenario& scenario, const run::Cell& cell)
      : CellRecord{{scenario, cell.link}, compose::sleeps_of(scenario, cell)} {
    explained_workers_ = cell::explained_workers(scenario, cell.link);
  }

  /// Takes in one event, a worker's or the harness's own, and returns its kind. Throws
  /// ProtocolError when it is none.
  std::string add(const Json& event);

  /// The harness's own events: what pre-training took, how busy the host was over the last second,
  /// the daemon's counters at the end of the cell, and how it ended.
  static Json pretrained_event(double elapsed_s);
  static Json ended_event(const End& end);
  static Json host_event(const fidelity::HostSample& sample);
  static Json counters_event(const netd::CountersReply& counters);

  const std::optional<End>& end() const { return end_; }
  double pretrain_s() const { return pretrain_s_; }
  /// Whether exchanges of rank 0's buckets were compacted, of methods that say so.
  struct Compaction {
    std::int64_t exchanges = 0;
    std::int64_t dense = 0;
    std::optional<std::int64_t> first_whole;  ///< first iteration with every bucket compacted
  };
  const Compaction& compaction() const { return compaction_; }
  const std::string& mask_sample() const { return mask_sample_; }  ///< of the last pruning
  const std::vector<double>& vnmse() const { return vnmse_; }      ///< of each sample, in order
  const std::vector<double>& cosine() const { return cosine_; }    ///< of each sample
  const std::vector<double>& density() const { return density_; }  ///< of those that have it
  const std::optional<double>& residual_norm() const { return residual_norm_; }  ///< of the last
  const std::vector<Step>& steps() const { return steps_; }
  const std::vector<EvaluationEvent>& curve() const { return curve_; }
  /// Mode compose: the same evaluations, whose times follow from the rest of the record.
  void set_curve(std::vector<EvaluationEvent> curve) { curve_ = std::move(curve); }
  /// Mode compose: of the run that its curve comes from.
  const std::optional<Training>& training() const { return training_; }
  const std::vector<PruningStep>& pruning() const { return pruning_; }  ///< done in this cell
  const std::map<int, ReadyEvent>& ready() const { return ready_; }
  const std::map<int, DoneEvent>& done() const { return done_; }
  const std::map<int, FailedEvent>& failed() const { return failed_; }
  const std::vector<fidelity::HostSample>& host() const { return host_; }  ///< about one a second
  const std::vector<double>& bucket_wire_s() const { return bucket_wire_s_; }
  const std::optional<netd::CountersReply>& counters() const { return counters_; }
  const std::vector<Excess>& excesses() const { return excesses_; }
  const links::NetworkTrace& network() const { return network_; }
  const links::RateLimits& limits() const { return limits_; }
  /// The times over which each rank's traffic was counted for an iteration.
  const std::map<int, std::vector<Span>>& counted() const { return counted_; }

  /// Of its links, before it and after it, as far as they were made.
  void set_probes(std::vector<fidelity::LinkProbe> probes) { probes_ = std::move(probes); }
  const std::vector<fidelity::LinkProbe>& probes() const { return probes_; }

  std::int64_t iterations() const { return iterations_; }  ///< last one that rank 0 finished
  double training_s() const { return training_s_; }        ///< clock of rank 0 at its end

  /// Sums over all ranks and iterations, and over how many events they go.
  struct Totals {
    std::int64_t events = 0;
    std::int64_t sent_bytes = 0;
    std::int64_t sent_packets = 0;
    std::int64_t received_bytes = 0;
    std::int64_t expected_sent_bytes = 0;
    std::int64_t payload_bytes = 0;
    std::int64_t stream_bytes = 0;  ///< gloo_stream_bytes, where wire_is_explained()
    std::int64_t collectives = 0;
    std::int64_t retransmits = 0;
    std::int64_t dropped_packets = 0;
  };
  const Totals& totals() const { return totals_; }

  /// Whether its collectives explain every byte on its links (gloo_wire.h).
  bool wire_is_explained() const { return explained_workers_.has_value(); }

 private:
  void add(const IterationEvent& event);
  void add(const QualityEvent& event);
  void add_compaction(const IterationEvent& event);
  void check_rate(const IterationEvent& event);
  void note_counted(const IterationEvent& event);
  void add_step(const IterationEvent& event);
  void note_late(const IterationEvent& event);

  links::RateLimits limits_;
  std::optional<compose::Sleeps> sleeps_;
  std::optional<int> explained_workers_;
  std::map<std::int64_t, double> late_s_;  ///< of each iteration
  links::NetworkTrace network_;
  std::map<int, std::vector<Span>> counted_;
  std::map<int, double> clock_s_;             ///< training clock at each rank's last iteration
  std::optional<std::int64_t> pruned_after_;  ///< the last iteration that pruning came after
  std::optional<End> end_;
  double pretrain_s_ = 0;
  Compaction compaction_;
  std::string mask_sample_;
  std::vector<double> vnmse_;
  std::vector<double> cosine_;
  std::vector<double> density_;
  std::optional<double> residual_norm_;
  std::vector<Step> steps_;
  std::vector<EvaluationEvent> curve_;
  std::optional<Training> training_;
  std::vector<PruningStep> pruning_;
  std::map<int, ReadyEvent> ready_;
  std::map<int, DoneEvent> done_;
  std::map<int, FailedEvent> failed_;
  std::vector<fidelity::HostSample> host_;
  std::vector<fidelity::LinkProbe> probes_;
  std::vector<double> bucket_wire_s_;
  std::vector<Excess> excesses_;
  std::optional<netd::CountersReply> counters_;
  std::int64_t iterations_ = 0;
  double training_s_ = 0;
  Totals totals_;
};

}  // namespace pacbench::cell
