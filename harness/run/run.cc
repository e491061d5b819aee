#include "harness/run/run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>
#include <set>

#include "base/clock.h"
#include "contract/catalogue/method_entry.h"
#include "harness/cell/program.h"
#include "harness/cell/runner.h"
#include "harness/compose/memory.h"
#include "harness/compose/recorded_curves.h"
#include "harness/data/datasets.h"
#include "harness/machine/devices.h"
#include "harness/machine/environment.h"
#include "harness/machine/meter.h"
#include "harness/probes/features.h"
#include "harness/record/composed_clock.h"
#include "harness/run/network_audit.h"
#include "harness/run/pretrain.h"
#include "harness/run/reruns.h"
#include "harness/store/cell_file.h"
#include "harness/store/files.h"
#include "harness/store/manifest.h"
#include "harness/store/resume.h"

namespace pacbench::run {
namespace {

store::RunFolder open_folder(const RunRequest& request) {
  if (request.resume) {
    auto folder = store::RunFolder::open(request.out);
    folder.require_unchanged(plan::plan(request.scenario), store::changed_cell);
    return folder;
  }
  if (!request.out.empty()) return store::RunFolder::create(request.out);
  return store::RunFolder::create(default_folder(request.scenario));
}

std::optional<store::RecordedRun> curves_of(const Scenario& scenario, const Catalogue& catalogue) {
  if (!scenario.compose || scenario.compose->curve.empty()) return std::nullopt;
  return compose::open_curves(scenario, catalogue);
}

/// How many iterations a cell has at most; 0 for a program, whose number is unknown.
std::int64_t iterations_of(const Scenario& scenario, const plan::Cell& cell) {
  if (is_program(cell.method)) return 0;
  return scenario.compose ? scenario.compose->iterations : scenario.workload.max_iterations;
}

std::string deleted_words(const std::vector<std::string>& deleted) {
  return deleted.empty() ? "" : fmt::format("; deleted: {}", fmt::join(deleted, ", "));
}

/// Adds the curve's training and evaluations, at the times that the cell's clock gives them.
void add_curve(const compose::RecordedCurve& curve, const Scenario& scenario, cell::CellLog& log) {
  log.add(to_json(curve.training));
  for (const auto& evaluation : record::timed(curve.evaluations, scenario, log.record())) {
    log.add(to_json(evaluation));
  }
}

/// Starts a meter where this machine carries the links, and so can disturb what is measured.
std::unique_ptr<Meter> meter_for(const RunRequest& request, const Programs& programs) {
  if (!makes_links(request.scenario) || request.over_hosts) return nullptr;
  return std::make_unique<Meter>(programs.probe);
}

class Run {
 public:
  Run(const RunRequest& request, const Catalogue& catalogue, const Programs& programs,
      const std::optional<Devices>& devices)
      : request_{request},
        catalogue_{catalogue},
        programs_{programs},
        progress_{request.progress},
        curves_{curves_of(request.scenario, catalogue)},
        folder_{open_folder(request)},
        meter_{meter_for(request, programs)},
        audit_{programs, request.scenario, folder_, interrupt_, progress_, meter_.get()},
        reruns_{request, folder_, progress_} {
    for (const auto& cell : plan::plan(request.scenario, request.filter)) {
      const auto before = folder_.recorded(cell);
      const bool is_done = before && before->status == CellStatus::kDone &&
                           !reruns_.set_aside_as_asked(cell, *before);
      const bool is_kept = before && before->status == CellStatus::kFailed &&
                           request.keep_diverged && store::has_diverged(folder_.cell_folder(cell));
      if (is_done) tidy(cell);
      if (!is_done && !is_kept) cells_.push_back(cell);
    }
    prepare_manifest(devices);
  }

  RunOutcome run() {
    Eta eta{cells_.size()};
    progress_.say(fmt::format("{} cells to run; results go to {}", cells_.size(), folder_.path()));
    RunOutcome outcome{folder_.write_result(scenario()), folder_.path(), false, 0};
    try {
      for (std::size_t first = 0; first < cells_.size();) first = run_network(first, eta, outcome);
      probe_cells_that_lack_it();
    } catch (const Interrupted&) {
      outcome.interrupted = true;
    }
    outcome.result = folder_.write_result(scenario());
    return outcome;
  }

