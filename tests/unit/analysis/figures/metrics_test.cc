// docs/METRICS.md, STATISTICS.md and FILES.md explain every number that a report or a figure shows.
#include <regex>
#include <set>

#include "analysis/figures/document.h"
#include "analysis/report/report.h"
#include "base/files.h"
#include "contract/result/result.h"
#include "tests/unit/analysis/report/example_run.h"
#include "tests/unit/contract/matchers.h"

namespace pacbench::figures {
namespace {

/// The keys of all objects that a schema describes.
void collect_keys(const Json& schema, std::set<std::string>& keys) {
  if (!schema.is_structured()) return;
  for (const auto& [name, part] : schema.items()) {
    if (name == "properties") {
      for (const auto& [key, value] : part.items()) keys.insert(key);
    }
    collect_keys(part, keys);
  }
}

/// The pages that say what numbers mean, how they are summarised and in which files they stand.
std::string pages() {
  std::string text;
  for (const char* page : {"METRICS.md", "STATISTICS.md", "FILES.md"}) {
    text += read_file(std::string{DOCS} + "/" + page);
  }
  return text;
}

/// The words that stand between backticks in pages(). The pages name keys in this way.
std::set<std::string> named_in_metrics() {
  const auto text = pages();
  const std::regex code{"`([^`]+)`"};
  const std::regex word{"[A-Za-z0-9_-]+"};
  std::set<std::string> names;
  for (std::sregex_iterator span{text.begin(), text.end(), code}, end; span != end; ++span) {
    const auto inside = span->str(1);
    for (std::sregex_iterator found{inside.begin(), inside.end(), word}; found != end; ++found) {
      names.insert(found->str());
    }
  }
  return names;
}

std::vector<std::string> unnamed(const Json& schema) {
  const auto named = named_in_metrics();
  std::set<std::string> keys;
  collect_keys(schema, keys);
  EXPECT_GT(keys.size(), 20U) << "nothing was looked for";
  std::vector<std::string> missing;
  for (const auto& key : keys) {
    if (!named.contains(key)) missing.push_back(key);
  }
  return missing;
}

TEST(Metrics, NamesEveryKeyOfAReportAndOfWhatFiguresAreDrawnFrom) {
  EXPECT_THAT(unnamed(report::report_schema()), IsEmpty());
  EXPECT_THAT(unnamed(figures_schema()), IsEmpty());
}

TEST(Metrics, NamesEveryColumnOfATable) {
  const auto text = pages();
  auto learn = report::example_run_in(Mode::kLearn);
  for (auto& cell : learn.cells) {
    cell.vnmse = cell.cosine = cell.density = cell.residual_norm = 0.5;
  }
  for (const auto& run : {report::example_run(), learn}) {
    const auto document =
        figures_document(report::merge_by_workload({{"nowhere/result.json", run}}));
    for (const auto& table : document.at("sections")[0].at("links")[0].at("tables")) {
      for (const auto& column : table.at("columns")) {
        const auto head = column.at("head").get<std::string>();
        EXPECT_NE(text.find('"' + head + '"'), std::string::npos) << head;
      }
    }
  }
}

TEST(Metrics, NamesEveryColumnOfTheCsv) {
  const auto named = named_in_metrics();
  auto csv = report::render_csv(report::build_report({{{}, report::example_run()}}));
  csv.resize(csv.find('\r'));
  const std::regex column{"[^,]+"};
  for (std::sregex_iterator found{csv.begin(), csv.end(), column}, end; found != end; ++found) {
    const auto name = found->str();
    // In "`tta_s_median`, `_minimum`" the page names the second column by its end alone.
    const auto end_at = name.rfind('_');
    const bool by_its_end = end_at != std::string::npos && named.contains(name.substr(end_at));
    EXPECT_TRUE(named.contains(name) || by_its_end) << name;
  }
}

}  // namespace
}  // namespace pacbench::figures
