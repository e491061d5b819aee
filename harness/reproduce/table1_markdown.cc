#include <fmt/format.h>

#include "harness/markdown_text.h"
#include "harness/reproduce/parts.h"
#include "harness/reproduce/words.h"
#include "harness/table.h"

namespace pacbench::reproduce {
namespace {

std::string convergence_words(const Table1Time& time) {
  if (!time.iterations) return "DNF";
  auto words = fmt::format("{:.0f}", *time.iterations);
  if (time.iterations_ratio) words += fmt::format(" × {:.2f}", *time.iterations_ratio);
  return words;
}

std::string time_words(const Table1Row& row, const Table1Time& time) {
  if (!time.tta_s) return "DNF";
  return measured_words(seconds_words(*time.tta_s), time.speed_up, row.suspect, row.cpu_bound);
}

std::vector<std::string> cells_of(const Table1Row& row) {
  std::vector<std::string> cells{markdown_text(row.label)};
  for (const auto& time : row.times) {
    cells.push_back(convergence_words(time));
    cells.push_back(time_words(row, time));
  }
  for (auto& cell : row.facts.cells()) cells.push_back(std::move(cell));
  return cells;
}

/// Settings, with the link's name, and the scenario's, where two would be called the same.
std::vector<std::string> heads_of(const std::vector<Table1>& tables) {
  std::vector<std::vector<std::string>> names;
  for (const auto& table : tables) {
    const auto words = setting_words(table.setting);
    names.push_back({words, fmt::format("{} ({})", words, table.link),
                     fmt::format("{} ({} of {})", words, table.link, table.name)});
  }
  return told_apart(names);
}

Table table_of(const Table1& table1) {
  Table table;
  table.columns = {{"", "method", true}};
  for (const double target : table1.targets) {
    table.columns.push_back({"", fmt::format("iterations to {:.6g} %", 100 * target)});
    table.columns.push_back({"", fmt::format("time to {:.6g} %", 100 * target)});
  }
  for (auto& head : MethodFacts::heads()) table.columns.push_back({"", std::move(head)});
  for (const auto& row : table1.rows) table.rows.push_back(cells_of(row));
  return table;
}

}  // namespace

std::string table_1_markdown(const std::vector<Table1>& tables) {
  const auto heads = heads_of(tables);
  std::string text;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const auto& table = tables[i];
    text += fmt::format("\n**{}** · {} workers × batch {} · {}: {}\n\n{}", markdown_text(heads[i]),
                        table.workers, table.batch_per_worker, table.setting.mode,
                        markdown_text(table.setting.computing), to_markdown(table_of(table)));
  }
  return text;
}

}  // namespace pacbench::reproduce