 private:
  const Scenario& scenario() const { return request_.scenario; }

  void tidy(const plan::Cell& cell) {
    const auto deleted = store::tidy_done_cell(folder_.cell_folder(cell));
    if (!deleted.empty()) progress_.say(cell.folder_name() + " is done" + deleted_words(deleted));
  }

  void prepare_manifest(const std::optional<Devices>& devices) {
    if (request_.resume) {
      manifest_ = store::read_manifest(folder_.path());
      const auto source = request_.out + "/manifest.json";
      if (request_.decision) {
        plan::require_same_decision(source, manifest_.scenario, manifest_.device, scenario(),
                                    *request_.decision);
      }
      store::require_same_scenario(request_.out, manifest_, scenario());
      if (request_.keep_diverged && cells_.empty()) return;
      store::require_same_origin(source, manifest_, catalogue_);
      if (devices) require_same_gpus(source, manifest_.devices, *devices);
      store::add_continuation(manifest_,
                              cells_.empty() ? std::nullopt : std::optional{Environment::read()});
    } else {
      manifest_ = store::new_manifest(scenario(), catalogue_);
      if (request_.decision) manifest_.device = to_json(*request_.decision);
      if (devices) manifest_.devices = recorded_devices(scenario(), *devices);
    }
    folder_.write_manifest(manifest_);
  }

  /// Runs the cell `first` and those after it over the same link, between two probes of that link.
  /// Returns the index of the first cell over another link. Throws Interrupted on an interrupt.
  std::size_t run_network(std::size_t first, Eta& eta, RunOutcome& outcome) {
    const auto& link = cells_[first].link.name;
    auto last = first;
    while (last < cells_.size() && cells_[last].link.name == link) ++last;
    const auto begin = cells_.begin() + static_cast<std::ptrdiff_t>(first);
    const std::vector<plan::Cell> network(begin, begin + static_cast<std::ptrdiff_t>(last - first));
    audit_.before(network);
    for (auto index = first; index < last; ++index) {
      eta.cell_starts();
      const auto result = run_one(index, eta);
      eta.cell_ends();
      if (result.status != CellStatus::kDone) ++outcome.not_done;
      outcome.result = folder_.write_result(scenario());
      interrupt_.throw_if_requested();
    }
    audit_.after(network);
    return last;
  }

  /// Makes the missing probes after cells: those that an earlier run did not come to, and those
  /// that failed. A link whose probe fails again is not probed once more.
  void probe_cells_that_lack_it() {
    std::set<std::string> tried;
    while (true) {
      auto left = audit_.lacking(plan::plan(scenario(), request_.filter));
      std::erase_if(left, [&](const plan::Cell& cell) { return tried.contains(cell.link.name); });
      if (left.empty()) return;
      const auto link = left.front().link.name;
      tried.insert(link);
      std::erase_if(left, [&](const plan::Cell& cell) { return cell.link.name != link; });
      audit_.after(left);
    }
  }

  /// Runs a cell, and again while the machine was too disturbed. Of several tries the one that was
  /// disturbed least is the cell's.
  CellResult run_one(std::size_t index, Eta& eta) {
    auto result = run_once(index, eta);
    while (reruns_.wants_again(cells_[index], result)) {
      interrupt_.throw_if_requested();
      result = run_once(index, eta);
    }
    if (!reruns_.bring_back_the_quietest(cells_[index], result)) return result;
    return audit_.finish(cells_[index], record::read_record(folder_.cell_folder(cells_[index]),
                                                            {scenario(), cells_[index]}));
  }

