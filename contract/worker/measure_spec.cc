#include "contract/worker/measure_spec.h"

#include "base/json/json_fields.h"
#include "contract/worker/spec_version.h"

namespace pacbench {

template <>
struct JsonFields<MeasureSpec::AllReduce> {
  using T = MeasureSpec::AllReduce;
  static constexpr std::tuple kAll{JsonField{"bytes", &T::bytes}, JsonField{"rounds", &T::rounds}};
};

template <>
struct JsonFields<MeasureSpec> {
  using T = MeasureSpec;
  static constexpr std::tuple kAll{JsonField{"rank", &T::rank},
                                   JsonField{"workers", &T::workers},
                                   JsonField{"interface", &T::interface},
                                   JsonField{"timeout_s", &T::timeout_s},
                                   JsonField{"all_reduces", &T::all_reduces},
                                   JsonField{"ordinary_rounds", &T::ordinary_rounds}};
};

template <>
struct JsonFields<AllReduceEvent> {
  using T = AllReduceEvent;
  static constexpr std::tuple kAll{JsonField{"rank", &T::rank}, JsonField{"bytes", &T::bytes},
                                   JsonField{"real_time", &T::real_time},
                                   JsonField{"times_s", &T::times_s}};
};

Json to_json(const MeasureSpec& spec) {
  Json node = spec;
  node["version"] = MeasureSpec::kVersion;
  node["role"] = MeasureSpec::kRole;
  return node;
}

MeasureSpec measure_spec_from_json(const Json& document) {
  return spec_of_version<MeasureSpec>(document,
                                      [](const Json& node) { return node.get<MeasureSpec>(); });
}

Json to_json(const AllReduceEvent& event) {
  Json node = event;
  node["event"] = "all_reduce";
  return node;
}

AllReduceEvent all_reduce_event_from_json(const Json& node) { return node.get<AllReduceEvent>(); }

}  // namespace pacbench
