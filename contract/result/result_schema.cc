#include "base/json/json_checksum.h"
#include "base/json/schema_parts.h"
#include "contract/result/result.h"
#include "contract/result/result_fields.h"

namespace pacbench {
namespace {

using namespace result_fields;
using schema::array_of;
using schema::whole_object;

Json verdict_schema(const std::vector<std::string>& words) {
  return whole_object({{"word", {{"enum", words}}}, {"reasons", array_of({{"type", "string"}})}});
}

/// A number of at least 0, or null where `type` has that too.
Json from_0(const Json& type, const char* description) {
  return {{"type", type}, {"minimum", 0}, {"description", description}};
}

Json crossing_schema(const char* metric, const Json& value) {
  auto schema = whole_object(
      {{metric, value},
       {"tta_s",
        from_0({"number", "null"}, "training-clock seconds to the sustained crossing; null: DNF")},
       {"iterations",
        from_0({"integer", "null"}, "iteration of the evaluation that crossed; null: DNF")}});
  for (const char* key : {"tta_low_s", "tta_high_s"}) {
    schema["properties"][key] = from_0(
        "number",
        "lower and upper end of the 95 % interval of tta_s in seconds, from the scatter of steps: "
        "in modes compose and simulate, and where disturbances were taken off the clock");
  }
  schema["properties"]["tta_unrepaired_s"] =
      from_0("number", "tta_s on the clock as it ran, with what disturbances added");
  schema["properties"]["unconfirmed"] = {
      {"type", "boolean"},
      {"description",
       "true: a program ended with the evaluation that crossed, so that nothing confirms it"}};
  return schema;
}

Json target_schema() {
  const Json accuracy{{"type", "number"}, {"exclusiveMinimum", 0}, {"maximum", 1}};
  const Json loss{{"type", "number"}, {"minimum", 0}};
  return {{"oneOf", {crossing_schema(kAccuracy, accuracy), crossing_schema(kLoss, loss)}}};
}

Json cell_schema() {
  const Json name{{"type", "string"}, {"minLength", 1}};
  Json properties{
      {"label", name},
      {"link", name},
      {"status", {{"enum", all_words<CellStatus>()}}},
      {"reason", {{"type", "string"}, {"description", "why the cell is not done"}}},
      {"mask_sample",
       {{"type", "string"},
        {"description",
         "whether each of a fixed choice of weights is kept, a bit for each, as hexadecimal "
         "digits"}}},
      {"targets", array_of(target_schema())},
      {"stopped_at_target",
       {{"type", "boolean"},
        {"description",
         "true: the cell stopped when it had reached all its targets, and final_accuracy is the "
         "accuracy there"}}},
      {"real_time",
       {{"type", "boolean"}, {"description", "communication threads ran in a real-time class"}}},
      {"link_verdict", verdict_schema(kLinkWords)},
      {"host_verdict", verdict_schema(kHostWords)}};
  for (const auto& field : kNumbers) properties[field.key] = from_0("number", field.help);
  for (const auto& field : kSamples) {
    properties[field.key] = {{"type", {"number", "null"}}, {"description", field.help}};
  }
  for (const auto& field : kCounts) properties[field.key] = from_0("integer", field.help);
  auto schema = whole_object(properties);
  for (const auto& field : kLater) {
    schema["properties"][field.key] = from_0({"number", "null"}, field.help);
  }
  schema["properties"]["machine_verdict"] = verdict_schema(kMachineWords);
  return schema;
}

}  // namespace

Json result_schema() {
  const Json scenario{{"type", "object"},
                      {"description", "canonical form, see `pacbench schema scenario`"}};
  auto schema =
      schema::document("pacbench result", RunResult::kFormat,
                       {{"mode", {{"enum", all_words<Mode>()}}},
                        {"scenario", scenario},
                        {"comparison_hash",
                         {{"type", "string"},
                          {"pattern", "^[0-9a-f]{64}$"},
                          {"description", "runs with the same hash may be merged and compared"}}},
                        {"cells", array_of(cell_schema())}});
  schema["properties"][kChecksum] = {
      {"type", "string"},
      {"pattern", "^[0-9a-f]{64}$"},
      {"description",
       "SHA-256 of all other keys, written as one line without spaces and with keys in order"}};
  return schema;
}

}  // namespace pacbench
