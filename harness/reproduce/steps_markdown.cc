#include <fmt/format.h>

#include <algorithm>

#include "harness/markdown_text.h"
#include "harness/reproduce/parts.h"
#include "harness/reproduce/words.h"
#include "harness/table.h"

namespace pacbench::reproduce {
namespace {

/// Those of scenarios/paper; where steps are long there are fewer, which is said.
constexpr std::int64_t kUsualSteps = 10;

/// "100 Mbit/s chain3", with what tells it apart from another column: where learning started, the
/// link's name, and the scenario's.
std::vector<std::string> heads_of(const StepMatrix& matrix) {
  std::vector<std::vector<std::string>> names;
  for (const auto& column : matrix.columns) {
    const auto& setting = column.setting;
    const auto plain = fmt::format("{:g} Mbit/s {}", setting.rate_mbit, setting.topology);
    const auto start = setting.start.empty() ? plain : plain + ", " + start_words(setting);
    names.push_back({plain, start, fmt::format("{} ({})", start, column.link),
                     fmt::format("{} ({} of {})", start, column.link, column.name)});
  }
  return told_apart(names);
}

/// What is in one column under a label, and its kind.
const StepTime* find_time(const StepColumn& column, const std::string& label) {
  const auto found = std::find_if(column.times.begin(), column.times.end(),
                                  [&](const StepTime& time) { return time.label == label; });
  return found == column.times.end() ? nullptr : &*found;
}

std::string time_words(const StepTime& time) {
  auto words = measured_words(seconds_words(time.seconds.median), time.speed_up, time.suspect,
                              time.cpu_bound);
  return time.steps < kUsualSteps ? fmt::format("{} ({})", words, time.steps) : words;
}

/// Of the column in which it sends the most.
MethodFacts most_of(const StepMatrix& matrix, const std::string& label) {
  MethodFacts most;
  for (const auto& column : matrix.columns) {
    const auto* time = find_time(column, label);
    if (time != nullptr && time->facts.ring_traffic >= most.ring_traffic) most = time->facts;
  }
  return most;
}

Table table_of(const StepMatrix& matrix) {
  Table table;
  table.columns = {{"", "method", true}};
  for (const auto& head : heads_of(matrix)) table.columns.push_back({"", markdown_text(head)});
  for (auto& head : MethodFacts::heads()) table.columns.push_back({"", std::move(head)});
  for (const auto& label : matrix.labels()) {
    auto& row = table.rows.emplace_back();
    row.push_back(markdown_text(label));
    for (const auto& column : matrix.columns) {
      const auto* time = find_time(column, label);
      row.push_back(time == nullptr ? "—" : time_words(*time));
    }
    for (auto& cell : most_of(matrix, label).cells()) row.push_back(std::move(cell));
  }
  return table;
}

}  // namespace

std::string steps_markdown(const std::vector<StepMatrix>& matrices) {
  std::string text;
  for (const auto& matrix : matrices) {
    text += fmt::format("\n**{} on {}** · {} workers × batch {} · {}: {}\n\n{}",
                        markdown_text(matrix.network), markdown_text(matrix.dataset),
                        matrix.workers, matrix.batch_per_worker, matrix.mode,
                        markdown_text(matrix.computing), to_markdown(table_of(matrix)));
  }
  return text;
}

}  // namespace pacbench::reproduce