  CellResult run_once(std::size_t index, Eta& eta) {
    const auto& cell = cells_[index];
    Snapshot snapshot{static_cast<int>(index) + 1,
                      static_cast<int>(cells_.size()),
                      cell.method.label,
                      cell.link.name,
                      cell.seed,
                      0,
                      iterations_of(scenario(), cell)};
    cell::CellFiles files;
    auto log = open_log(cell, files);
    // open_log() has deleted the cell's earlier numbers, so they must leave result.json too.
    folder_.write_result(scenario());
    cell::conclude(log, [&] {
      if (!is_program(cell.method) && runs_workers(scenario())) {
        files.checkpoint = initial_weights(cell.seed, log);
      }
      const auto began_ns = monotonic_ns();
      if (meter_) meter_->forget_before(began_ns);
      cell::run_cell(context(cell, snapshot, eta), cell, files, log);
      if (meter_) {
        const auto machine = in_emulated_time(meter_->since(began_ns));
        log.add(record::CellRecord::meter_event(machine, reruns_.attempt(cell)));
      }
      if (curves_) {
        add_curve(compose::curve_of(*curves_, cell, catalogue_), scenario(), log);
      }
    });
    auto result = audit_.finish(cell, log.record());
    tell(snapshot, result);
    return result;
  }

  std::string initial_weights(std::int64_t seed, cell::CellLog& log) {
    const auto checkpoint = ensure_checkpoint(scenario(), seed, catalogue_.torch_version, programs_,
                                              interrupt_, progress_);
    if (scenario().workload.initial.kind == "pretrain") {
      log.add(record::CellRecord::pretrained_event(checkpoint.pretrain_s));
    }
    return checkpoint.path;
  }

  /// Opens a cell's log. In mode learn a cell goes on from the newest state that an earlier run
  /// left, and its lines after that state are deleted. Every other cell starts anew, and what an
  /// earlier run recorded of it is deleted. Tells the user what was deleted.
  cell::CellLog open_log(const plan::Cell& cell, cell::CellFiles& files) {
    record::CellRecord record{scenario(), cell};
    if (!has_network(scenario())) {
      files.state_folder = std::filesystem::absolute(folder_.cell_folder(cell)).string();
      for (const auto& broken : store::broken_lines(files.state_folder)) {
        progress_.say(broken + "; the lines from there on are not used");
      }
      const auto [state, deleted] = store::rewind_cell(files.state_folder, scenario());
      if (!state.path.empty()) {
        const auto goes_on =
            fmt::format("{} goes on after iteration {}", cell.folder_name(), state.iteration);
        progress_.say(goes_on + deleted_words(deleted));
        files.resume_state = state.path;
        return {record::read_record(files.state_folder, std::move(record)),
                store::CellRecorder{folder_.cell_folder(cell)}};
      }
    }
    if (const auto deleted = store::delete_cell(folder_.cell_folder(cell)); !deleted.empty()) {
      const auto why =
          has_network(scenario()) ? "" : ": it has no saved state up to which all lines are there";
      progress_.say(fmt::format("{} starts from the beginning{}{}", cell.folder_name(), why,
                                deleted_words(deleted)));
    }
    return {std::move(record), folder_.start(cell)};
  }

  cell::RunContext context(const plan::Cell& cell, Snapshot& snapshot, Eta& eta) {
    return {programs_,
            scenario(),
            interrupt_,
            data_folder(),
            [this, &cell](const netd::CreatedReply& created) { note_links(cell, created); },
            [this, &snapshot, &eta](const IterationEvent& event) {
              const double step_s = seconds(event.step.end_ns - event.step.start_ns);
              snapshot.iteration = event.iteration;
              snapshot.step_ms = 1000 * step_s;
              snapshot.sent_mbit =
                  static_cast<double>(event.traffic.sent_bytes) * 8e-6 / std::max(step_s, 1e-9);
              if (snapshot.iterations > 0) {
                snapshot.eta_s = eta.seconds_left(event.iteration, snapshot.iterations);
              }
              progress_.update(snapshot);
            },
            [&snapshot](const EvaluationEvent& event) {
              snapshot.accuracy = event.accuracy.value_or(-1);
            }};
  }

  void note_links(const plan::Cell& cell, const netd::CreatedReply& created) {
    if (!told_privilege_) {
      const auto& privilege = created.privilege;
      const auto made = privilege == "root"             ? "are made by root"
                        : privilege == "user namespace" ? "are made in a user namespace"
                                                        : "come from a " + privilege;
      progress_.say(fmt::format(
          "links {}; {}", made,
          created.real_time_allowed
              ? "communication threads may use a real-time class"
              : "no real-time class allowed: compute can delay communication, which the scheduling "
                "floor of each cell shows"));
      told_privilege_ = true;
    }
    if (manifest_.links.contains(cell.link.name)) return;
    store::add_links(manifest_, cell.link.name, created);
    folder_.write_manifest(manifest_);
  }

