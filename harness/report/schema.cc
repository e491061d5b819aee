#include "spec/schema_parts.h"

#include "harness/report/report.h"
#include "harness/report/row_fields.h"

namespace pacbench {
namespace {

using schema::described;

Json closed(const Json& properties) {
  std::vector<std::string> required;
  for (const auto& [key, value] : properties.items()) required.push_back(key);
  return schema::closed_object(properties, required);
}

Json array_of(const Json& items) { return {{"type", "array"}, {"items", items}}; }
Json or_null(const Json& schema) { return {{"anyOf", {schema, {{"type", "null"}}}}}; }

const Json kText{{"type", "string"}};
const Json kNumber{{"type", "number"}};
const Json kNumberOrNull{{"type", {"number", "null"}}};

Json spread() {
  return or_null(closed({{"median", kNumber}, {"minimum", kNumber}, {"maximum", kNumber}}));
}

Json censored() {
  return closed({{"median", described(kNumberOrNull, "null: half or more never got there")},
                 {"minimum", kNumberOrNull},
                 {"maximum", described(kNumberOrNull, "null: some never got there")},
                 {"reached", schema::integer_from(0)},
                 {"total", schema::integer_from(0)}});
}

Json interval() {
  return or_null(closed({{"low", described(kNumberOrNull, "null: not reached")},
                         {"high", described(kNumberOrNull, "null: not reached")},
                         {"coverage", schema::ratio()}}));
}

Json target() {
  return closed({{"accuracy", schema::ratio()},
                 {"tta_s", censored()},
                 {"tta_interval_s",
                  described(interval(), "of the median, at 95 % or more; null with too few seeds")},
                 {"iterations", censored()},
                 {"beyond_s", described(censored(), "TTA less time per iteration × iterations")},
                 {"speed_up_all_reduce", described(kNumberOrNull, "ratio of median TTA")},
                 {"speed_up_fp16", described(kNumberOrNull, "ratio of median TTA")}});
}

Json diagnosis() {
  const auto kinds = schema::one_of({"cpu-bound", "all-gather", "latency-bound", "more-iterations",
                                     "unstable-mask", "beyond-steps"});
  return or_null(closed({{"against", described(kText, "label of the better baseline")},
                         {"accuracy", schema::ratio()},
                         {"tta_ratio", described(kNumberOrNull, "null for a DNF")},
                         {"step_ratio", kNumber},
                         {"iterations_ratio", kNumberOrNull},
                         {"causes", array_of(closed({{"kind", kinds}, {"words", kText}}))},
                         {"words", kText}}));
}

Json row() {
  Json properties{{"label", kText},
                  {"method", kText},
                  {"seeds", array_of({{"type", "integer"}})},
                  {"done", schema::integer_from(0)},
                  {"failed", described(schema::integer_from(0), "count as DNF")},
                  {"unfinished", described(schema::integer_from(0), "count nowhere")},
                  {"link_verdict", schema::one_of({"ok", "suspect"})},
                  {"host_verdict", schema::one_of({"ok", "cpu-bound"})},
                  {"stopped_at_target", {{"type", "boolean"}}},
                  {"targets", array_of(target())},
                  {"mask_overlap", described(kNumberOrNull, "of seeds, median over pairs")},
                  {"notes", array_of(kText)},
                  {"diagnosis", described(diagnosis(), "null where it does not lose")}};
  for (const auto& field : kRowFields) properties[field.key] = described(spread(), field.help);
  return closed(properties);
}

Json link() {
  return closed({{"link", kText},
                 {"description", kText},
                 {"rate_mbit", described(kNumber, "of its slower direction; 0 in mode learn")},
                 {"probe", described(kNumberOrNull, "worst flow, measured over expected")},
                 {"rows", array_of(row())}});
}

Json section() {
  return closed({{"title", described(kText, "what tells it from the others")},
                 {"name", kText},
                 {"files", described(array_of(kText), "the result.json that it was made of")},
                 {"mode", kText},
                 {"comparison_hash", kText},
                 {"seeds", array_of({{"type", "integer"}})},
                 {"pretrain_s", spread()},
                 {"links", array_of(link())},
                 {"notes", array_of(kText)}});
}

}  // namespace

Json report_schema() {
  auto schema = closed({{"format", {{"const", Report::kFormat}}},
                        {"name", kText},
                        {"sections", array_of(section())}});
  schema["$schema"] = "http://json-schema.org/draft-07/schema#";
  schema["title"] = "pacbench report";
  return schema;
}

}  // namespace pacbench
