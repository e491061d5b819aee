#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json/checked_keys.h"
#include "contract/scenario/target.h"
#include "contract/worker/event_kind.h"

namespace pacbench {

/// The events of a worker, one JSON object a line on its standard output; "event" holds the kind.
/// Times are CLOCK_MONOTONIC nanoseconds, comparable between the ranks of a host. In mode simulate
/// they are simulated nanoseconds from 0, comparable between all ranks.

/// A phase of work: when it began and when it ended.
struct Span {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
};

/// An array of the two times.
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
  static constexpr auto kKind = EventKind::kIteration;
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
  static constexpr auto kKind = EventKind::kReady;
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
  static constexpr auto kKind = EventKind::kAlive;
  int rank = 0;
};

/// "evaluation": from rank 0, off the clock.
struct EvaluationEvent {
  static constexpr auto kKind = EventKind::kEvaluation;
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
  static constexpr auto kKind = EventKind::kQuality;
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
  static constexpr auto kKind = EventKind::kPruned;
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
  static constexpr auto kKind = EventKind::kDone;
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
  static constexpr auto kKind = EventKind::kFailed;
  int rank = 0;
  std::int64_t iteration = 0;
  std::string message;
  bool diverged = false;  ///< the loss or a gradient was not finite; false: another failure
};

template <>
struct JsonFields<CollectiveTrace> {
  using T = CollectiveTrace;
  static constexpr std::tuple kAll{required("op", &T::op),
                                   required("dtype", &T::dtype),
                                   required("elements", &T::elements),
                                   required("payload_bytes", &T::payload_bytes),
                                   required("sent_bytes", &T::sent_bytes),
                                   required("ready_ns", &T::ready_ns),
                                   required("wire", &T::wire),
                                   sparse("group_size", &T::group_size)};
};

template <>
struct JsonFields<BucketTrace> {
  using T = BucketTrace;
  static constexpr std::tuple kAll{required("index", &T::index), required("elements", &T::elements),
                                   required("exchange", &T::exchange),
                                   required("collectives", &T::collectives),
                                   sparse("notes", &T::notes)};
};

template <>
struct JsonFields<LinkTraffic> {
  using T = LinkTraffic;
  static constexpr std::tuple kAll{required("sent_bytes", &T::sent_bytes),
                                   required("sent_packets", &T::sent_packets),
                                   required("received_bytes", &T::received_bytes),
                                   required("received_packets", &T::received_packets),
                                   required("dropped_packets", &T::dropped_packets),
                                   required("retransmits", &T::retransmits)};
};

template <>
struct JsonFields<IterationEvent> {
  using T = IterationEvent;
  static constexpr std::tuple kAll{required("rank", &T::rank),
                                   required("iteration", &T::iteration),
                                   required("step", &T::step),
                                   required("forward", &T::forward),
                                   required("backward", &T::backward),
                                   required("exposed", &T::exposed),
                                   required("optimizer", &T::optimizer),
                                   required("training_s", &T::training_s),
                                   required("loss", &T::loss),
                                   required("expected_sent_bytes", &T::expected_sent_bytes),
                                   required("buckets", &T::buckets),
                                   required("traffic", &T::traffic),
                                   sparse("late", &T::late)};
};

template <>
struct JsonFields<ReadyEvent> {
  using T = ReadyEvent;
  static constexpr std::tuple kAll{required("rank", &T::rank),
                                   required("parameters", &T::parameters),
                                   required("bucket_elements", &T::bucket_elements),
                                   required("compute_threads", &T::compute_threads),
                                   required("real_time", &T::real_time),
                                   required("scheduling_floor_ms", &T::scheduling_floor_ms),
                                   required("resident_bytes", &T::resident_bytes),
                                   sparse("floor_bytes", &T::floor_bytes),
                                   sparse("iteration", &T::iteration)};
};

template <>
struct JsonFields<AliveEvent> {
  static constexpr std::tuple kAll{required("rank", &AliveEvent::rank)};
};

template <>
struct JsonFields<EvaluationEvent> {
  using T = EvaluationEvent;
  static constexpr std::tuple kAll{required("iteration", &T::iteration),
                                   required("training_s", &T::training_s),
                                   sparse("accuracy", &T::accuracy), required("loss", &T::loss)};
};

template <>
struct JsonFields<QualityEvent::Layer> {
  using T = QualityEvent::Layer;
  static constexpr std::tuple kAll{required("name", &T::name), required("vnmse", &T::vnmse)};
};

template <>
struct JsonFields<QualityEvent> {
  using T = QualityEvent;
  static constexpr std::tuple kAll{
      required("iteration", &T::iteration), required("vnmse", &T::vnmse),
      required("cosine", &T::cosine),       required("mean_norm", &T::mean_norm),
      sparse("density", &T::density),       required("residual_norm", &T::residual_norm),
      required("layers", &T::layers)};
};

template <>
struct JsonFields<PrunedEvent> {
  using T = PrunedEvent;
  static constexpr std::tuple kAll{
      required("iteration", &T::iteration),     required("training_s", &T::training_s),
      required("seconds", &T::seconds),         required("kept_fraction", &T::kept_fraction),
      required("mask_sample", &T::mask_sample), sparse("regrown", &T::regrown)};
};

template <>
struct JsonFields<DoneEvent> {
  using T = DoneEvent;
  static constexpr std::tuple kAll{required("rank", &T::rank),
                                   required("iterations", &T::iterations),
                                   required("training_s", &T::training_s),
                                   required("pruning_s", &T::pruning_s),
                                   required("preparation", &T::preparation),
                                   required("kept_fraction", &T::kept_fraction),
                                   required("peak_resident_bytes", &T::peak_resident_bytes)};
};

template <>
struct JsonFields<FailedEvent> {
  using T = FailedEvent;
  static constexpr std::tuple kAll{required("rank", &T::rank), required("iteration", &T::iteration),
                                   required("message", &T::message),
                                   required("diverged", &T::diverged)};
};

/// Returns an event with its kind. `event.get<IterationEvent>()` and so on are the inverse.
template <typename Event>
requires requires { Event::kKind; }
Json to_json(const Event& event) {
  Json node = event;
  node["event"] = Event::kKind;
  return node;
}

/// Reads a FailedEvent, also of pacbench 0.2.0 and before. Throws nlohmann::json::exception when
/// the document is no such event.
FailedEvent failed_event_from_json(const Json& node);

}  // namespace pacbench
