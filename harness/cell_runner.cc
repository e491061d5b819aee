#include "harness/cell_runner.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>

#include "base/clock.h"
#include "harness/cell_summary.h"
#include "harness/cell_workers.h"
#include "harness/cpu_sampler.h"
#include "harness/fabric.h"
#include "harness/process.h"
#include "spec/worker_spec.h"

namespace pacbench {
namespace {

constexpr std::int64_t kControlBytes = 4 * 4096;
// Several processes loading torch at once on few cores.
constexpr double kStartAllowanceS = 60;
// How long to listen on after the first sign of trouble, so that the cause is heard and not only
// the consequences that overtook it.
constexpr std::int64_t kGraceNs = 700'000'000;
constexpr int kTickMs = 100;

/// Thrown inside a cell: it has failed or was interrupted.
struct CellEnded {
  std::string status;
  std::string reason;
};

class CellRun {
 public:
  CellRun(const CellContext& context, const Cell& cell, CellRecorder& recorder)
      : context_{context},
        recorder_{recorder},
        record_{fabric_request(context.scenario, cell.link).rate_mbit * 1e6 / 8},
        cell_{cell} {}

  const CellRecord& record() const { return record_; }

  void run(const std::string& checkpoint) {
    Fabric fabric{context_.programs.daemon, fabric_request(context_.scenario, cell_.link)};
    context_.on_created(fabric.created());
    start_workers(fabric, checkpoint);
    while (!all_ended()) {
      wait(fabric);
      listen();
      note_ends(fabric);
      sample_host();
      give_up_when_hopeless(fabric);
    }
    if (const auto cause = cause_of_failure(workers_, first_failed_)) {
      throw CellEnded{"failed", *cause};
    }
    record_own(CellRecord::counters_event(fabric.counters()));
  }

 private:
  void start_workers(Fabric& fabric, const std::string& checkpoint) {
    const auto rendezvous = memory_file("pacbench-rendezvous", 0);
    const auto control = memory_file("pacbench-control", kControlBytes);
    const auto gradients = memory_file("pacbench-gradients", 0);
    for (int rank = 0; rank < context_.scenario.workers; ++rank) {
      workers_.emplace_back(to_json(worker_spec(rank, checkpoint)).dump());
    }
    for (int rank = 0; rank < context_.scenario.workers; ++rank) {
      auto& worker = workers_[static_cast<std::size_t>(rank)];
      auto fds = worker.channel.worker_ends();
      fds.insert(fds.end(), {rendezvous.get(), control.get(), gradients.get()});
      worker.pid = fabric.spawn({rank, {context_.programs.worker}, minimal_environment()}, fds);
      worker.channel.started();
      worker.last_event_ns = monotonic_ns();
    }
  }

  WorkerSpec worker_spec(int rank, const std::string& checkpoint) const {
    WorkerSpec spec;
    spec.rank = rank;
    spec.workers = context_.scenario.workers;
    spec.seed = cell_.seed;
    spec.link = {context_.scenario.network.topology, cell_.link.rate_mbit};
    // The second line of defence, and enough to wait for the slowest to start: the harness knows
    // more about who is silent.
    spec.timeout_s = context_.scenario.timeout_s + kStartAllowanceS;
    spec.workload = context_.scenario.workload;
    spec.method = cell_.method.choice;
    spec.targets = context_.scenario.targets;
    spec.data_folder = context_.data_folder;
    spec.checkpoint = checkpoint;
    return spec;
  }

  bool all_ended() const {
    return std::all_of(workers_.begin(), workers_.end(),
                       [](const auto& worker) { return worker.exited && worker.channel.closed(); });
  }

  void wait(const Fabric& fabric) const {
    std::vector<pollfd> polls{{fabric.fd(), POLLIN, 0}, {context_.interrupt.fd(), POLLIN, 0}};
    for (const auto& worker : workers_) worker.channel.add_to(polls);
    ::poll(polls.data(), polls.size(), kTickMs);
    if (context_.interrupt.requested()) throw CellEnded{"interrupted", "stopped by a signal"};
  }

