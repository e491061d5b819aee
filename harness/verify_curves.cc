#include "harness/verify_curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/build_info.h"
#include "harness/cell_files.h"
#include "harness/cell_runner.h"
#include "harness/environment.h"
#include "harness/pretrain.h"

namespace pacbench {
namespace {

struct Differs : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Incomparable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The recorded events of one file, held against those that are derived, one after the other.
class Sequence {
 public:
  /// Compares `keys` of each event that `is_wanted`.
  Sequence(std::string path, std::vector<std::string> keys,
           const std::function<bool(const Json&)>& is_wanted)
      : path_{std::move(path)}, keys_{std::move(keys)} {
    for_each_event(path_, Broken::kRefuse,
                   [&](const Json& event, const std::string&, std::size_t number) {
                     if (is_wanted(event)) recorded_.push_back({number, part_of(event)});
                   });
  }

  void compare_next(const Json& derived) {
    if (next_ == recorded_.size()) {
      throw Differs{fmt::format("{}: found its end, expected {}", path_, part_of(derived).dump())};
    }
    const auto& [number, event] = recorded_[next_++];
    for (const auto& key : keys_) {
      if (event.at(key) == derived.at(key)) continue;
      throw Differs{fmt::format("{}:{}: {}: found {}, expected {}", path_, number, key,
                                event.at(key).dump(), derived.at(key).dump())};
    }
  }

  void expect_end() const {
    if (next_ == recorded_.size()) return;
    throw Differs{fmt::format("{}:{}: found {}, expected the end", path_, recorded_[next_].number,
                              recorded_[next_].event.dump())};
  }

  std::size_t compared() const { return next_; }

 private:
  struct Line {
    std::size_t number;
    Json event;
  };

  Json part_of(const Json& event) const {
    Json part = Json::object();
    for (const auto& key : keys_) part[key] = event.value(key, Json{});
    return part;
  }

  std::string path_;
  std::vector<std::string> keys_;
  std::vector<Line> recorded_;
  std::size_t next_ = 0;
};

int compute_threads(const CellRecord& record) {
  const auto rank0 = record.ready().find(0);
  return rank0 == record.ready().end() ? 0 : rank0->second.compute_threads;
}

int recorded_compute_threads(const std::string& cell_folder) {
  int threads = 0;
  for_each_event(cell_folder + "/events.jsonl", Broken::kRefuse,
                 [&](const Json& event, const std::string&, std::size_t) {
                   if (event.at("event") == "ready" && event.value("rank", -1) == 0) {
                     threads = event.value("compute_threads", 0);
                   }
                 });
  return threads;
}

/// The scenario of the run, as mode learn runs it.
Scenario to_learn(Scenario scenario) {
  scenario.mode = "learn";
  scenario.quality_every = 0;
  return scenario;
}

class Derivation {
 public:
  Derivation(const RecordedRun& run, const Cell& cell)
      : threads_{recorded_compute_threads(run.cell_folder(cell))},
        evaluations_{run.cell_folder(cell) + "/curve.jsonl",
                     {"iteration", "accuracy", "loss"},
                     [](const Json&) { return true; }},
        iterations_{run.cell_folder(cell) + "/iterations.jsonl",
                    {"iteration", "loss"},
                    [](const Json& event) { return event.value("rank", -1) == 0; }},
        log_{CellRecord{0}, CellRecorder{folder_.path()}} {}

  CellLog& log() { return log_; }

  void take(const IterationEvent& event) {
    const auto threads = compute_threads(log_.record());
    if (threads != threads_) {
      throw Incomparable{fmt::format(
          "the run's ranks computed on {} threads each, here it would be {}", threads_, threads)};
    }
    iterations_.compare_next(to_json(event));
  }

  void take(const EvaluationEvent& event) { evaluations_.compare_next(to_json(event)); }

  std::string finish() const {
    iterations_.expect_end();
    evaluations_.expect_end();
    return fmt::format("{} iterations and {} evaluations are equal to the bit",
                       iterations_.compared(), evaluations_.compared());
  }

 private:
  int threads_;
  Sequence evaluations_;
  Sequence iterations_;
  TemporaryFolder folder_{"pacbench-verify"};
  CellLog log_;
};

}  // namespace

std::optional<std::string> incomparable_here(const RecordedRun& run, const Catalogue& catalogue) {
  const auto environment = run.manifest.value("environment", Json::object());
  const std::tuple<const char*, std::string, std::string> facts[] = {
      {"CPU", environment.value("cpu", "unknown"), Environment::read().cpu},
      {"torch", run.manifest.value("torch_version", "unknown"), catalogue.torch_version},
      {"pacbench", run.manifest.value("pacbench_version", "unknown"), version()}};
  for (const auto& [what, there, here] : facts) {
    if (there != here) return fmt::format("{} was {}, here it is {}", what, there, here);
  }
  return std::nullopt;
}

std::vector<Cell> sample_curves(const RecordedRun& run, const std::vector<Cell>& cells,
                                std::size_t per_method) {
  auto candidates = cells;
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Cell& one, const Cell& other) { return one.seed < other.seed; });
  std::map<std::string, std::size_t> taken;
  std::vector<Cell> sample;
  for (const auto& cell : candidates) {
    bool done = false;
    for_each_event(run.cell_folder(cell) + "/events.jsonl", Broken::kEnd,
                   [&](const Json& event, const std::string&, std::size_t) {
                     done = done ||
                            (event.at("event") == "ended" && event.value("status", "") == "done");
                   });
    if (done && taken[cell.method.label]++ < per_method) sample.push_back(cell);
  }
  return sample;
}

CurveCheck verify_curve(const RecordedRun& run, const Cell& cell, const Catalogue& catalogue,
                        const Programs& programs, const Interrupt& interrupt, Progress& progress) {
  const auto scenario = to_learn(run.scenario);
  try {
    Derivation derivation{run, cell};
    Snapshot snapshot{
        1, 1, cell.method.label, cell.link.name, cell.seed, 0, scenario.workload.max_iterations};
    const auto checkpoint = ensure_checkpoint(scenario, cell.seed, catalogue.torch_version,
                                              programs, interrupt, progress);
    const CellContext context{programs,
                              scenario,
                              interrupt,
                              data_folder(),
                              {},
                              [&](const IterationEvent& event) {
                                derivation.take(event);
                                snapshot.iteration = event.iteration;
                                progress.update(snapshot);
                              },
                              [&](const EvaluationEvent& event) { derivation.take(event); }};
    run_cell(context, cell, {checkpoint.path, "", ""}, derivation.log());
    return {CurveCheck::Verdict::kEqual, derivation.finish()};
  } catch (const Incomparable& reason) {
    return {CurveCheck::Verdict::kIncomparable, reason.what()};
  } catch (const CellEnded& end) {
    if (end.status == "interrupted") throw;
    return {CurveCheck::Verdict::kDiffers, "it cannot be derived again: " + end.reason};
  } catch (const Differs& difference) {
    return {CurveCheck::Verdict::kDiffers, difference.what()};
  } catch (const ConfigError& error) {
    return {CurveCheck::Verdict::kDiffers, error.what()};
  }
}

}  // namespace pacbench
