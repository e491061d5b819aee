#include "harness/record/read_record.h"

#include <fmt/format.h>

#include "harness/store/files.h"

namespace pacbench::record {

CellRecord read_record(const std::string& cell_folder, CellRecord record) {
  for (const char* name : {"network.jsonl", "events.jsonl", "iterations.jsonl", "curve.jsonl"}) {
    const auto path = fmt::format("{}/{}", cell_folder, name);
    store::for_each_event(
        path, store::Broken::kRefuse,
        [&](const Json& event, const std::string&, std::size_t number) {
          try {
            record.add(event);
          } catch (const ProtocolError& error) {
            throw ConfigError{fmt::format("{}:{}", path, number), {{"", error.what()}}};
          }
        });
  }
  return record;
}

}  // namespace pacbench::record
