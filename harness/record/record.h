#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json/checked_keys.h"
#include "contract/catalogue/method_entry.h"
#include "contract/fabric/netd_protocol.h"
#include "contract/result/result.h"
#include "contract/worker/event_kind.h"
#include "contract/worker/program_event.h"
#include "contract/worker/worker_event.h"
#include "harness/machine/disturbance.h"
#include "harness/machine/host_sampler.h"
#include "harness/record/gloo_wire.h"
#include "harness/record/link_probe.h"
#include "harness/record/network_trace.h"
#include "harness/record/rate_limits.h"
#include "harness/record/sleeps.h"

namespace pacbench::record {

/// Consecutive iterations of a training in which rank 0 sent equally much.
struct AlikeIterations {
  std::int64_t iterations = 0;
  std::int64_t sent_bytes = 0;  ///< in each of them, as the method declares
};

/// A step of pruning, whose time is part of the training clock.
struct PruningStep {
  std::int64_t after = 0;  ///< the last iteration before it; 0: before the first
  double seconds = 0;
};

/// The facts that a cell of mode compose or simulate takes from the run that trained, besides its
/// evaluations.
struct Training {
  std::vector<AlikeIterations> iterations;  ///< in their order
  std::vector<PruningStep> pruning;
  double kept_fraction = 1;  ///< of the prunable weights, after the last of these steps
};

/// The event "training" of a cell's events.jsonl. An event of an earlier pacbench has no pruning.
Json to_json(const Training& training);

}  // namespace pacbench::record

namespace pacbench {

template <>
struct JsonFields<record::AlikeIterations> {
  using T = record::AlikeIterations;
  static constexpr std::tuple kAll{required("iterations", &T::iterations),
                                   required("sent_bytes", &T::sent_bytes)};
};

template <>
struct JsonFields<record::PruningStep> {
  using T = record::PruningStep;
  static constexpr std::tuple kAll{required("after", &T::after), required("seconds", &T::seconds)};
};

template <>
struct JsonFields<record::Training> {
  using T = record::Training;
  static constexpr std::tuple kAll{required("alike", &T::iterations),
                                   defaulted("pruning", &T::pruning),
                                   defaulted("kept_fraction", &T::kept_fraction)};
};

}  // namespace pacbench

namespace pacbench::record {

/// The lines of one cell, reduced as they come: a few numbers of each iteration stay in memory. A
/// record is filled from a live run, from the recorded files, or, when a cell of mode learn goes
/// on, from the files and then from the live run.
class CellRecord {
 public:
  /// The times of rank 0 in one iteration, in seconds.
  struct Step {
    double step_s = 0;
    double compute_s = 0;                  ///< forward + backward
    double exposed_s = 0;                  ///< wait for means after backward
    double encode_s = 0;                   ///< encoding and decoding, summed over buckets
    double wire_s = 0;                     ///< at least one collective under way
    std::int64_t sent_bytes = 0;           ///< wire bytes
    double clock_s = 0;                    ///< training clock at its end
    std::int64_t expected_sent_bytes = 0;  ///< as the method declares
    /// The longest that a rank had no CPU when its sleep was over (mode compose, record/sleeps.h),
    /// or less of one than its own core (time dilation, IterationEvent::late).
    double late_s = 0;
    Span time{};  ///< from its start to its end
    std::int64_t iteration = 0;
  };

  /// How the cell came to its end.
  struct End {
    CellStatus status = CellStatus::kDone;
    std::string reason;  ///< why it is not done
  };

  /// Wire bytes of one rank in one iteration that the declared rate cannot have carried.
  struct Excess {
    int rank = 0;
    std::int64_t iteration = 0;
    double ratio = 1;  ///< counted over possible
    Span window{};     ///< in which the bytes were counted
    std::int64_t sent_bytes = 0;
    std::int64_t received_bytes = 0;
  };

  explicit CellRecord(RateLimits limits, std::optional<Sleeps> sleeps = {})
      : limits_{std::move(limits)}, sleeps_{std::move(sleeps)} {}
  CellRecord(const Scenario& scenario, const plan::Cell& cell)
      : CellRecord{{scenario, cell.link}, sleeps_of(scenario, cell)} {
    workers_ = scenario.workers;
    network_ = NetworkTrace{scenario.time_dilation.factor};
    explained_workers_ = explained_workers(scenario, cell.link);
    joins_counted_ = cell.link.loads.empty();
    sends_little_ = pacbench::sends_little(cell.method);
  }

  /// Adds one event, a worker's or the harness's own, and returns its kind. Throws ProtocolError
  /// when `event` is no event of a cell, lacks a value or has a wrong one, or is of a rank that the
  /// scenario does not have.
  EventKind add(const Json& event);

  /// The harness's own events: the time of pre-training, how the cell ended, how busy the host was
  /// over the last second, the daemon's counters at the end of the cell, and its counters when the
  /// training of a program began, read at `at_ns`.
  static Json pretrained_event(double elapsed_s);
  static Json ended_event(const End& end);
  static Json host_event(const HostSample& sample);
  static Json counters_event(const netd::CountersReply& counters);
  static Json counters_at_start_event(const netd::CountersReply& counters, std::int64_t at_ns);
  /// What a meter measured while the cell ran, in the cell's try number `attempt`, from 1 on.
  static Json meter_event(const MachineTrace& machine, int attempt);

