#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/markdown_text.h"
#include "harness/reproduce/parts.h"
#include "harness/reproduce/words.h"
#include "harness/table.h"

namespace pacbench {
namespace {

/// "100 Mbit/s chain3", with the link's name where two columns would be called the same.
std::vector<std::string> heads_of(const StepMatrix& matrix) {
  const auto plain = [](const StepColumn& column) {
    return fmt::format("{:g} Mbit/s {}", column.setting.rate_mbit, column.setting.topology);
  };
  std::map<std::string, int> uses;
  for (const auto& column : matrix.columns) ++uses[plain(column)];
  std::vector<std::string> heads;
  for (const auto& column : matrix.columns) {
    const auto head = plain(column);
    heads.push_back(uses[head] > 1 ? fmt::format("{} ({})", head, column.link) : head);
  }
  return heads;
}

/// What is in one column under a label, and its kind.
const StepTime* find_time(const StepColumn& column, const std::string& label) {
  const auto found = std::find_if(column.times.begin(), column.times.end(),
                                  [&](const StepTime& time) { return time.label == label; });
  return found == column.times.end() ? nullptr : &*found;
}

Table table_of(const StepMatrix& matrix) {
  Table table;
  table.columns = {{"", "method", true}};
  for (const auto& head : heads_of(matrix)) table.columns.push_back({"", markdown_text(head)});
  for (const auto& label : matrix.labels()) {
    auto& row = table.rows.emplace_back();
    row.push_back(markdown_text(label));
    for (const auto& column : matrix.columns) {
      const auto* time = find_time(column, label);
      row.push_back(time == nullptr
                        ? "—"
                        : measured_words(seconds_words(time->seconds.median), time->speed_up,
                                         time->suspect, time->cpu_bound));
    }
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

}  // namespace pacbench
