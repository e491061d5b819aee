#include "harness/cell_workers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/clock.h"
#include "harness/process.h"
#include "harness/process_table.h"

namespace pacbench {
namespace {

std::string last_words(const WorkerState& worker) {
  if (!worker.failure.empty()) return ": " + worker.failure;
  const auto errors = last_lines(worker.last_errors, 3);
  return errors.empty() ? "" : ": " + errors;
}

std::string ended(std::size_t rank, const WorkerState& worker) {
  return fmt::format("the worker of rank {} ended with {}{}", rank, worker.exited->describe(),
                     last_words(worker));
}

}  // namespace

std::optional<std::string> cause_of_failure(const std::vector<WorkerState>& workers,
                                            std::optional<int> first_failed) {
  for (std::size_t rank = 0; rank < workers.size(); ++rank) {
    const auto& exited = workers[rank].exited;
    if (exited && exited->signal != 0) return ended(rank, workers[rank]);
  }
  for (std::size_t rank = 0; rank < workers.size(); ++rank) {
    const auto& worker = workers[rank];
    const bool early = worker.exited && (!worker.done || !worker.exited->ok());
    if (early && worker.failure.empty() && worker.garbage.empty()) return ended(rank, worker);
  }
  for (std::size_t rank = 0; rank < workers.size(); ++rank) {
    if (!workers[rank].garbage.empty()) {
      return fmt::format("the worker of rank {} wrote what is no event: {}", rank,
                         workers[rank].garbage);
    }
  }
  if (!first_failed) return std::nullopt;
  return fmt::format("rank {}: {}", *first_failed,
                     workers[static_cast<std::size_t>(*first_failed)].failure);
}

std::optional<std::string> silence(const std::vector<WorkerState>& workers, std::int64_t now_ns,
                                   double timeout_s, double start_allowance_s, int daemon_pid) {
  std::vector<std::size_t> silent;
  double waited_s = 0;
  for (std::size_t rank = 0; rank < workers.size(); ++rank) {
    const auto& worker = workers[rank];
    const double allowed_s = timeout_s + (worker.heard ? 0 : start_allowance_s);
    if (!worker.exited && seconds(now_ns - worker.last_event_ns) > allowed_s) {
      silent.push_back(rank);
      waited_s = std::max(waited_s, allowed_s);
    }
  }
  if (silent.empty()) return std::nullopt;
  auto text = fmt::format("nothing came from the workers of ranks {} for {:g} s (timeout_s)",
                          fmt::join(silent, ", "), waited_s);
  // One stopped worker silences all that wait for it; the kernel knows which one that is.
  for (const auto rank : silent) {
    if (is_stopped(daemon_pid, workers[rank].pid)) {
      text += fmt::format("; the one of rank {} is stopped (SIGSTOP)", rank);
    }
  }
  return text;
}

}  // namespace pacbench
