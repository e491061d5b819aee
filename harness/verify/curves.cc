#include "harness/verify/curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text_file.h"
#include "contract/catalogue/choice_json.h"
#include "contract/catalogue/method_entry.h"
#include "harness/cell/runner.h"
#include "harness/run/pretrain.h"
#include "harness/store/files.h"
#include "harness/store/manifest.h"

namespace pacbench::verify {
namespace {

struct Differs : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Incomparable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The recorded events of one file, compared with the derived events, one after the other.
class Sequence {
 public:
  /// Compares `keys` of each recorded event for which `is_wanted` is true.
  Sequence(std::string path, std::vector<std::string> keys,
           const std::function<bool(const Json&)>& is_wanted)
      : path_{std::move(path)}, keys_{std::move(keys)} {
    store::for_each_event(path_, store::Broken::kRefuse,
                          [&](const Json& event, const std::string&, std::size_t number) {
                            if (is_wanted(event)) recorded_.push_back({number, part_of(event)});
                          });
  }

  void compare_next(const Json& derived) {
    if (next_ == recorded_.size()) {
      throw Differs{
          fmt::format("{}: found no further event, expected {}", path_, part_of(derived).dump())};
    }
    const auto& [number, event] = recorded_[next_++];
    for (const auto& key : keys_) {
      if (event.at(key) == derived.at(key)) continue;
      throw Differs{
          fmt::format("{}:{}: {}: found {}, expected {}, as in the training repeated here", path_,
                      number, key, event.at(key).dump(), derived.at(key).dump())};
    }
  }

