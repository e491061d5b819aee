#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "harness/doctor/doctor.h"

namespace pacbench::doctor {
namespace {

/// Joins the lines of a program's message into one.
std::string on_one_line(const std::string& text) {
  std::istringstream lines{text};
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) result += (result.empty() ? "" : "; ") + line;
  }
  return result;
}

}  // namespace

bool is_usable(const std::vector<Finding>& findings) {
  return std::none_of(findings.begin(), findings.end(),
                      [](const Finding& finding) { return finding.needed && !finding.ok; });
}

std::string render_text(const std::vector<Finding>& findings) {
  std::string text;
  for (const auto& finding : findings) {
    text += fmt::format("{:4} {}: {}\n",
                        finding.ok       ? "yes"
                        : finding.needed ? "NO"
                                         : "no",
                        finding.what, on_one_line(finding.found));
    if (finding.ok) continue;
    if (!finding.remedy.empty()) text += fmt::format("{:5}cure: {}\n", "", finding.remedy);
    if (!finding.without.empty()) text += fmt::format("{:5}without it: {}\n", "", finding.without);
  }
  return text;
}

Json to_json(const std::vector<Finding>& findings) {
  Json list = Json::array();
  for (const auto& finding : findings) {
    list.push_back({{"what", finding.what},
                    {"ok", finding.ok},
                    {"needed", finding.needed},
                    {"found", finding.found},
                    {"cure", finding.ok ? "" : finding.remedy},
                    {"without", finding.without}});
  }
  return {{"format", "pacbench.doctor/1"}, {"usable", is_usable(findings)}, {"findings", list}};
}

}  // namespace pacbench::doctor
