#include "harness/cell/workers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/clock.h"
#include "harness/machine/process.h"
#include "harness/machine/process_table.h"

namespace pacbench::cell {
namespace {

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

bool WorkerState::done() const {
  return std::all_of(of_ranks.begin(), of_ranks.end(), [](const auto& rank) { return rank.done; });
}

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

}  // namespace pacbench::cell
