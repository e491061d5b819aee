#include "contract/worker/program_event.h"

#include "base/json/json_fields.h"
#include "contract/worker/event_kind.h"

namespace pacbench {

template <>
struct JsonFields<BeganEvent> {
  static constexpr std::tuple kAll{JsonField{"rank", &BeganEvent::rank}};
};

template <>
struct JsonFields<StepEvent> {
  using T = StepEvent;
  static constexpr std::tuple kAll{
      JsonField{"rank", &T::rank}, JsonField{"iteration", &T::iteration},
      JsonField{"step", &T::step}, JsonField{"training_s", &T::training_s}};
};

template <>
struct JsonFields<RankExitedEvent> {
  using T = RankExitedEvent;
  static constexpr std::tuple kAll{JsonField{"rank", &T::rank}, JsonField{"code", &T::code},
                                   JsonField{"signal", &T::signal},
                                   JsonField{"wall_s", &T::wall_s}};
};

Json to_json(const RankExitedEvent& event) {
  Json node = event;
  node["event"] = EventKind::kExited;
  return node;
}

BeganEvent began_event_from_json(const Json& node) { return node.get<BeganEvent>(); }
StepEvent step_event_from_json(const Json& node) { return node.get<StepEvent>(); }
RankExitedEvent rank_exited_event_from_json(const Json& node) {
  return node.get<RankExitedEvent>();
}

}  // namespace pacbench
