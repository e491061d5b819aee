#include "spec/measure_spec.h"

#include <fmt/format.h>

namespace pacbench {

Json to_json(const MeasureSpec& spec) {
  auto all_reduces = Json::array();
  for (const auto& call : spec.all_reduces) {
    all_reduces.push_back({{"bytes", call.bytes}, {"rounds", call.rounds}});
  }
  return {{"version", MeasureSpec::kVersion},
          {"role", MeasureSpec::kRole},
          {"rank", spec.rank},
          {"workers", spec.workers},
          {"interface", spec.interface},
          {"timeout_s", spec.timeout_s},
          {"all_reduces", all_reduces},
          {"ordinary_rounds", spec.ordinary_rounds}};
}

MeasureSpec measure_spec_from_json(const Json& document) {
  try {
    if (document.at("version") != MeasureSpec::kVersion) {
      throw ConfigError{
          "worker specification",
          {{"/version", fmt::format("found {}, expected {}", document.at("version").dump(),
                                    MeasureSpec::kVersion)}}};
    }
    MeasureSpec spec;
    spec.rank = document.at("rank");
    spec.workers = document.at("workers");
    spec.interface = document.at("interface");
    spec.timeout_s = document.at("timeout_s");
    for (const auto& call : document.at("all_reduces")) {
      spec.all_reduces.push_back({call.at("bytes"), call.at("rounds")});
    }
    spec.ordinary_rounds = document.at("ordinary_rounds");
    return spec;
  } catch (const Json::exception& error) {
    throw ConfigError{"worker specification", {{"", error.what()}}};
  }
}

Json to_json(const AllReduceEvent& event) {
  return {{"event", "all_reduce"},
          {"rank", event.rank},
          {"bytes", event.bytes},
          {"real_time", event.real_time},
          {"times_s", event.times_s}};
}

AllReduceEvent all_reduce_event_from_json(const Json& node) {
  return {node.at("rank"), node.at("bytes"), node.at("real_time"), node.at("times_s")};
}

}  // namespace pacbench
