#include <fmt/format.h>

#include <charconv>
#include <iterator>
#include <stdexcept>

#include "analysis/export/formats.h"
#include "analysis/export/timeline.h"
#include "harness/store/files.h"

namespace pacbench::exports {
namespace {

constexpr double kBitsPerByte = 8;

/// Numbers of the processes in a run's timeline.
constexpr int kRunProcess = 1;
constexpr int process_of(int rank) { return kRunProcess + 1 + rank; }

/// Writes the JSON of Chrome's trace viewer, which Perfetto reads, event by event. Times are
/// nanoseconds and become microseconds with three decimals, so that nothing is rounded and slices
/// that nest do so in the file. Slices of one track must nest. A slice must be written before the
/// slices that it holds.
class ChromeTrace {
 public:
  explicit ChromeTrace(Write write) : write_{std::move(write)} {
    buffer_ = R"({"displayTimeUnit":"ms","traceEvents":[)";
  }

  /// Processes are shown in the order of their numbers, which begin with 1. The tracks of a process
  /// are shown in the order of theirs, which begin with 0.
  void name_process(int process, const std::string& name) {
    metadata(process, 0, "process_name", {{"name", name}});
    metadata(process, 0, "process_sort_index", {{"sort_index", process}});
  }

  void name_track(int process, int track, const std::string& name) {
    metadata(process, track, "thread_name", {{"name", name}});
    metadata(process, track, "thread_sort_index", {{"sort_index", track}});
  }

  /// `category` is a word, `args` an object.
  void slice(int process, int track, const char* category, const std::string& name, Span span,
             const Json& args) {
    begin('X', process, track, name);
    fmt::format_to(std::back_inserter(buffer_), ",\"cat\":\"{}\",\"ts\":{},\"dur\":{}", category,
                   time(span.start_ns), time(span.end_ns - span.start_ns));
    if (!args.empty()) fmt::format_to(std::back_inserter(buffer_), ",\"args\":{}", json_text(args));
    end();
  }

  /// The value holds until the counter's next one.
  void counter(int process, const std::string& name, const char* unit, std::int64_t at_ns,
               double value) {
    begin('C', process, 0, name);
    fmt::format_to(std::back_inserter(buffer_), ",\"ts\":{},\"args\":{{\"{}\":{}}}", time(at_ns),
                   unit, value);
    end();
  }

  void finish() {
    buffer_ += "\n]}\n";
    write_(buffer_);
    buffer_.clear();
  }

 private:
  static constexpr std::size_t kBufferBytes = 1 << 16;
  // Perfetto knows a thread by its number alone, so no two tracks may share a number, not even
  // those of different processes.
  static constexpr int kTracksPerProcess = 10000;

  /// A time in microseconds, as text. Throws std::logic_error when it is negative.
  static std::string time(std::int64_t ns) {
    if (ns < 0) throw std::logic_error{fmt::format("a trace's time is {} ns", ns)};
    return fmt::format("{}.{:03}", ns / 1000, ns % 1000);
  }

  void begin(char phase, int process, int track, const std::string& name) {
    fmt::format_to(std::back_inserter(buffer_),
                   "{}\n{{\"ph\":\"{}\",\"pid\":{},\"tid\":{},\"name\":{}", any_ ? "," : "", phase,
                   process, process * kTracksPerProcess + track, json_text(name));
    any_ = true;
  }

  void end() {
    buffer_ += '}';
    if (buffer_.size() < kBufferBytes) return;
    write_(buffer_);
    buffer_.clear();
  }

  void metadata(int process, int track, const char* kind, const Json& args) {
    begin('M', process, track, kind);
    fmt::format_to(std::back_inserter(buffer_), ",\"args\":{}", json_text(args));
    end();
  }

  Write write_;
  std::string buffer_;
  bool any_ = false;
};

/// Hands over the events of one kind in a file, one after the other. Throws as for_each_event
/// does, and ConfigError naming file and line when `take` throws Json::exception.
void for_each_of(const std::string& path, const char* kind, store::Broken broken,
                 const std::function<void(const Json& event)>& take) {
  store::for_each_event(
      path, broken, [&](const Json& event, const std::string&, std::size_t number) {
        if (event.at("event") != kind) return;
        try {
          take(event);
        } catch (const Json::exception& error) {
          throw ConfigError{
              fmt::format("{}:{}", path, number),
              {{"", fmt::format("expected a whole \"{}\" event: {}", kind, error.what())}}};
        }
      });
}

/// The accuracy after each iteration that was evaluated.
std::map<std::int64_t, double> accuracies(const std::string& folder, store::Broken broken) {
  std::map<std::int64_t, double> by_iteration;
  for (const auto& each : store::read_curve(folder, broken)) {
    if (each.accuracy) by_iteration[each.iteration] = *each.accuracy;
  }
  return by_iteration;
}

Json args_of(const CellResult& cell) {
  return {{"method", cell.label},
          {"link", cell.link},
          {"seed", cell.seed},
          {"status", cell.status},
          {"link_verdict", cell.link_verdict.word},
          {"host_verdict", cell.host_verdict.word}};
}

/// The timeline of a run, which is written iteration by iteration.
class RunTimeline {
 public:
  RunTimeline(const ExportedRun& run, const Write& write) : run_{&run}, trace_{write} {
    trace_.name_process(kRunProcess, run.name());
    trace_.name_track(kRunProcess, 0, "cells");
  }