  void expect_end() const {
    if (next_ == recorded_.size()) return;
    throw Differs{fmt::format("{}:{}: found {}, expected no further event", path_,
                              recorded_[next_].number, recorded_[next_].event.dump())};
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

int recorded_compute_threads(const std::string& cell_folder) {
  int threads = 0;
  store::for_each_event(cell_folder + "/events.jsonl", store::Broken::kRefuse,
                        [&](const Json& event, const std::string&, std::size_t) {
                          if (kind_of(event) == EventKind::kReady && event.value("rank", -1) == 0) {
                            threads = event.value("compute_threads", 0);
                          }
                        });
  return threads;
}

/// The recorded curve of a cell. A cell of mode learn may be kept without its iterations.
struct Recorded {
  Recorded(const std::string& folder, bool may_lack_iterations)
      : threads{recorded_compute_threads(folder)},
        evaluations{folder + "/curve.jsonl", {"iteration", "accuracy", "loss"}, [](const Json&) {
                      return true;
                    }} {
    const auto path = folder + "/iterations.jsonl";
    if (may_lack_iterations && !text_exists(path)) return;
    iterations.emplace(path, std::vector<std::string>{"iteration", "loss"},
                       [](const Json& event) { return event.value("rank", -1) == 0; });
  }

  int threads;
  Sequence evaluations;
  std::optional<Sequence> iterations{};
};

class Derivation {
 public:
  explicit Derivation(Recorded& recorded)
      : recorded_{recorded}, log_{record::CellRecord{0}, store::CellRecorder{folder_.path()}} {}

  cell::CellLog& log() { return log_; }

  /// Whether training failed. A worker that gave up before its first step does not count.
  bool training_failed() const {
    return std::ranges::any_of(log_.record().failed(),
                               [](const auto& of_rank) { return of_rank.second.iteration > 0; });
  }

  void take(const IterationEvent& event) {
    require_same_threads();
    if (recorded_.iterations) recorded_.iterations->compare_next(to_json(event));
  }

  void take(const EvaluationEvent& event) {
    require_same_threads();
    recorded_.evaluations.compare_next(to_json(event));
  }

  std::string finish() const {
    if (recorded_.iterations) recorded_.iterations->expect_end();
    recorded_.evaluations.expect_end();
    const auto evaluations = recorded_.evaluations.compared();
    if (!recorded_.iterations) {
      return fmt::format("{} evaluations are equal to the bit; iterations were not kept",
                         evaluations);
    }
    return fmt::format("{} iterations and {} evaluations are equal to the bit",
                       recorded_.iterations->compared(), evaluations);
  }

 private:
  void require_same_threads() const {
    const auto& ready = log_.record().ready();
    const auto rank0 = ready.find(0);
    const auto threads = rank0 == ready.end() ? 0 : rank0->second.compute_threads;
    if (threads == recorded_.threads) return;
    throw Incomparable{
        fmt::format("the run's ranks computed on {} threads each; here they would compute on {}",
                    recorded_.threads, threads)};
  }

  Recorded& recorded_;
  TemporaryFolder folder_{"pacbench-verify"};
  cell::CellLog log_;
};

void append(Json& decisions, const Json& decided, const std::string& path, std::size_t number) {
  const bool whole =
      decided.is_array() && std::all_of(decided.begin(), decided.end(),
                                        [](const Json& one) { return one.is_number_unsigned(); });
  if (!whole) {
    throw ConfigError{
        path, "",
        fmt::format("line {}: found {} under \"decided\", expected a list of whole numbers", number,
                    decided.dump())};
  }
  decisions.insert(decisions.end(), decided.begin(), decided.end());
}

/// All decisions that rank 0 recorded, one after the other.
Json decisions_in(const std::string& path) {
  Json decisions = Json::array();
  store::for_each_event(
      path, store::Broken::kRefuse, [&](const Json& event, const std::string&, std::size_t number) {
        if (event.value("rank", -1) != 0) return;
        for (const auto& bucket : event.at("buckets")) {
          if (!bucket.contains("notes") || !bucket.at("notes").contains("decided")) continue;
          append(decisions, bucket.at("notes").at("decided"), path, number);
        }
      });
  return decisions;
}

}  // namespace

plan::Cell with_recorded_decisions(plan::Cell cell, const std::string& cell_folder,
                                   const Catalogue& catalogue) {
  auto& choice = cell.method.choice;
  const auto* method = catalogue.find_method(choice.name);
  const auto* option = method == nullptr ? nullptr : decisions_option(*method);
  if (option == nullptr) return cell;
  if (!traits_of(*method, choice_to_json(choice), catalogue.methods).depends_on_time) return cell;
  choice.options[option->name] = decisions_in(cell_folder + "/iterations.jsonl");
  return cell;
}

std::optional<std::string> incomparable_here(const store::RecordedRun& run,
                                             const Catalogue& catalogue) {
  if (uses_nccl(run.scenario)) {
    return "NCCL adds gradients in another order than ranks in one process do";
  }
  if (uses_gpus(run.scenario)) return "a GPU's libraries may add floats in another order each time";
  for (const auto& origin : store::origins(run.manifest, catalogue)) {
    if (origin.there == origin.here) continue;
    return fmt::format("{} was {}, here it is {}", origin.words, origin.there, origin.here);
  }
  return std::nullopt;
}

std::vector<plan::Cell> sample_curves(const store::RecordedRun& run,
                                      const std::vector<plan::Cell>& cells, std::size_t per_method,
                                      bool runs_code) {
  auto candidates = cells;
  std::erase_if(candidates, [&](const plan::Cell& cell) {
    return is_program(cell.method) || (!runs_code && runs_python(run.scenario, cell.method));
  });
  std::ranges::stable_sort(candidates, {}, &plan::Cell::seed);
  std::map<std::string, std::size_t> taken;
  std::vector<plan::Cell> sample;
  for (const auto& cell : candidates) {
    bool done = false;
    store::for_each_event(run.cell_folder(cell) + "/events.jsonl", store::Broken::kEnd,
                          [&](const Json& event, const std::string&, std::size_t) {
                            done = done || (kind_of(event) == EventKind::kEnded &&
                                            event.at("status") == CellStatus::kDone);
                          });
    if (done && taken[cell.method.label]++ < per_method) sample.push_back(cell);
  }
  return sample;
}

CurveCheck verify_curve(const store::RecordedRun& run, const plan::Cell& cell,
                        const Catalogue& catalogue, const Programs& programs,
                        const Interrupt& interrupt, run::Progress& progress) {
  using Found = CurveCheck::Verdict;
  std::optional<Recorded> recorded;
  try {
    recorded.emplace(run.cell_folder(cell), !has_network(run.scenario));
  } catch (const std::exception& error) {
    return {Found::kDiffers, error.what()};
  }
  auto scenario = run.scenario;
  scenario.mode = Mode::kLearn;
  scenario.quality_every = 0;
  std::optional<Derivation> derivation;
  try {
    const auto decided = with_recorded_decisions(cell, run.cell_folder(cell), catalogue);
    const bool fed_back = decided.method.choice.options != cell.method.choice.options;
    derivation.emplace(*recorded);
    run::Snapshot snapshot{
        1, 1, cell.method.label, cell.link.name, cell.seed, 0, scenario.workload.max_iterations};
    const auto checkpoint = run::ensure_checkpoint(scenario, cell.seed, catalogue.torch_version,
                                                   programs, interrupt, progress);
    const cell::RunContext context{programs,
                                   scenario,
                                   interrupt,
                                   data_folder(),
                                   {},
                                   [&](const IterationEvent& event) {
                                     derivation->take(event);
                                     snapshot.iteration = event.iteration;
                                     progress.update(snapshot);
                                   },
                                   [&](const EvaluationEvent& event) { derivation->take(event); }};
    cell::run_cell(context, decided, {checkpoint.path, "", ""}, derivation->log());
    return {Found::kEqual,
            derivation->finish() + (fed_back ? ", with the decisions that the run recorded" : "")};
  } catch (const Incomparable& reason) {
    return {Found::kIncomparable, reason.what()};
  } catch (const Differs& difference) {
    return {Found::kDiffers, difference.what()};
  } catch (const Interrupted&) {
    throw;
  } catch (const cell::CellFailed& failed) {
    if (derivation->training_failed()) {
      return {Found::kDiffers, std::string{"training failed: "} + failed.what()};
    }
    return {Found::kNotDerived, failed.what()};
  } catch (const std::exception& error) {
    return {Found::kNotDerived, error.what()};
  }
}

}  // namespace pacbench::verify
