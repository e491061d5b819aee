#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json_reader.h"
#include "contract/scenario/target.h"

namespace pacbench {

/// The events of a worker, one JSON object a line on its standard output; "event" holds the kind.
/// Times are CLOCK_MONOTONIC nanoseconds, comparable between the ranks of a host. In mode simulate
/// they are simulated nanoseconds from 0, comparable between all ranks.

/// A phase of work: when it began and when it ended.
struct Span {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
};

/// A span is an array of its two times.
void to_json(Json& json, const Span& span);
void from_json(const Json& json, Span& span);

/// One collective of one bucket in one iteration.
struct CollectiveTrace {
  std::string op;     ///< "all_reduce"
  std::string dtype;  ///< "float32"
  std::int64_t elements = 0;
  std::int64_t payload_bytes = 0;  ///< what this rank handed to the collective
  std::int64_t sent_bytes = 0;     ///< what the collective makes this rank send, without headers
  std::int64_t ready_ns = 0;       ///< handed to the group: encoding done
  Span wire;                       ///< from its issue to the backend until its completion
  /// The number of ranks that take part; 0 on a rank that does not. Absent in lines of an earlier
  /// pacbench.
  std::optional<int> group_size = std::nullopt;
};

struct BucketTrace {
  int index = 0;
  std::int64_t elements = 0;
  Span exchange;  ///< from the gradient being ready to the mean being in place
  std::vector<CollectiveTrace> collectives;
  Json notes = Json::object();  ///< what the method reports: {"stable": true}
};

/// Traffic of this worker's link during an iteration, or while pruning changed masks. Each number
/// is the difference of a counter. TCP counts `retransmits`. The HTB class of each direction counts
/// the others; where the rank can read no HTB class of a direction, the device counts it.
struct LinkTraffic {
  std::int64_t sent_bytes = 0;
  std::int64_t sent_packets = 0;
  std::int64_t received_bytes = 0;
  std::int64_t received_packets = 0;
  std::int64_t dropped_packets = 0;
  std::int64_t retransmits = 0;  ///< TCP segments sent again (/proc/thread-self/net/snmp)
};

/// "iteration": from every rank after every iteration.
struct IterationEvent {
  int rank = 0;
  std::int64_t iteration = 0;  ///< from 1
  Span step;
  Span forward;
  Span backward;  ///< until the last gradient was ready on this rank
  Span exposed;   ///< from the end of backward until every mean was in place
  Span optimizer;
  double training_s = 0;  ///< training clock of this rank at the end of the step
  double loss = 0;
  std::int64_t expected_sent_bytes = 0;  ///< as the method declares for its state
  std::vector<BucketTrace> buckets;
  LinkTraffic traffic;
  /// With time dilation: when a thread that computed had not had a core of its own for as long as
  /// it needed one (trainer/collectives/own_core.h).
  std::vector<Span> late;
};

/// "ready": from every rank when its bucket layout is fixed and the training clock is about to
/// start.
struct ReadyEvent {
  int rank = 0;
  std::int64_t parameters = 0;
  std::vector<std::int64_t> bucket_elements;
  int compute_threads = 1;
  bool real_time = false;          ///< communication threads in a real-time class
  double scheduling_floor_ms = 0;  ///< median time of small all-reduces before the clock
  /// Payload of these all-reduces; 0 in lines of an earlier pacbench, whose time had the time of
  /// 4 KiB at the link's rate in it.
  std::int64_t floor_bytes = 0;
  std::int64_t resident_bytes = 0;
  std::int64_t iteration = 0;  ///< iteration whose saved state the rank resumes from; 0: none
};

/// "alive": from a rank that waits or evaluates for long, so that the harness does not take it for
/// a stopped rank.
struct AliveEvent {
  int rank = 0;
};

/// "evaluation": from rank 0, off the clock.
struct EvaluationEvent {
  std::int64_t iteration = 0;  ///< 0: before the first step
  double training_s = 0;
  std::optional<double> accuracy;  ///< absent where a user's own program reports losses alone
  double loss = 0;
};

/// How far an evaluation is above a target accuracy, or below a target loss; negative before it is
/// reached. Absent for a target accuracy where the evaluation has no accuracy.
std::optional<double> surplus(const EvaluationEvent& evaluation, const Target& target);

/// Whether an evaluation reaches a target: an accuracy at least as high, or a loss at most as high.
bool reaches(const EvaluationEvent& evaluation, const Target& target);

/// "quality": from rank 0, off the clock. It says how near an iteration's aggregated gradient came
/// to the exact mean of all ranks' gradients. That mean is added in double precision, and pruned
/// weights are left out.
struct QualityEvent {
  struct Layer {
    std::string name;
    double vnmse = 0;
  };
  std::int64_t iteration = 0;
  double vnmse = 0;                     ///< |aggregate - mean|^2 / |mean|^2
  double cosine = 0;                    ///< of the angle between aggregate and mean
  double mean_norm = 0;                 ///< |mean|
  std::optional<double> density;        ///< share of the aggregate's entries that are not zero;
                                        ///< absent in lines of an earlier pacbench
  std::optional<double> residual_norm;  ///< of what error feedback holds back, mean over ranks
  std::vector<Layer> layers;
};

/// "pruned": from rank 0, after each step of pruning, and after each regrowth of pruned weights.
struct PrunedEvent {
  std::int64_t iteration = 0;  ///< the last one before this pruning; 0: none was
  double training_s = 0;
  double seconds = 0;  ///< on the clock, for scoring, masks and what the method prepares
  double kept_fraction = 1;
  std::string
      mask_sample;  ///< what is kept of a fixed choice of weights (contract/result/mask_overlap.h)
  /// Whether pruned weights grew again. The change then belongs to `iteration` and to its state.
  bool regrown = false;
};

/// "done": the last line of a rank that ended well.
struct DoneEvent {
  int rank = 0;
  std::int64_t iterations = 0;
  double training_s = 0;
  double pruning_s = 0;      ///< part of training_s spent on scoring, pruning and mask exchange
  LinkTraffic preparation;   ///< traffic during pruning_s, which no iteration includes
  double kept_fraction = 1;  ///< of the prunable weights
  std::int64_t peak_resident_bytes = 0;
};

/// "failed": the last line of a rank that gave up. `iteration` is 0 before the first.
struct FailedEvent {
  int rank = 0;
  std::int64_t iteration = 0;
  std::string message;
  bool diverged = false;  ///< the loss or a gradient was not finite; false: another failure
};

Json to_json(const IterationEvent& event);
Json to_json(const ReadyEvent& event);
Json to_json(const AliveEvent& event);
Json to_json(const EvaluationEvent& event);
Json to_json(const QualityEvent& event);
Json to_json(const PrunedEvent& event);
Json to_json(const DoneEvent& event);
Json to_json(const FailedEvent& event);

/// Each function throws nlohmann::json::exception when the document is not its event.
IterationEvent iteration_event_from_json(const Json& node);
ReadyEvent ready_event_from_json(const Json& node);
EvaluationEvent evaluation_event_from_json(const Json& node);
QualityEvent quality_event_from_json(const Json& node);
PrunedEvent pruned_event_from_json(const Json& node);
DoneEvent done_event_from_json(const Json& node);
FailedEvent failed_event_from_json(const Json& node);

}  // namespace pacbench