  const std::optional<End>& end() const { return end_; }
  double pretrain_s() const { return pretrain_s_; }
  /// Counts of rank 0's bucket exchanges, for methods that report of each whether it sent only the
  /// values that a mask keeps (compacted) or the whole bucket (dense).
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
  /// Modes compose and simulate: replaces the curve by the same evaluations at computed times.
  void set_curve(std::vector<EvaluationEvent> curve) { curve_ = std::move(curve); }
  /// Modes compose and simulate: the training of the run that the curve comes from.
  const std::optional<Training>& training() const { return training_; }
  const std::vector<PruningStep>& pruning() const { return pruning_; }  ///< done in this cell
  const std::map<int, ReadyEvent>& ready() const { return ready_; }
  const std::map<int, DoneEvent>& done() const { return done_; }
  const std::map<int, FailedEvent>& failed() const { return failed_; }
  const std::vector<HostSample>& host() const { return host_; }  ///< about one a second
  const std::vector<double>& bucket_wire_s() const { return bucket_wire_s_; }
  const std::optional<netd::CountersReply>& counters() const { return counters_; }
  /// What a meter measured while the cell ran. Absent without one, and in runs of an earlier
  /// pacbench.
  const std::optional<MachineTrace>& machine() const { return machine_; }
  /// The part of it from the start of the first step to the end of the last; all of it without
  /// steps.
  std::optional<MachineTrace> machine_in_training() const;
  int attempt() const { return attempt_; }  ///< how many times the cell has been run
  /// Programs of the user's own: the counters when training began, if the program reported that.
  const std::optional<netd::CountersReply>& counters_at_start() const { return at_start_; }
  /// Whether the scenario says of the program that it means to send next to nothing.
  bool sends_little() const { return sends_little_; }
  /// When counters_at_start() were read. 0 where they were not read, and in runs of an earlier
  /// pacbench, which did not record the time.
  std::int64_t counted_from_ns() const { return counted_from_ns_; }
  const std::vector<RankExitedEvent>& exited() const { return exited_; }  ///< a program's ranks
  const std::vector<Excess>& excesses() const { return excesses_; }
  /// How many times the bytes of `counted` are those that the rank's link can have carried in
  /// `window`, with the allowance for when counters are read.
  double ratio_to_possible(const Excess& counted, const Span& window) const;
  const NetworkTrace& network() const { return network_; }
  const RateLimits& limits() const { return limits_; }
  /// The time spans over which each rank's traffic was counted. A cell with loads has a span for
  /// each iteration, since the loads' traffic is subtracted. In other cells adjacent spans are
  /// joined, so that few remain. In a user's own program each rank has one span, from the start of
  /// its first step to the end of its last.
  const std::map<int, std::vector<Span>>& counted() const { return counted_; }

  /// The probes of the cell's links, before and after the cell, as far as they were made.
  void set_probes(std::vector<LinkProbe> probes) { probes_ = std::move(probes); }
  const std::vector<LinkProbe>& probes() const { return probes_; }

  std::int64_t iterations() const { return iterations_; }  ///< last one that rank 0 finished
  double training_s() const { return training_s_; }        ///< clock of rank 0 at its end

  /// Sums over all ranks and iterations, and the number of events in the sums.
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

  /// Whether the cell's collectives explain every byte on its links (gloo_wire.h).
  bool wire_is_explained() const { return explained_workers_.has_value(); }

 private:
  void check_rank(const Json& event) const;
  void take(EventKind kind, const Json& event);
  void add(const IterationEvent& event);
  void add(const StepEvent& event);
  void add(const PrunedEvent& event);
  void add(const QualityEvent& event);
  void add_compaction(const IterationEvent& event);
  void check_rate(const IterationEvent& event, const Span& window);
  Span note_counted(const IterationEvent& event);
  void add_step(const IterationEvent& event);
  void note_late(const IterationEvent& event);

  RateLimits limits_;
  std::optional<Sleeps> sleeps_;
  std::optional<int> workers_;  ///< of the scenario, where that is given
  std::optional<int> explained_workers_;
  bool joins_counted_ = false;
  bool sends_little_ = false;
  std::map<std::int64_t, double> late_s_;  ///< of each iteration
  NetworkTrace network_;
  std::map<int, std::vector<Span>> counted_;
  std::map<int, double> clock_s_;            ///< training clock at each rank's last iteration
  std::map<std::int64_t, double> pruned_s_;  ///< seconds of pruning, by the iteration before it
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
  std::vector<HostSample> host_;
  std::optional<MachineTrace> machine_;
  int attempt_ = 1;
  std::vector<LinkProbe> probes_;
  std::vector<double> bucket_wire_s_;
  std::vector<Excess> excesses_;
  std::optional<netd::CountersReply> at_start_;
  std::int64_t counted_from_ns_ = 0;
  std::optional<netd::CountersReply> counters_;
  std::vector<RankExitedEvent> exited_;
  std::int64_t iterations_ = 0;
  double training_s_ = 0;
  Totals totals_;
};

/// Adds what the recorded lines of a cell say to `record`. Throws as store::for_each_event does,
/// and ConfigError naming file and line for a line that is no event of a cell.
CellRecord read_record(const std::string& cell_folder, CellRecord record);

}  // namespace pacbench::record