  void listen() {
    for (std::size_t rank = 0; rank < workers_.size(); ++rank) {
      auto& worker = workers_[rank];
      try {
        for (const auto& line : worker.channel.exchange()) take_line(rank, line);
      } catch (const ProtocolError& error) {
        if (worker.garbage.empty()) worker.garbage = error.what();
        note_trouble();
      }
      if (const auto errors = worker.channel.take_errors(); !errors.empty()) {
        constexpr std::size_t kKept = 4096;
        recorder_.worker_log(static_cast<int>(rank), errors);
        worker.last_errors += errors;
        if (worker.last_errors.size() > kKept) {
          worker.last_errors.erase(0, worker.last_errors.size() - kKept);
        }
      }
    }
  }

  void take_line(std::size_t rank, const std::string& line) {
    constexpr std::size_t kShown = 200;
    const auto event = Json::parse(line, nullptr, false);
    if (event.is_discarded()) throw ProtocolError{line.substr(0, kShown)};
    if (event.contains("rank") && event.at("rank") != rank) {
      throw ProtocolError{"the event of another rank: " + line.substr(0, kShown)};
    }
    const auto kind = record_.add(event);
    recorder_.event(kind, line);
    auto& worker = workers_[rank];
    worker.last_event_ns = monotonic_ns();
    worker.heard = true;
    if (kind == "done") worker.done = true;
    if (kind == "failed") {
      const auto& failed = record_.failed().at(static_cast<int>(rank));
      worker.failure = failed.iteration > 0
                           ? fmt::format("{} (in iteration {})", failed.message, failed.iteration)
                           : failed.message;
      if (!first_failed_) first_failed_ = static_cast<int>(rank);
      note_trouble();
    }
    if (kind == "iteration" && rank == 0) context_.on_iteration(iteration_event_from_json(event));
    if (kind == "evaluation") context_.on_evaluation(record_.curve().back());
  }

  void note_ends(Fabric& fabric) {
    for (const auto& end : fabric.take_exited()) {
      auto& worker = workers_.at(static_cast<std::size_t>(end.slot));
      worker.exited = ExitStatus{end.code, end.signal};
      if (!worker.done || !worker.exited->ok()) note_trouble();
    }
  }

  void sample_host() {
    // Only while all train: loading programs says nothing about the steps.
    const bool training = record_.ready().size() == workers_.size() && record_.done().empty();
    if (!training) return;
    if (const auto idle = sampler_.sample()) record_own(CellRecord::host_event(*idle));
  }

  void record_own(const Json& event) { recorder_.event(record_.add(event), json_text(event)); }

  void note_trouble() {
    if (trouble_ns_ == 0) trouble_ns_ = monotonic_ns();
  }

  void give_up_when_hopeless(const Fabric& fabric) const {
    const auto now_ns = monotonic_ns();
    if (trouble_ns_ != 0 && now_ns - trouble_ns_ > kGraceNs) {
      // An end that came before the worker's last line was read is judged with that line.
      throw CellEnded{"failed", cause_of_failure(workers_, first_failed_)
                                    .value_or("a worker ended before its work was done")};
    }
    if (auto silent = silence(workers_, now_ns, context_.scenario.timeout_s, kStartAllowanceS,
                              fabric.daemon_pid())) {
      throw CellEnded{"failed", *silent};
    }
  }

  const CellContext& context_;
  CellRecorder& recorder_;
  CellRecord record_;
  const Cell& cell_;
  std::vector<WorkerState> workers_;
  std::optional<int> first_failed_;
  std::int64_t trouble_ns_ = 0;  ///< when the first sign of it came; 0 while there is none
  CpuSampler sampler_;
};

}  // namespace

CellResult run_cell(const CellContext& context, const Cell& cell, const std::string& checkpoint,
                    CellRecorder& recorder) {
  CellRun run{context, cell, recorder};
  std::string status = "done";
  std::string reason;
  try {
    run.run(checkpoint);
  } catch (const CellEnded& end) {
    status = end.status;
    reason = end.reason;
  } catch (const ProtocolError& error) {
    status = "failed";
    reason = error.what();
  }
  return summarise(context.scenario, cell, run.record(), status, reason);
}

}  // namespace pacbench