  void tell(const Snapshot& snapshot, const CellResult& result) {
    auto line = fmt::format("[{}/{}] {} {} seed {}: {}", snapshot.cell, snapshot.cells,
                            result.label, result.link, result.seed, word_of(result.status));
    if (!result.reason.empty()) line += ": " + result.reason;
    if (result.status == CellStatus::kDone) {
      const bool is_whole = is_program_alone(scenario()) && result.iterations == 1;
      line += is_whole ? ", whole program" : words_of_end(result);
      if (is_whole) {
        line += fmt::format(" in {:.2f} s", result.training_s);
      } else if (has_network(scenario())) {
        line += fmt::format(", {:.1f} ms each", 1000 * step_time_s(result));
      }
    }
    progress_.say(line);
  }

  std::string words_of_end(const CellResult& result) const {
    if (scenario().compose || !result.final_loss) {
      return fmt::format(", {} iterations", result.iterations);
    }
    const auto end = result.final_accuracy ? fmt::format("accuracy {:.3f}", *result.final_accuracy)
                                           : fmt::format("loss {:.4g}", *result.final_loss);
    return fmt::format(", {} after {} iterations", end, result.iterations);
  }

  const RunRequest& request_;
  const Catalogue& catalogue_;
  const Programs& programs_;
  Interrupt interrupt_;
  Progress progress_;
  std::optional<store::RecordedRun> curves_;  ///< modes compose and simulate: if any
  store::RunFolder folder_;
  std::unique_ptr<Meter> meter_;  ///< where this machine carries the links
  NetworkAudit audit_;
  Reruns reruns_;
  store::Manifest manifest_;
  std::vector<plan::Cell> cells_;
  bool told_privilege_ = false;
};

void require_composable(const Scenario& scenario, const Catalogue& catalogue) {
  if (scenario.compose->sample.empty()) {
    throw ConfigError{scenario.name,
                      {{"/compose/profile",
                        "found the profile itself, expected the path of its "
                        "file, beside which the sample of gradients lies"}}};
  }
  compose::require_memory(scenario, catalogue, compose::available_memory());
}

void require_simulatable(const Scenario& scenario, const Programs& programs) {
  if (!std::filesystem::exists(programs.simulator)) {
    throw ConfigError{
        scenario.name,
        {{"/mode",
          fmt::format(
              "found \"simulate\", but {} is missing: it is built only where SimGrid is installed; "
              "run `apt-get install libsimgrid-dev`, then `cmake -B build` and tools/build",
              programs.simulator)}}};
  }
  compose::require_memory_to_simulate(scenario, compose::available_memory());
}

}  // namespace

std::string default_folder(const Scenario& scenario) {
  return fmt::format("results/{}-{}", scenario.name, utc_now(true));
}

RunOutcome run_scenario(const RunRequest& request, const Catalogue& catalogue,
                        const Programs& programs) {
  time_dilation = makes_links(request.scenario) ? request.scenario.time_dilation.factor : 1;
  if (runs_workers(request.scenario)) data::require_datasets(request.scenario, catalogue);
  if (sleeps(request.scenario)) require_composable(request.scenario, catalogue);
  if (!runs_workers(request.scenario)) require_simulatable(request.scenario, programs);
  if (const auto needs = probes::needs_of(request.scenario); !needs.empty()) {
    probes::require_features(request.scenario.name, needs, probes::ask_features(programs.daemon));
  }
  if (!request.over_hosts) cell::require_program(request.scenario);
  std::optional<Devices> devices;
  if (uses_gpus(request.scenario) && !request.over_hosts) {
    devices = request.decision ? request.decision->devices : ask_devices(programs.worker);
    require_devices(request.scenario, *devices);
  }
  return Run{request, catalogue, programs, devices}.run();
}

}  // namespace pacbench::run
