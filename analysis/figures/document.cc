#include "analysis/figures/document.h"

#include <algorithm>
#include <array>

#include "analysis/figures/panels.h"
#include "analysis/report/headline.h"
#include "analysis/report/section_contents.h"

namespace pacbench::figures {
namespace {

struct FigureKind {
  const char* name;
  const char* title;
  Json (*panels)(const FigureSource&);
  const char* needs;  ///< why the figure has no data, when it has none
};

constexpr std::array<FigureKind, 8> kFigures{{
    {"accuracy-time", "Accuracy against training time", accuracy_time_panels,
     "needs done cells with accuracies in their curve.jsonl, of any mode but learn"},
    {"accuracy-iteration", "Accuracy against iterations", accuracy_iteration_panels,
     "needs done cells with accuracies in their curve.jsonl"},
    {"relative-tta", "Time to accuracy, relative to all-reduce", relative_tta_panels,
     "needs done cells of all-reduce that reached a target, over links as declared"},
    {"accuracy-pruning", "Final accuracy against pruning ratio", accuracy_pruning_panels,
     "needs done cells of a method with a pruning_ratio"},
    {"phases", "Where the time of an iteration goes", phase_panels,
     "needs done cells with their iterations.jsonl, of any mode but learn, not of a user's own "
     "program"},
    {"bytes", "Bytes sent per iteration, measured and declared", byte_panels,
     "needs done cells of any mode but learn, not of a user's own program"},
    {"tta-bandwidth", "Time to accuracy against bandwidth", bandwidth_panels,
     "needs links that differ in nothing but rate_mbit, and a method that reached a target over "
     "one of them"},
    {"pareto", "Final accuracy against speed-up", pareto_panels,
     "needs done cells with accuracies of all-reduce and of another method, which both reached the "
     "same target, with the same seeds and over links as declared"},
}};

Json table_json(const std::string& title, const Table& table) {
  Json columns = Json::array();
  for (const auto& column : table.columns) {
    columns.push_back({{"group", column.group}, {"head", column.head}, {"left", column.left}});
  }
  return {{"title", title}, {"columns", std::move(columns)}, {"rows", table.rows}};
}

Json link_json(const report::ReportSection& section, const report::LinkReport& link) {
  const report::Footnotes footnotes{link};
  Json tables = Json::array();
  if (report::has_summary(section)) {
    tables.push_back(table_json("Summary", report::summary_table(section, link, SIZE_MAX)));
  }
  for (const auto& [title, table] : report::tables_of(section, link, footnotes)) {
    tables.push_back(table_json(title, table));
  }
  return {{"title", has_network(section) ? report::link_title(link) : ""},
          {"headline", report::headline_line(section, link)},
          {"probe", report::probe_line(link)},
          {"tables", std::move(tables)},
          {"footnotes", footnotes.texts()},
          {"diagnoses", report::diagnosis_lines(link)}};
}

Json section_json(const FigureSource& source) {
  const auto& section = source.section;
  Json links = Json::array();
  for (const auto& link : section.links) links.push_back(link_json(section, link));
  Json figures = Json::object();
  for (const auto& kind : kFigures) figures[kind.name] = kind.panels(source);
  return {{"title", section.title},
          {"mode", section.mode},
          {"header", report::header_lines(section)},
          {"legend", report::legend(section)},
          {"notes", section.notes},
          {"links", std::move(links)},
          {"figures", std::move(figures)},
          {"timelines", timelines(source)},
          {"fidelity", fidelity(source)},
          {"scenario", section.scenario}};
}

/// The figures of all sections joined: the panels of each figure in the order of sections, with the
/// section's number.
Json joined_figures(Json& sections) {
  Json figures = Json::array();
  for (const auto& kind : kFigures) {
    Json panels = Json::array();
    for (std::size_t i = 0; i < sections.size(); ++i) {
      for (auto& panel : sections[i].at("figures").at(kind.name)) {
        panel["section"] = i;
        panels.push_back(std::move(panel));
      }
    }
    figures.push_back({{"name", kind.name},
                       {"title", kind.title},
                       {"missing", panels.empty() ? kind.needs : ""},
                       {"panels", std::move(panels)}});
  }
  for (auto& section : sections) section.erase("figures");
  return figures;
}

Json scaling_figure(const std::vector<report::ReportSection>& sections) {
  auto panels = scaling_panels(sections);
  return {{"name", "scaling"},
          {"title", "Simulated scaling"},
          {"missing",
           panels.empty() ? "needs runs of mode simulate with several numbers of workers" : ""},
          {"panels", std::move(panels)}};
}

/// Every method once, in the order in which colours and markers are given to them.
Json methods_of(const Json& sections) {
  Json methods = Json::array();
  for (const auto& section : sections) {
    for (const auto& method : section.at("scenario").at("methods")) {
      Json entry{{"label", method.at("label")}, {"method", method.at("name")}};
      if (std::find(methods.begin(), methods.end(), entry) == methods.end()) {
        methods.push_back(std::move(entry));
      }
    }
  }
  return methods;
}

}  // namespace

Json figures_document(const std::vector<report::MergedRuns>& groups) {
  const auto report = report::build_report(groups);
  Json sections = Json::array();
  Json runs = Json::array();
  for (std::size_t i = 0; i < groups.size(); ++i) {
    sections.push_back(section_json({report.sections[i], groups[i].runs}));
    for (auto& run : environments(groups[i].runs)) runs.push_back(std::move(run));
  }
  auto figures = joined_figures(sections);
  figures.push_back(scaling_figure(report.sections));
  auto methods = methods_of(sections);
  return {{"format", kFiguresFormat},        {"title", report.name},
          {"methods", std::move(methods)},   {"figures", std::move(figures)},
          {"sections", std::move(sections)}, {"runs", std::move(runs)}};
}

}  // namespace pacbench::figures
