#include "harness/cell/worker_watch.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "base/clock.h"
#include "harness/cell/python_stacks.h"

namespace pacbench::cell {
namespace {

// The harness keeps listening for this time after the first sign of trouble, so that it hears the
// cause and not only consequences that overtook the cause.
constexpr std::int64_t kGraceNs = 700'000'000;
constexpr int kTickMs = 100;
constexpr std::size_t kErrorsKept = 16384;

Json parsed(const std::string& line) {
  constexpr std::size_t kShown = 200;
  auto event = parse_json_line(line);
  if (event.is_discarded()) throw ProtocolError{line.substr(0, kShown)};
  return event;
}

}  // namespace

WorkerState& WorkerWatch::add(std::string input, int ranks) {
  auto& worker = workers_.emplace_back(std::move(input), ranks_, ranks);
  ranks_ += ranks;
  worker.last_event_ns = monotonic_ns();
  return worker;
}

void WorkerWatch::run(links::WorkerHost& host, const std::function<void()>& meanwhile) {
  while (!all_ended()) {
    wait(host);
    listen();
    // Thrown after listen(), so that all events are recorded and the cell can resume after them.
    context_.interrupt.throw_if_requested();
    note_ends(host);
    meanwhile();
    sample_host();
    give_up_when_hopeless(host);
  }
  if (const auto cause = cause_of_failure(workers_, first_failure_)) {
    throw CellFailed{*cause};
  }
}

bool WorkerWatch::all_ended() const {
  const auto now_ns = monotonic_ns();
  return std::all_of(workers_.begin(), workers_.end(),
                     [&](const auto& worker) { return worker.over(now_ns); });
}

void WorkerWatch::wait(const links::WorkerHost& host) const {
  std::vector<pollfd> polls{{host.fd(), POLLIN, 0}, {context_.interrupt.fd(), POLLIN, 0}};
  for (const auto& worker : workers_) worker.channel.add_to(polls);
  ::poll(polls.data(), polls.size(), kTickMs);
}

void WorkerWatch::listen() {
  for (auto& worker : workers_) {
    try {
      for (const auto& line : worker.channel.exchange()) take_or_note(worker, line);
    } catch (const ProtocolError& error) {
      note_garbage(worker, error.what());
    }
    if (const auto errors = worker.channel.take_errors(); !errors.empty()) {
      log_.worker_log(worker.who(), errors);
      worker.last_errors += errors;
      if (worker.last_errors.size() > kErrorsKept) {
        worker.last_errors.erase(0, worker.last_errors.size() - kErrorsKept);
      }
    }
  }
}

/// Takes a line. A line that is no event is only noted: later lines may explain it and must not be
/// lost.
void WorkerWatch::take_or_note(WorkerState& worker, const std::string& line) {
  try {
    take_line(worker, line);
  } catch (const ProtocolError& error) {
    note_garbage(worker, error.what());
  }
}

void WorkerWatch::note_garbage(WorkerState& worker, const std::string& what) {
  if (worker.garbage.empty()) worker.garbage = what;
  note_trouble();
}

void WorkerWatch::take_line(WorkerState& worker, const std::string& line) {
  const auto event = parsed(line);
  if (event.contains("rank") && !worker.speaks_for(event.at("rank"))) {
    throw ProtocolError{
        fmt::format("expected an event of {}, found {}", worker.who(), line.substr(0, 200))};
  }
  const auto kind = log_.add(event, line);
  worker.note_event(event, monotonic_ns());
  if (kind == EventKind::kDone) worker.rank_of(event).done = true;
  if (kind == EventKind::kFailed) take_failure(worker, failed_event_from_json(event));
  if (kind == EventKind::kIteration && event.at("rank") == 0) {
    context_.on_iteration(iteration_event_from_json(event));
  }
  if (kind == EventKind::kEvaluation) context_.on_evaluation(log_.record().curve().back());
}

void WorkerWatch::take_failure(WorkerState& worker, const FailedEvent& failed) {
  worker.failure = failure_words(failed);
  if (first_failure_.empty()) first_failure_ = worker.failure;
  note_trouble();
}

void WorkerWatch::note_ends(links::WorkerHost& host) {
  for (const auto& end : host.take_exited()) {
    const auto worker = std::find_if(workers_.begin(), workers_.end(), [&](const auto& candidate) {
      return candidate.process == end.process;
    });
    if (worker == workers_.end()) continue;  // a load or a probe: its own pipe tells of its end
    worker->exited = ExitStatus{end.code, end.signal};
    worker->exited_ns = monotonic_ns();
    worker->end_words = oom_.words(*worker->exited);
    if (!worker->done() || !worker->exited->ok()) note_trouble();
  }
}

void WorkerWatch::sample_host() {
  // The host is sampled only while all ranks train over links. Its load while programs start says
  // nothing about the steps. Modes learn and simulate measure no times that depend on it.
  const auto& record = log_.record();
  if (!makes_links(context_.scenario) || static_cast<int>(record.ready().size()) < ranks_) return;
  const bool ended = !record.done().empty();
  // A cell that ended within a second still gets one sample, after 0.2 s.
  if (ended && !record.host().empty()) return;
  const auto sample = sampler_.sample(ended ? HostSampler::kShortestNs : HostSampler::kPeriodNs);
  if (sample) log_.add(record::CellRecord::host_event(*sample));
}

void WorkerWatch::note_trouble() {
  if (trouble_ns_ == 0) trouble_ns_ = monotonic_ns();
}

/// Aborts the workers, so that Python prints their stacks. Says in which lines of users' files they
/// were; empty where no file of a user runs.
std::string WorkerWatch::places_in_users_code(links::WorkerHost& host) {
  if (context_.scenario.python_folder.empty()) return "";
  // Python names files by paths without links.
  const auto folder = std::filesystem::weakly_canonical(context_.scenario.python_folder).string();
  for (const auto& worker : workers_) {
    if (!worker.exited) host.signal(worker.process, SIGABRT);
  }
  const auto until_ns = monotonic_ns() + kPythonStacksNs;
  while (!all_ended() && monotonic_ns() < until_ns) {
    wait(host);
    listen();
    note_ends(host);
  }
  std::string words;
  for (const auto& worker : workers_) {
    for (const auto& frames : python_stacks_in(worker.last_errors)) {
      const auto of_user = std::find_if(frames.begin(), frames.end(), [&](const auto& frame) {
        return frame.starts_with("File \"" + folder);
      });
      if (of_user == frames.end()) continue;
      words += fmt::format("; {} was in {}", worker.who(), *of_user);
      break;
    }
  }
  return words;
}

void WorkerWatch::give_up_when_hopeless(links::WorkerHost& host) {
  const auto now_ns = monotonic_ns();
  if (trouble_ns_ != 0 && now_ns - trouble_ns_ > kGraceNs) {
    // A worker's end may be noted before its last line is read. By now that line has been read, and
    // may say that the worker was done.
    if (const auto cause = cause_of_failure(workers_, first_failure_)) throw CellFailed{*cause};
  }
  if (auto silent = silence(workers_, now_ns, context_.scenario.timeout_s * time_dilation,
                            kStartAllowanceS, host.pid())) {
    throw CellFailed{*silent + places_in_users_code(host)};
  }
}

}  // namespace pacbench::cell
