#include <fmt/format.h>

#include "analysis/compare/tables.h"

namespace pacbench::compare {
namespace {

constexpr const char* kGateTitle = "Deterministic gate";
constexpr const char* kTimesTitle = "Times";
constexpr const char* kCarriedTitle =
    "The machines differ, so seconds are not compared. The gate compares bytes, and curves where "
    "it can. These numbers can be compared too, except where a note says why they may differ";

}  // namespace

std::string render_text(const Comparison& comparison, std::size_t columns) {
  std::string text;
  for (const auto& line : heading_lines(comparison)) text += line + '\n';
  text += fmt::format("\n{}\n", kGateTitle);
  for (const auto& line : gate_lines(comparison)) text += line + '\n';
  if (const auto table = gate_table(comparison); !table.rows.empty()) {
    text += to_text(table, columns);
  }
  if (!comparison.rows.empty()) {
    text += fmt::format("\n{}\n", kTimesTitle);
    text += to_text(times_table(comparison), columns);
    for (const auto& line : times_lines(comparison)) text += line + '\n';
  }
  if (!comparison.carried.empty()) {
    text += fmt::format("\n{}\n{}", kCarriedTitle, to_text(carried_table(comparison), columns));
  }
  text += '\n';
  for (const auto& line : verdict_lines(comparison)) text += line + '\n';
  return text;
}

std::string render_markdown(const Comparison& comparison) {
  const auto lines = verdict_lines(comparison);
  auto text = fmt::format("## pacbench: {}\n", lines.front());
  for (std::size_t i = 1; i < lines.size(); ++i) text += fmt::format("\n{}\n", lines[i]);
  text += '\n';
  for (const auto& line : heading_lines(comparison)) text += fmt::format("- {}\n", line);
  text += fmt::format("\n### {}\n", kGateTitle);
  for (const auto& line : gate_lines(comparison)) text += fmt::format("\n{}\n", line);
  if (const auto table = gate_table(comparison); !table.rows.empty()) {
    text += '\n' + to_markdown(table);
  }
  if (!comparison.carried.empty()) {
    text += fmt::format("\n### Between two machines\n\n{}.\n\n{}", kCarriedTitle,
                        to_markdown(carried_table(comparison)));
  }
  if (comparison.rows.empty()) return text;
  text += fmt::format("\n### {}\n\n{}\n", kTimesTitle, to_markdown(times_table(comparison)));
  for (const auto& line : times_lines(comparison)) text += fmt::format("{}\n\n", line);
  return text;
}

}  // namespace pacbench::compare
