#include "contract/scenario/worker_speed.h"

#include <fmt/format.h>

namespace pacbench {
namespace {

constexpr const char* kComputeMs = "compute_ms";
constexpr Range kMs{0.001, 3'600'000.0};

bool is_within(const Json& value, const Range& range) {
  return value.is_number() && range.contains(value.get<double>());
}

Json schema_of(const Range& range) {
  return {{"type", "number"}, {"minimum", *range.minimum}, {"maximum", *range.maximum}};
}

}  // namespace

WorkerSpeed WorkerSpeed::read(ObjectReader& reader, const char* key) {
  const Json& written = reader.raw(key);
  if (is_within(written, kTimes)) return {.times = written.get<double>()};
  if (written.is_object() && written.size() == 1 && written.contains(kComputeMs) &&
      is_within(written[kComputeMs], kMs)) {
    return {.compute_ms = written[kComputeMs].get<double>()};
  }
  reader.complain(key, fmt::format("found {}, expected {}, or "
                                   "{{\"{}\": milliseconds of forward and backward}}",
                                   written.dump(), kTimes.describe(), kComputeMs));
  return {};
}

Json WorkerSpeed::schema() {
  const Json object{{"type", "object"},
                    {"required", {kComputeMs}},
                    {"additionalProperties", false},
                    {"properties", {{kComputeMs, schema_of(kMs)}}}};
  return {{"anyOf", {schema_of(kTimes), object}}};
}

void to_json(Json& json, const WorkerSpeed& speed) {
  json = speed.compute_ms > 0 ? Json{{kComputeMs, speed.compute_ms}} : Json(speed.times);
}

void from_json(const Json& json, WorkerSpeed& speed) {
  speed = json.is_object() ? WorkerSpeed{.compute_ms = json.at(kComputeMs).get<double>()}
                           : WorkerSpeed{.times = json.get<double>()};
}

}  // namespace pacbench
