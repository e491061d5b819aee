#include "harness/run/reruns.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/files.h"
#include "contract/worker/event_kind.h"
#include "harness/machine/cpu_allowance.h"
#include "harness/record/quiet_steps.h"
#include "harness/store/cell_file.h"
#include "harness/store/files.h"
#include "harness/store/resume.h"

namespace pacbench::run {
namespace {

constexpr int kMostAgain = 2;
constexpr double kMostShare = 0.5;
constexpr double kAnyway_s = 10;
constexpr double kFewestQuiet = 20;
constexpr double kLeastQuietShare = 0.1;

/// How disturbed a try was; only these numbers choose between tries.
std::pair<double, double> disturbance_of(const CellResult& result) {
  const auto iterations = static_cast<double>(std::max<std::int64_t>(result.iterations, 1));
  return {result.disturbed_iterations.value_or(0) / iterations, result.taken_share.value_or(0)};
}

/// Makes a cell say how often it was run in all.
void note_attempts(const std::string& events_file, std::size_t attempts) {
  std::string whole;
  store::for_each_event(events_file, store::Broken::kRefuse,
                        [&](const Json& event, const std::string& line, std::size_t) {
                          auto noted = event;
                          noted["attempt"] = attempts;
                          const bool is_of_meter = kind_of(event) == EventKind::kMeter;
                          whole += (is_of_meter ? json_text(noted) : line) + '\n';
                        });
  write_file_atomically(events_file, whole);
}

}  // namespace

bool is_too_disturbed(const CellResult& result) {
  if (result.status != CellStatus::kDone || !result.machine_verdict) return false;
  if (result.machine_verdict->word != "disturbed") return false;
  const auto iterations = static_cast<double>(result.iterations);
  if (iterations <= 1) return result.taken_share.value_or(0) > kLeastQuietShare;
  const double quiet = iterations - result.disturbed_iterations.value_or(0);
  const bool cannot_be_repaired = quiet <= record::QuietSteps::kFewest && 2 * quiet < iterations;
  return cannot_be_repaired || (quiet < kLeastQuietShare * iterations && quiet < kFewestQuiet);
}

Reruns::Reruns(const RunRequest& request, const store::RunFolder& folder, Progress& progress)
    : request_{request},
      folder_{folder},
      progress_{progress},
      is_limited_{CpuAllowance::read().quota_limits()},
      began_ns_{monotonic_ns()} {}

bool Reruns::set_aside_as_asked(const plan::Cell& cell, const CellResult& recorded) {
  const bool suspect = request_.again_suspect && recorded.link_verdict.word == "suspect";
  const bool disturbed = request_.again_disturbed && recorded.machine_verdict &&
                         recorded.machine_verdict->word == "disturbed";
  if (!suspect && !disturbed) return false;
  store::set_aside(folder_.path(), cell.folder_name());
  progress_.say(fmt::format("{} was {}: it runs again, and its lines are kept in tries/",
                            cell.folder_name(), suspect ? "suspect" : "disturbed"));
  return true;
}

bool Reruns::wants_again(const plan::Cell& cell, const CellResult& result) {
  const auto now_ns = monotonic_ns();
  if (since_ns_ != 0) again_s_ += seconds(now_ns - since_ns_);
  since_ns_ = 0;
  const double others_s = seconds(now_ns - began_ns_) - again_s_;
  // A quota would take as much from the next try.
  const bool may = !is_limited_ && tries_of_cell_ < kMostAgain &&
                   again_s_ < std::max(kAnyway_s, kMostShare * others_s);
  if (!may || !is_too_disturbed(result)) {
    tries_of_cell_ = 0;
    return false;
  }
  progress_.say(fmt::format(
      "{}: the machine was taken away from it, so that {:g} of {} iterations were disturbed; it "
      "runs again (try {} of {}), and its lines are kept in tries/",
      cell.folder_name(), result.disturbed_iterations.value_or(0), result.iterations,
      tries_of_cell_ + 2, kMostAgain + 1));
  store::set_aside(folder_.path(), cell.folder_name());
  ++tries_of_cell_;
  since_ns_ = now_ns;
  return true;
}

bool Reruns::bring_back_the_quietest(const plan::Cell& cell, const CellResult& last) {
  const auto tries = store::earlier_tries(folder_.path(), cell.folder_name());
  std::string quietest;
  auto least = disturbance_of(last);
  for (const auto& folder : tries) {
    const auto earlier = store::read_cell_file(folder + "/cell.json").result;
    const bool is_sound = earlier.status == CellStatus::kDone && earlier.machine_verdict &&
                          earlier.link_verdict.word == "ok";
    if (!is_sound || (last.status == CellStatus::kDone && disturbance_of(earlier) >= least))
      continue;
    least = disturbance_of(earlier);
    quietest = folder;
  }
  if (quietest.empty()) return false;
  store::bring_back(folder_.path(), cell.folder_name(), quietest);
  note_attempts(folder_.cell_folder(cell) + "/events.jsonl", tries.size() + 1);
  return true;
}

int Reruns::attempt(const plan::Cell& cell) const {
  return static_cast<int>(store::earlier_tries(folder_.path(), cell.folder_name()).size()) + 1;
}

}  // namespace pacbench::run
