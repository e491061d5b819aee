#include "analysis/figures/document.h"
#include "analysis/figures/panels.h"
#include "analysis/report/written_keys.h"

namespace pacbench::figures {
namespace {

using schema::any_number;
using schema::array_of;
using schema::described;
using schema::number_or_null;
using schema::or_null;
using schema::text;
using schema::whole_object;

Json count() { return schema::integer_from(0); }
Json boolean() { return {{"type", "boolean"}}; }

/// The schema of a panel with these properties, its "title", and the index of its section as
/// "section".
Json panel(Json properties) {
  properties["title"] = text();
  properties["section"] = described(count(), "index into sections");
  return whole_object(properties);
}

/// The schema of a panel of one link.
Json link_panel(Json properties) {
  properties["link"] = text();
  return panel(std::move(properties));
}

Json curves() {
  const auto point =
      whole_object({{"iteration", count()},
                    {"training_s", described(report::spread_schema(), "over the seeds")},
                    {"accuracy", described(report::spread_schema(), "over the seeds")}});
  const auto line = whole_object(
      {{"label", text()}, {"seeds", count()}, {"suspect", boolean()}, {"points", array_of(point)}});
  return link_panel({{"series", array_of(line)}});
}

/// Adds the interval of the median to the schema of a censored spread.
Json with_interval(Json censored) {
  censored["properties"]["interval"] = report::interval_schema();
  censored["required"].push_back("interval");
  return censored;
}

Json relative_tta() {
  const auto bar =
      whole_object({{"label", text()},
                    {"reached", count()},
                    {"total", count()},
                    {"relative", described(or_null(with_interval(report::censored_schema())),
                                           "TTA divided by that of all-reduce")},
                    {"word", described(text(), "text in place of a bar that cannot be drawn")}});
  const auto group = whole_object({{"name", text()}, {"bars", array_of(bar)}});
  return panel(
      {{"target", described(schema::positive_number(), "accuracy or loss, as the title says")},
       {"groups", array_of(group)}});
}

Json accuracy_pruning() {
  const auto point = whole_object(
      {{"pruning_ratio", any_number()}, {"label", text()}, {"accuracy", report::spread_schema()}});
  const auto line = whole_object({{"name", text()}, {"points", array_of(point)}});
  return link_panel(
      {{"series", array_of(line)}, {"dense", described(report::spread_schema(), "all-reduce")}});
}

Json phases() {
  return link_panel(
      {{"rows", array_of(whole_object({{"label", text()},
                                       {"suspect", boolean()},
                                       {"cells", count()},
                                       {"compute_s", any_number()},
                                       {"exposed_encode_s", any_number()},
                                       {"exposed_wire_s", any_number()},
                                       {"rest_s", any_number()},
                                       {"time_per_iteration_s", report::spread_schema()}}))}});
}

Json bytes() {
  const auto off = described(
      number_or_null(),
      "measured wire bytes divided by those that the recorded collectives and counted frames "
      "account for (explained bytes; where these are unknown, expected bytes), minus 1");
  return link_panel({{"rows", array_of(whole_object({{"label", text()},
                                                     {"measured_bytes", report::spread_schema()},
                                                     {"expected_bytes", report::spread_schema()},
                                                     {"payload_bytes", report::spread_schema()},
                                                     {"off", off}}))}});
}

Json tta_bandwidth() {
  const auto point = whole_object({{"link", text()},
                                   {"rate_mbit", any_number()},
                                   {"suspect", boolean()},
                                   {"tta_s", with_interval(report::censored_schema())}});
  const auto line = whole_object({{"label", text()}, {"points", array_of(point)}});
  const auto crossing =
      whole_object({{"rate_mbit", any_number()},
                    {"tta_s", any_number()},
                    {"below", described(text(), "label of the fastest method at lower rates")},
                    {"above", described(text(), "label of the fastest method at higher rates")}});
  return panel({{"series", array_of(line)}, {"crossings", array_of(crossing)}});
}

Json pareto() {
  const auto point =
      whole_object({{"label", text()},
                    {"speed_up", described(any_number(), "speed-up over all-reduce")},
                    {"accuracy", report::spread_schema()},
                    {"front", boolean()}});
  return link_panel({{"points", array_of(point)}});
}

Json scaling() {
  auto series = report::scaling_series_schema();
  for (const char* key : {"workload", "topology", "link", "rate_mbit"}) {
    series.at("properties").erase(key);
  }
  series["required"] = {"label", "points"};
  return panel(
      {{"workload", text()},
       {"topology", text()},
       {"link", text()},
       {"rate_mbit", any_number()},
       {"quantity", schema::one_of({"mean_iteration_s", "busiest_link_bytes", "efficiency"})},
       {"words", described(text(), "the quantity in words")},
       {"series", array_of(series)}});
}

Json figure(const char* name, const Json& panels) {
  return whole_object(
      {{"name", {{"const", name}}},
       {"title", text()},
       {"missing", described(text(), "why there is no panel; empty where there is one")},
       {"panels", array_of(panels)}});
}

Json figures() {
  return array_of({{"anyOf",
                    {figure("accuracy-time", curves()), figure("accuracy-iteration", curves()),
                     figure("relative-tta", relative_tta()),
                     figure("accuracy-pruning", accuracy_pruning()), figure("phases", phases()),
                     figure("bytes", bytes()), figure("tta-bandwidth", tta_bandwidth()),
                     figure("pareto", pareto()), figure("scaling", scaling())}}});
}

Json link_tables() {
  const auto column = whole_object({{"group", text()}, {"head", text()}, {"left", boolean()}});
  const auto table = whole_object(
      {{"title", text()}, {"columns", array_of(column)}, {"rows", array_of(array_of(text()))}});
  return whole_object({{"title", text()},
                       {"headline", text()},
                       {"probe", text()},
                       {"tables", array_of(table)},
                       {"footnotes", array_of(text())},
                       {"diagnoses", array_of(text())}});
}

Json timeline() {
  const auto kinds = schema::one_of(
      {"forward", "backward", "wait", "optimizer", "encode", "queue", "wire", "decode"});
  const auto span =
      whole_object({{"kind", kinds},
                    {"bucket", described({{"type", "integer"}},
                                         "-1: the rank's own thread, outside of all buckets")},
                    {"start_ms", any_number()},
                    {"end_ms", any_number()}});
  return whole_object(
      {{"link", text()},
       {"label", text()},
       {"seed", {{"type", "integer"}}},
       {"iteration", count()},
       {"time_per_iteration_s", any_number()},
       {"ranks", array_of(whole_object({{"rank", count()}, {"spans", array_of(span)}}))}});
}

Json section() {
  return whole_object({{"title", text()},
                       {"mode", text()},
                       {"header", array_of(text())},
                       {"legend", text()},
                       {"notes", array_of(text())},
                       {"links", array_of(link_tables())},
                       {"timelines", array_of(timeline())},
                       {"fidelity", array_of(fidelity_schema())},
                       {"scenario", described({{"type", "object"}}, "pacbench schema scenario")}});
}

}  // namespace

Json figures_schema() {
  const auto run = whole_object({{"path", text()}, {"manifest", or_null({{"type", "object"}})}});
  return schema::document(
      "pacbench figures", kFiguresFormat,
      {{"title", text()},
       {"methods", array_of(whole_object({{"label", text()}, {"method", text()}}))},
       {"figures", figures()},
       {"sections", array_of(section())},
       {"runs", array_of(run)}});
}

}  // namespace pacbench::figures
