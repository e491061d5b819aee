#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json_reader.h"
#include "spec/netd_protocol.h"
#include "spec/worker_event.h"

namespace pacbench {

/// What the lines of one cell say, boiled down as they come, so that a cell of any length needs
/// little memory. Filled from a live run or from the recorded files alike.
class CellRecord {
 public:
  /// What rank 0 took for one iteration, in seconds.
  struct Step {
    double step_s = 0;
    double compute_s = 0;  ///< forward + backward
    double exposed_s = 0;  ///< wait for means after backward
  };

  /// Wire bytes of one rank in one iteration that the declared rate cannot have carried.
  struct Excess {
    int rank = 0;
    std::int64_t iteration = 0;
    double ratio = 1;  ///< counted over possible
  };

  /// `rate_bytes_per_s` is what each direction of a link was shaped to.
  explicit CellRecord(double rate_bytes_per_s) : rate_bytes_per_s_{rate_bytes_per_s} {}

  /// Takes in one event, a worker's or the harness's own, and returns its kind. Throws
  /// ProtocolError when it is none.
  std::string add(const Json& event);

  /// The harness's own events: the share of idle CPU time over the last second, and the daemon's
  /// counters at the end of the cell.
  static Json host_event(double idle_share);
  static Json counters_event(const netd::CountersReply& counters);

  const std::vector<Step>& steps() const { return steps_; }
  const std::vector<EvaluationEvent>& curve() const { return curve_; }
  const std::map<int, ReadyEvent>& ready() const { return ready_; }
  const std::map<int, DoneEvent>& done() const { return done_; }
  const std::map<int, FailedEvent>& failed() const { return failed_; }
  const std::vector<double>& idle_shares() const { return idle_shares_; }
  const std::vector<double>& bucket_wire_s() const { return bucket_wire_s_; }
  const std::optional<netd::CountersReply>& counters() const { return counters_; }
  const std::vector<Excess>& excesses() const { return excesses_; }

  std::int64_t iterations() const { return iterations_; }  ///< last one that rank 0 finished
  double training_s() const { return training_s_; }        ///< clock of rank 0 at its end

  /// Sums over all ranks and iterations, and over how many events they go.
  struct Totals {
    std::int64_t events = 0;
    std::int64_t sent_bytes = 0;
    std::int64_t received_bytes = 0;
    std::int64_t expected_sent_bytes = 0;
    std::int64_t payload_bytes = 0;
    std::int64_t retransmits = 0;
    std::int64_t dropped_packets = 0;
  };
  const Totals& totals() const { return totals_; }

 private:
  void add(const IterationEvent& event);
  void check_rate(const IterationEvent& event);

  double rate_bytes_per_s_;
  std::vector<Step> steps_;
  std::vector<EvaluationEvent> curve_;
  std::map<int, ReadyEvent> ready_;
  std::map<int, DoneEvent> done_;
  std::map<int, FailedEvent> failed_;
  std::map<int, std::int64_t> last_end_ns_;
  std::vector<double> idle_shares_;
  std::vector<double> bucket_wire_s_;
  std::vector<Excess> excesses_;
  std::optional<netd::CountersReply> counters_;
  std::int64_t iterations_ = 0;
  double training_s_ = 0;
  Totals totals_;
};

}  // namespace pacbench
