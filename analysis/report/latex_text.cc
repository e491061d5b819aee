#include "analysis/report/latex_text.h"

#include <fmt/format.h>

#include <cstdint>
#include <map>

namespace pacbench::report {
namespace {

const std::map<std::uint32_t, const char*>& commands() {
  static const std::map<std::uint32_t, const char*> known{
      {'\\', "\\textbackslash{}"},
      {'{', "\\{"},
      {'}', "\\}"},
      {'$', "\\$"},
      {'&', "\\&"},
      {'#', "\\#"},
      {'%', "\\%"},
      {'_', "\\_"},
      {'^', "\\textasciicircum{}"},
      {'~', "\\textasciitilde{}"},
      {'<', "\\textless{}"},
      {'>', "\\textgreater{}"},
      {'|', "\\textbar{}"},
      {'"', "\\textquotedbl{}"},
      {'\'', "\\textquotesingle{}"},
      {'`', "\\textasciigrave{}"},
      // Two hyphens in a row would join to a dash.
      {'-', "-{}"},
      // At the start of a table row, "[" would begin an option of the "\\" before it.
      {'[', "{[}"},
      {']', "{]}"},
      {0xB0, "\\textdegree{}"},
      {0xB1, "$\\pm$"},
      {0xB5, "\\textmu{}"},
      {0xB7, "\\textperiodcentered{}"},
      {0xD7, "$\\times$"},
      {0x394, "$\\Delta$"},
      {0x2013, "--"},
      {0x2014, "---"},
      {0x2192, "$\\rightarrow$"},
      {0x2264, "$\\leq$"},
      {0x2265, "$\\geq$"}};
  return known;
}

/// Returns the code point that begins at `at`, and moves `at` behind it. Where no whole UTF-8
/// sequence begins, returns '?' and moves `at` on by one byte.
std::uint32_t next_code_point(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto first = byte(at++);
  if (first < 0x80) return first;
  const int more = first >= 0xF0 && first < 0xF8 ? 3 : first >= 0xE0 ? 2 : first >= 0xC2 ? 1 : 0;
  if (more == 0 || first >= 0xF8 || at + static_cast<std::size_t>(more) > text.size()) return '?';
  std::uint32_t point = first & (0x3FU >> more);
  for (int i = 0; i < more; ++i) {
    if ((byte(at + static_cast<std::size_t>(i)) & 0xC0) != 0x80) return '?';
  }
  for (int i = 0; i < more; ++i) point = (point << 6) | (byte(at++) & 0x3FU);
  return point;
}

}  // namespace

std::string latex_text(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const auto point = next_code_point(text, at);
    if (const auto known = commands().find(point); known != commands().end()) {
      result += known->second;
    } else if (point < 0x20 || point == 0x7F) {
      result += ' ';
    } else if (point < 0x7F) {
      result += static_cast<char>(point);
    } else {
      result += fmt::format("\\texttt{{U+{:04X}}}", point);
    }
  }
  return result;
}

}  // namespace pacbench::report
