#include "analysis/report/wrapped.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/text/table.h"

namespace pacbench::report {

std::string wrapped(const std::string& text, std::size_t indent, std::size_t columns) {
  std::string result;
  std::string line;
  for (std::size_t at = 0; at <= text.size();) {
    const auto end = std::min(text.find(' ', at), text.size());
    const auto word = text.substr(at, end - at);
    if (!line.empty() && display_width(line) + 1 + display_width(word) > columns) {
      result += line + '\n';
      line = fmt::format("{:{}}{}", "", indent, word);
    } else {
      if (at > 0) line += ' ';
      line += word;
    }
    at = end + 1;
  }
  return result + line + '\n';
}

}  // namespace pacbench::report
