#include "spec/profile.h"
#include "spec/schema_parts.h"

namespace pacbench {
namespace {

using namespace schema;

Json at_least_0() { return {{"type", "number"}, {"minimum", 0}}; }

Json some_of(const Json& items) { return {{"type", "array"}, {"items", items}, {"minItems", 1}}; }

Json bucket_schema() {
  return closed_object(
      {{"parameters", described(some_of({{"type", "string"}}), "in the order they lie in it")},
       {"elements", integer_from(1)},
       {"bytes", described(integer_from(1), "of float32: four times the elements")}},
      {"parameters", "elements", "bytes"});
}

Json iteration_schema() {
  return closed_object({{"forward_ms", described(at_least_0(), "with getting the batch")},
                        {"ready_ms", described(some_of(at_least_0()),
                                               "of each bucket, since backward began; ascending")},
                        {"optimizer_ms", at_least_0()},
                        {"worker", described(with_default(integer(0, 127), 0),
                                             "of those that computed at the same time")}},
                       {"forward_ms", "ready_ms", "optimizer_ms"});
}

Json sample_schema() {
  return closed_object(
      {{"file", described({{"type", "string"}}, "float32, little-endian, beside the profile")},
       {"sha256", {{"type", "string"}}},
       {"counts", described(some_of(integer_from(1)),
                            "values of each parameter, in the order of the buckets")}},
      {"file", "sha256", "counts"});
}

Json assumption_schema() {
  return described(closed_object({{"peak_tflops", positive_number()},
                                  {"utilisation", ratio()},
                                  {"memory_gb_per_s", positive_number()},
                                  {"compute_factor", positive_number()}},
                                 {"peak_tflops", "utilisation"}),
                   "with source \"assumed\" only: forward and backward take flop_per_sample x "
                   "batch_per_worker / (peak_tflops x utilisation), work of exchanges its time "
                   "here x copy_gb_per_s / memory_gb_per_s, pruning its time here x "
                   "compute_factor");
}

}  // namespace

Json profile_schema() {
  const Json named{{"type", "object"}, {"required", {"name"}}};
  auto schema = closed_object(
      {{"format", {{"const", Profile::kFormat}}},
       {"source", one_of({"measured", "assumed"})},
       {"device", one_of({"cpu", "cuda"})},
       {"hardware", {{"type", "string"}}},
       {"model", named},
       {"dataset", named},
       {"batch_per_worker", integer_from(1)},
       {"flop_per_sample", described(positive_number(), "of forward and backward, counted")},
       {"workers", described(integer(1, 128), "that computed on the device at the same time")},
       {"buckets", described(some_of(bucket_schema()), "in the order they become ready")},
       {"iterations", some_of(iteration_schema())},
       {"sample", sample_schema()},
       {"assumption", assumption_schema()},
       {"exchanges", exchanges_schema()}},
      {"format", "source", "device", "hardware", "model", "dataset", "batch_per_worker",
       "flop_per_sample", "workers", "buckets", "iterations", "sample"});
  schema["$schema"] = "http://json-schema.org/draft-07/schema#";
  schema["title"] = "pacbench profile";
  return schema;
}

}  // namespace pacbench
