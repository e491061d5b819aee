#include "harness/cell/worker_watch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "base/clock.h"
#include "harness/cell/program_output.h"

namespace pacbench::cell {
namespace {

// The harness keeps listening for this time after the first sign of trouble, so that it hears the
// cause and not only consequences that overtook the cause.
constexpr std::int64_t kGraceNs = 700'000'000;
constexpr int kTickMs = 100;
constexpr std::size_t kErrorsKept = 16384;

std::string last_words(const WorkerState& worker) {
  if (!worker.failure.empty()) return ": " + worker.failure;
  const auto errors = last_lines(worker.last_errors, 3);
  return errors.empty() ? "" : ": " + errors;
}

std::string limit_words(double allowed_s, double timeout_s) {
  if (allowed_s <= timeout_s) return "timeout_s";
  return fmt::format("timeout_s plus {:g} s for starting", allowed_s - timeout_s);
}

/// Names a rank that is silent while other ranks of its process report. A rank has
/// `start_allowance_s` more until its first event, from the first event of its process on.
std::optional<std::string> silent_rank(const std::vector<WorkerState>& workers, std::int64_t now_ns,
                                       double timeout_s, double start_allowance_s) {
  for (const auto& worker : workers) {
    if (worker.exited || worker.first_event_ns == 0 || worker.ranks == 1) continue;
    for (int i = 0; i < worker.ranks; ++i) {
      const auto& rank = worker.of_ranks[static_cast<std::size_t>(i)];
      const bool reported = rank.last_event_ns != 0;
      const double allowed_s = timeout_s + (reported ? 0 : start_allowance_s);
      const auto since_ns = reported ? rank.last_event_ns : worker.first_event_ns;
      if (rank.done || seconds(now_ns - since_ns) <= allowed_s) continue;
      return fmt::format("nothing came from rank {} for {:g} s ({}), while others wait for it",
                         worker.first_rank + i, allowed_s, limit_words(allowed_s, timeout_s));
    }
  }
  return std::nullopt;
}

std::string ended(const WorkerState& worker) {
  return fmt::format("the worker of {} ended with {}{}{}", worker.who(), worker.exited->describe(),
                     worker.end_words, last_words(worker));
}

}  // namespace

std::string WorkerState::who() const {
  if (ranks == 1) return fmt::format("rank {}", first_rank);
  return fmt::format("ranks {} to {}", first_rank, first_rank + ranks - 1);
}

bool WorkerState::speaks_for(const Json& rank) const {
  return rank.is_number_integer() && rank >= first_rank && rank < first_rank + ranks;
}

bool WorkerState::done() const { return std::ranges::all_of(of_ranks, &Rank::done); }

void WorkerState::note_event(const Json& event, std::int64_t now_ns) {
  last_event_ns = now_ns;
  if (first_event_ns == 0) first_event_ns = now_ns;
  rank_of(event).last_event_ns = now_ns;
}

WorkerState::Rank& WorkerState::rank_of(const Json& event) {
  return of_ranks.at(static_cast<std::size_t>(event.value("rank", first_rank) - first_rank));
}

bool WorkerState::over(std::int64_t now_ns) const {
  constexpr std::int64_t kLeftOpenNs = 5'000'000'000;
  return exited && (channel.closed() || now_ns - exited_ns > kLeftOpenNs);
}

std::string failure_words(const FailedEvent& failed) {
  const auto rank = fmt::format("rank {}", failed.rank);
  const bool names_rank = failed.message.rfind(rank + ",", 0) == 0;
  auto words = names_rank ? failed.message : fmt::format("{}: {}", rank, failed.message);
  if (failed.iteration > 0) words += fmt::format(" (in iteration {})", failed.iteration);
  return words;
}

std::optional<std::string> cause_of_failure(const std::vector<WorkerState>& workers,
                                            const std::string& first_failure) {
  for (const auto& worker : workers) {
    if (worker.exited && worker.exited->signal != 0) return ended(worker);
  }
  for (const auto& worker : workers) {
    const bool early = worker.exited && (!worker.done() || !worker.exited->ok());
    if (early && worker.failure.empty() && worker.garbage.empty()) return ended(worker);
  }
  for (const auto& worker : workers) {
    if (worker.garbage.empty() || !worker.failure.empty()) continue;
    return fmt::format("the worker of {} wrote a line that is not an event: {}", worker.who(),
                       worker.garbage);
  }
  return first_failure.empty() ? std::nullopt : std::optional{first_failure};
}

std::optional<std::string> silence(const std::vector<WorkerState>& workers, std::int64_t now_ns,
                                   double timeout_s, double start_allowance_s, int ancestor_pid) {
  std::vector<const WorkerState*> silent;
  std::vector<std::string> names;
  double waited_s = 0;
  for (const auto& worker : workers) {
    const double allowed_s = timeout_s + (worker.first_event_ns != 0 ? 0 : start_allowance_s);
    if (worker.exited || seconds(now_ns - worker.last_event_ns) <= allowed_s) continue;
    silent.push_back(&worker);
    names.push_back(worker.who());
    waited_s = std::max(waited_s, allowed_s);
  }
  if (silent.empty()) return silent_rank(workers, now_ns, timeout_s, start_allowance_s);
  auto text = fmt::format("nothing came from the workers of {} for {:g} s ({})",
                          fmt::join(names, ", "), waited_s, limit_words(waited_s, timeout_s));
  // One stopped worker silences all that wait for it; the kernel knows which one that is.
  for (const auto* worker : silent) {
    if (is_stopped(ancestor_pid, worker->pid)) {
      text += fmt::format("; the worker of {} is stopped (SIGSTOP)", worker->who());
    }
  }
  return text;
}

WorkerState& WorkerWatch::add(std::string input, int ranks) {
  auto& worker = workers_.emplace_back(std::move(input), ranks_, ranks);
  ranks_ += ranks;
  worker.last_event_ns = monotonic_ns();
  return worker;
}

void WorkerWatch::run(links::SlotHost& host, const std::function<void()>& meanwhile) {
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
  return std::ranges::all_of(workers_, [&](const auto& worker) { return worker.over(now_ns); });
}

void WorkerWatch::wait(const links::SlotHost& host) const {
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
  constexpr std::size_t kShown = 200;
  const auto event = parse_json_line(line);
  if (event.is_discarded()) throw ProtocolError{line.substr(0, kShown)};
  if (event.contains("rank") && !worker.speaks_for(event.at("rank"))) {
    throw ProtocolError{
        fmt::format("expected an event of {}, found {}", worker.who(), line.substr(0, kShown))};
  }
  const auto kind = log_.add(event, line);
  worker.note_event(event, monotonic_ns());
  if (kind == EventKind::kDone) worker.rank_of(event).done = true;
  if (kind == EventKind::kFailed) {
    worker.failure = failure_words(failed_event_from_json(event));
    if (first_failure_.empty()) first_failure_ = worker.failure;
    note_trouble();
  }
  if (kind == EventKind::kIteration && event.at("rank") == 0) {
    context_.on_iteration(event.get<IterationEvent>());
  }
  if (kind == EventKind::kEvaluation) context_.on_evaluation(log_.record().curve().back());
}

void WorkerWatch::note_ends(links::SlotHost& host) {
  for (const auto& end : host.take_exited()) {
    const auto worker = std::ranges::find(workers_, end.process, &WorkerState::process);
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
std::string WorkerWatch::places_in_users_code(links::SlotHost& host) {
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
      const auto of_user = std::ranges::find_if(
          frames, [&](const auto& frame) { return frame.starts_with("File \"" + folder); });
      if (of_user == frames.end()) continue;
      words += fmt::format("; {} was in {}", worker.who(), *of_user);
      break;
    }
  }
  return words;
}

void WorkerWatch::give_up_when_hopeless(links::SlotHost& host) {
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
