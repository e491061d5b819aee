#include "harness/text/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pacbench {
namespace {

constexpr std::string_view kBar = " │ ";
constexpr std::string_view kGap = "  ";

std::string aligned(const std::string& text, std::size_t wide, bool left) {
  const auto used = display_width(text);
  const std::string pad(wide > used ? wide - used : 0, ' ');
  return left ? fmt::format("{}{}", text, pad) : fmt::format("{}{}", pad, text);
}

bool starts_group(const Table& table, std::size_t column) {
  return column > 0 && table.columns[column].group != table.columns[column - 1].group;
}

/// Columns [first, last) that share one heading, and how wide they are together.
struct Group {
  std::size_t first = 0;
  std::size_t last = 0;
  std::size_t wide = 0;
};

std::vector<Group> groups_of(const Table& table, const std::vector<std::size_t>& widths) {
  std::vector<Group> groups;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (i == 0 || starts_group(table, i)) {
      groups.push_back({i, i + 1, widths[i]});
    } else {
      groups.back().last = i + 1;
      groups.back().wide += kGap.size() + widths[i];
    }
  }
  return groups;
}

std::vector<std::size_t> column_widths(const Table& table) {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    auto widest = display_width(table.columns[i].head);
    for (const auto& row : table.rows) widest = std::max(widest, display_width(row[i]));
    widths.push_back(widest);
  }
  for (const auto& group : groups_of(table, widths)) {
    const auto heading = display_width(table.columns[group.first].group);
    if (heading > group.wide) widths[group.first] += heading - group.wide;
  }
  return widths;
}

std::string heading_line(const Table& table, const std::vector<std::size_t>& widths) {
  std::string line;
  for (const auto& group : groups_of(table, widths)) {
    if (group.first > 0) line += kBar;
    const auto& text = table.columns[group.first].group;
    const auto left = (group.wide - display_width(text)) / 2;
    line += aligned(fmt::format("{:{}}{}", "", left, text), group.wide, true);
  }
  return line;
}

std::string rule(const Table& table, const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    if (i > 0) line += starts_group(table, i) ? "─┼─" : "──";
    for (std::size_t k = 0; k < widths[i]; ++k) line += "─";
  }
  return line;
}

std::string body_line(const Table& table, const std::vector<std::size_t>& widths,
                      const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line += starts_group(table, i) ? kBar : kGap;
    line += aligned(cells[i], widths[i], table.columns[i].left);
  }
  return line;
}

std::vector<std::string> heads_of(const Table& table, bool with_group) {
  std::vector<std::string> heads;
  for (const auto& column : table.columns) {
    const bool both = with_group && !column.group.empty();
    heads.push_back(both ? fmt::format("{}: {}", column.group, column.head) : column.head);
  }
  return heads;
}

std::string markdown_line(const std::vector<std::string>& cells) {
  std::string line{'|'};
  for (const auto& cell : cells) {
    line += ' ';
    for (const char c : cell) {
      if (c == '|') line += '\\';
      line += c;
    }
    line += " |";
  }
  line += '\n';
  return line;
}

std::string whole_text(const Table& table) {
  const auto widths = column_widths(table);
  std::vector<std::string> lines{heading_line(table, widths),
                                 body_line(table, widths, heads_of(table, false)),
                                 rule(table, widths)};
  for (const auto& row : table.rows) lines.push_back(body_line(table, widths, row));
  std::string text;
  for (auto& line : lines) {
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

/// The first column and those from `first` to before `last`.
Table slice(const Table& table, std::size_t first, std::size_t last) {
  Table part;
  const auto take = [&](const auto& from, auto& to) {
    to.push_back(from.front());
    to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(first),
              from.begin() + static_cast<std::ptrdiff_t>(last));
  };
  take(table.columns, part.columns);
  for (const auto& row : table.rows) take(row, part.rows.emplace_back());
  return part;
}

/// Splits a table between groups into as few tables as possible. Each is at most `columns` wide,
/// unless a single group is wider: a group is never split.
std::vector<Table> parts_of(const Table& table, std::size_t columns) {
  if (width(table) <= columns) return {table};
  std::vector<Table> parts;
  const auto groups = groups_of(table, column_widths(table));
  std::size_t start = 1;
  for (std::size_t i = 1; i < groups.size(); ++i) {
    const auto first = groups[i].first;
    if (first > start && width(slice(table, start, groups[i].last)) > columns) {
      parts.push_back(slice(table, start, first));
      start = first;
    }
  }
  parts.push_back(slice(table, start, table.columns.size()));
  return parts;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  // Bytes that continue a UTF-8 sequence begin with the bits 10.
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::size_t width(const Table& table) { return display_width(rule(table, column_widths(table))); }

std::string to_text(const Table& table, std::size_t columns) {
  std::string text;
  for (const auto& part : parts_of(table, columns)) {
    if (!text.empty()) text += '\n';
    text += whole_text(part);
  }
  return text;
}

std::string to_markdown(const Table& table) {
  std::vector<std::string> alignments;
  for (const auto& column : table.columns) alignments.emplace_back(column.left ? ":--" : "--:");
  auto text = markdown_line(heads_of(table, true)) + markdown_line(alignments);
  for (const auto& row : table.rows) text += markdown_line(row);
  return text;
}

std::string markdown_text(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (std::string_view{"\\`*_[]<>&"}.find(c) != std::string_view::npos) result += '\\';
    result += c == '\n' || c == '\r' ? ' ' : c;
  }
  return result;
}

std::string significant(double value, int digits) {
  if (value == 0 || !std::isfinite(value)) return fmt::format("{}", value);
  // Rounding comes first: 9.996 with three digits is 10.0, not 10.00.
  const auto rounded = std::stod(fmt::format("{:.{}e}", value, digits - 1));
  const auto exponent = static_cast<int>(std::floor(std::log10(std::abs(rounded))));
  return fmt::format("{:.{}f}", value, std::max(0, digits - 1 - exponent));
}

}  // namespace pacbench
