#include "harness/cell_files.h"

#include <fmt/format.h>

#include <fstream>

namespace pacbench {
namespace {

[[noreturn]] void refuse(const std::string& path, std::size_t number, const std::string& why) {
  throw ConfigError{fmt::format("{}:{}", path, number), {{"", why}}};
}

}  // namespace

void for_each_event(const std::string& path, Unfinished unfinished, const OnEvent& take) {
  std::ifstream file{path};
  std::size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (file.eof()) {
      if (unfinished == Unfinished::kRefuse) refuse(path, number, "the last line is not whole");
      return;
    }
    const auto event = Json::parse(line, nullptr, false);
    if (!event.is_object() || !event.contains("event")) {
      refuse(path, number, fmt::format("found {}, expected an event", describe_found(line)));
    }
    take(event, line, number);
  }
}

CellRecord read_record(const std::string& cell_folder, double rate_bytes_per_s) {
  CellRecord record{rate_bytes_per_s};
  for (const char* name : {"events.jsonl", "iterations.jsonl", "curve.jsonl"}) {
    const auto path = fmt::format("{}/{}", cell_folder, name);
    for_each_event(path, Unfinished::kRefuse,
                   [&](const Json& event, const std::string&, std::size_t number) {
                     try {
                       record.add(event);
                     } catch (const ProtocolError& error) {
                       refuse(path, number, error.what());
                     }
                   });
  }
  return record;
}

}  // namespace pacbench
