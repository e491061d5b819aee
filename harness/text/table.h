#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pacbench {

/// A column of a table. Neighbouring columns of the same group share one heading.
struct Column {
  std::string group;
  std::string head;
  bool left = false;  ///< aligned left, as words are; numbers are aligned right
};

/// Columns that share no heading with others, aligned left and right.
inline Column left_column(std::string head) { return {"", std::move(head), true}; }
inline Column right_column(std::string head) { return {"", std::move(head)}; }

/// A table of texts. Each row has as many of them as there are columns.
struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
};

/// The columns of a terminal that the text takes: its code points, each counted as one wide.
std::size_t display_width(std::string_view text);

/// The width of the longest line of to_text.
std::size_t width(const Table& table);

/// Returns the table as text in lines of at most `columns`. Groups of columns that do not fit
/// follow in further tables below, each with the first column again. A group is never split, even
/// if it is wider than `columns`.
std::string to_text(const Table& table, std::size_t columns = SIZE_MAX);
std::string to_markdown(const Table& table);

/// Escapes names and reasons that come from files: what Markdown or HTML would read as markup stays
/// text, and a line break becomes a space.
std::string markdown_text(const std::string& text);

/// A number with `digits` significant digits, or more where it has more before the point, never in
/// scientific notation: 0.0123, 1.23, 1234.
std::string significant(double value, int digits = 3);

}  // namespace pacbench