  /// Adds a cell; returns false when none of its iterations was recorded.
  bool add(const CellResult& cell) {
    const auto folder = run_->cell_folder(cell);
    // Only the files of a cell that is not done may end in half a line.
    const auto broken =
        cell.status == CellStatus::kDone ? store::Broken::kRefuse : store::Broken::kEnd;
    clock_.begin_cell();
    span_ = {};
    curve_ = accuracies(folder, broken);
    for_each_of(folder + "/iterations.jsonl", "iteration", broken,
                [&](const Json& event) { add(event.get<IterationEvent>()); });
    if (is_empty()) return false;
    trace_.slice(kRunProcess, 0, "cell", cell.name(), span_, args_of(cell));
    if (has_network(run_->result)) add_rates(cell, folder, broken);
    return true;
  }

  void finish() { trace_.finish(); }

 private:
  bool is_empty() const { return span_.end_ns == 0; }

  void add(const IterationEvent& event) {
    clock_.follow(event.rank, event.step);
    const auto step = clock_.at(event.step);
    if (is_empty()) {
      span_ = step;
      recorded_start_ns_ = event.step.start_ns;
    }
    span_ = {std::min(span_.start_ns, step.start_ns), std::max(span_.end_ns, step.end_ns)};
    recorded_start_ns_ = std::min(recorded_start_ns_, event.step.start_ns);
    name_tracks(event.rank, event.buckets.size());
    const auto process = process_of(event.rank);
    for (const auto& slice : iteration_slices(event)) {
      trace_.slice(process, slice.track, slice.category, slice.name, clock_.at(slice.span),
                   slice.args);
    }
    for (const auto& [at_ns, bytes] : backlog(event)) {
      trace_.counter(process, "left to send", "bytes", clock_.at(at_ns),
                     static_cast<double>(bytes));
    }
    if (has_network(run_->result)) add_traffic(event, step);
    if (event.rank != 0) return;
    if (const auto found = curve_.find(event.iteration); found != curve_.end()) {
      trace_.counter(kRunProcess, "accuracy", "share", step.end_ns, found->second);
    }
  }

  /// Names process and tracks of a rank as they turn up.
  void name_tracks(int rank, std::size_t buckets) {
    const auto process = process_of(rank);
    const auto [named, is_new] = named_buckets_.try_emplace(rank, 0);
    if (is_new) {
      trace_.name_process(process, fmt::format("rank {}", rank));
      trace_.name_track(process, 0, "compute");
    }
    for (auto& count = named->second; count < buckets; ++count) {
      trace_.name_track(process, 1 + static_cast<int>(count),
                        fmt::format("exchange of bucket {}", count));
    }
  }

  void add_traffic(const IterationEvent& event, const Span& step) {
    if (step.end_ns <= step.start_ns) return;
    const auto seconds = static_cast<double>(step.end_ns - step.start_ns) * 1e-9;
    const auto mbit = [&](std::int64_t bytes) {
      return static_cast<double>(bytes) * kBitsPerByte / 1e6 / seconds;
    };
    const auto process = process_of(event.rank);
    trace_.counter(process, "sent", "Mbit/s", step.start_ns, mbit(event.traffic.sent_bytes));
    trace_.counter(process, "received", "Mbit/s", step.start_ns,
                   mbit(event.traffic.received_bytes));
    trace_.counter(process, "sent", "Mbit/s", step.end_ns, 0);
    trace_.counter(process, "received", "Mbit/s", step.end_ns, 0);
  }

  /// Adds the rate of each link direction until the cell's end. A worker's link is shown under its
  /// rank, a trunk under the run.
  void add_rates(const CellResult& cell, const std::string& folder, store::Broken broken) {
    record::NetworkTrace trace;
    for_each_of(folder + "/network.jsonl", "stepped", broken,
                [&](const Json& event) { trace.add(kind_of(event), event); });
    for (const auto& [direction, changes] :
         link_rates(run_->folder + "/result.json", run_->result.scenario, cell.link, trace,
                    recorded_start_ns_)) {
      constexpr std::string_view kWorker = "worker";
      int process = kRunProcess;
      auto name = direction;
      if (direction.starts_with(kWorker)) {  // "worker3.up"
        int rank = 0;
        const auto* end = direction.data() + direction.size();
        const auto parsed = std::from_chars(direction.data() + kWorker.size(), end, rank);
        process = process_of(rank);
        name = std::string(parsed.ptr + 1, end);
      }
      for (const auto& [at_ns, rate_mbit] : changes) {
        const auto at = clock_.at(at_ns);
        if (at > span_.end_ns) break;
        trace_.counter(process, "link " + name, "Mbit/s", at, rate_mbit);
      }
    }
  }

  const ExportedRun* run_;
  ChromeTrace trace_;
  TraceClock clock_;
  std::map<int, std::size_t> named_buckets_;  ///< how many are named so far, by rank
  // These belong to the cell that is being added.
  Span span_;                           ///< of its iterations, on the trace
  std::int64_t recorded_start_ns_ = 0;  ///< of its iterations
  std::map<std::int64_t, double> curve_;
};

}  // namespace

void write_perfetto(const ExportedRun& run, const Write& write) {
  RunTimeline timeline{run, write};
  bool any = false;
  for (const auto& cell : run.result.cells) any = timeline.add(cell) || any;
  if (!any) {
    throw ConfigError{run.folder,
                      {{"/cells",
                        "found no iteration in any iterations.jsonl, expected those of at least "
                        "one cell: the folder lacks the raw lines, or each cell is of a user's own "
                        "program or ended before its first iteration"}}};
  }
  timeline.finish();
}

}  // namespace pacbench::exports
