#include "harness/run.h"

#include <fmt/format.h>

#include "base/clock.h"
#include "harness/cell_runner.h"
#include "harness/datasets.h"
#include "harness/environment.h"
#include "harness/manifest.h"
#include "harness/pretrain.h"

namespace pacbench {
namespace {

void require_datasets(const Scenario& scenario, const Catalogue& catalogue) {
  const auto& workload = scenario.workload;
  require_dataset(*catalogue.find_dataset(workload.dataset.name), data_folder());
  if (workload.initial.kind == "pretrain") {
    require_dataset(*catalogue.find_dataset(workload.initial.dataset.name), data_folder());
  }
}

RunFolder open_folder(const RunRequest& request) {
  if (request.resume) return RunFolder::open(request.out);
  if (!request.out.empty()) return RunFolder::create(request.out);
  return RunFolder::create(fmt::format("results/{}-{}", request.scenario.name, utc_now(true)));
}

/// How long the rest of a run will take, from what its cells have taken so far.
class Eta {
 public:
  explicit Eta(std::size_t cells) : left_{cells} {}

  void cell_starts() {
    start_ns_ = monotonic_ns();
    first_ns_ = 0;
  }

  void cell_ends() {
    finished_s_ += seconds(monotonic_ns() - start_ns_);
    ++finished_;
    --left_;
  }

  /// Negative while there is nothing to judge by: a cell's start says nothing about its steps.
  double seconds_left(std::int64_t iteration, std::int64_t iterations) {
    const auto now_ns = monotonic_ns();
    if (first_ns_ == 0) {
      first_ns_ = now_ns;
      first_iteration_ = iteration;
    }
    if (iteration == first_iteration_) return -1;
    const double per_iteration_s =
        seconds(now_ns - first_ns_) / static_cast<double>(iteration - first_iteration_);
    const double left_s = per_iteration_s * static_cast<double>(iterations - iteration);
    const double cell_s = seconds(now_ns - start_ns_) + left_s;
    const double mean_s = (finished_s_ + cell_s) / static_cast<double>(finished_ + 1);
    return left_s + mean_s * static_cast<double>(left_ - 1);
  }

 private:
  std::size_t left_;
  std::size_t finished_ = 0;
  double finished_s_ = 0;
  std::int64_t start_ns_ = 0;
  std::int64_t first_ns_ = 0;  ///< when the cell's first iteration was heard of
  std::int64_t first_iteration_ = 0;
};

class Run {
 public:
  Run(const RunRequest& request, const Catalogue& catalogue, const Programs& programs)
      : request_{request},
        catalogue_{catalogue},
        programs_{programs},
        progress_{request.progress},
        folder_{open_folder(request)} {
    prepare_manifest();
    for (const auto& cell : plan(request.scenario, request.filter)) {
      const auto before = folder_.recorded(cell);
      if (!before || before->status != "done") cells_.push_back(cell);
    }
  }

  RunOutcome run() {
    Eta eta{cells_.size()};
    progress_.say(fmt::format("{} cells to run into {}", cells_.size(), folder_.path()));
    RunOutcome outcome{folder_.write_result(scenario()), folder_.path(), false, 0};
    for (std::size_t i = 0; i < cells_.size() && !outcome.interrupted; ++i) {
      eta.cell_starts();
      const auto result = run_one(i, eta);
      eta.cell_ends();
      outcome.result = folder_.write_result(scenario());
      outcome.interrupted = interrupt_.requested();
      if (result.status != "done") ++outcome.not_done;
    }
    return outcome;
  }

 private:
  const Scenario& scenario() const { return request_.scenario; }

  void prepare_manifest() {
    if (request_.resume) {
      manifest_ = folder_.manifest();
      require_same_scenario(request_.out, manifest_, scenario());
    } else {
      manifest_ = new_manifest(scenario(), catalogue_);
      folder_.write_manifest(manifest_);
    }
  }

  CellResult run_one(std::size_t index, Eta& eta) {
    const auto& cell = cells_[index];
    Snapshot snapshot{static_cast<int>(index) + 1,
                      static_cast<int>(cells_.size()),
                      cell.method.label,
                      cell.link.name,
                      cell.seed,
                      0,
                      scenario().workload.max_iterations};
    auto recorder = folder_.start(cell);
    CellResult result;
    try {
      const auto checkpoint = ensure_checkpoint(scenario(), cell.seed, catalogue_.torch_version,
                                                programs_, interrupt_, progress_);
      result = run_cell(context(cell, snapshot, eta), cell, checkpoint.path, recorder);
      result.pretrain_s = checkpoint.pretrain_s;
    } catch (const PretrainingInterrupted&) {
      result = not_run(cell, "interrupted", "stopped by a signal during the pre-training");
    } catch (const CommandFailed& error) {
      result = not_run(cell, "failed", error.what());
    }
    recorder.finish(result);
    tell(snapshot, result);
    return result;
  }

  static CellResult not_run(const Cell& cell, const char* status, const std::string& reason) {
    CellResult result;
    result.label = cell.method.label;
    result.link = cell.link.name;
    result.seed = cell.seed;
    result.status = status;
    result.reason = reason;
    return result;
  }

  CellContext context(const Cell& cell, Snapshot& snapshot, Eta& eta) {
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
              snapshot.eta_s = eta.seconds_left(event.iteration, snapshot.iterations);
              progress_.update(snapshot);
            },
            [&snapshot](const EvaluationEvent& event) { snapshot.accuracy = event.accuracy; }};
  }

  void note_links(const Cell& cell, const netd::CreatedReply& created) {
    if (!told_privilege_) {
      progress_.say(fmt::format(
          "links by {}; {}", created.privilege == "root" ? "root" : "a " + created.privilege,
          created.real_time_allowed
              ? "communication threads may use a real-time class"
              : "no real-time class allowed: compute can delay communication, which the scheduling "
                "floor of each cell shows"));
      told_privilege_ = true;
    }
    if (manifest_.at("links").contains(cell.link.name)) return;
    add_links(manifest_, cell.link.name, created);
    folder_.write_manifest(manifest_);
  }

  void tell(const Snapshot& snapshot, const CellResult& result) {
    auto line = fmt::format("[{}/{}] {} {} seed {}: {}", snapshot.cell, snapshot.cells,
                            result.label, result.link, result.seed, result.status);
    if (!result.reason.empty()) line += ": " + result.reason;
    if (result.status == "done") {
      line +=
          fmt::format(", accuracy {:.3f} after {} iterations, {:.1f} ms each",
                      result.final_accuracy, result.iterations, 1000 * result.time_per_iteration_s);
    }
    progress_.say(line);
  }

  const RunRequest& request_;
  const Catalogue& catalogue_;
  const Programs& programs_;
  Interrupt interrupt_;
  Progress progress_;
  RunFolder folder_;
  Json manifest_;
  std::vector<Cell> cells_;
  bool told_privilege_ = false;
};

}  // namespace

RunOutcome run_scenario(const RunRequest& request, const Catalogue& catalogue,
                        const Programs& programs) {
  require_datasets(request.scenario, catalogue);
  return Run{request, catalogue, programs}.run();
}

}  // namespace pacbench
