#include "harness/cell/files.h"

#include <fmt/format.h>

#include "base/text_file.h"

namespace pacbench::cell {
namespace {

[[noreturn]] void refuse(const std::string& path, std::size_t number, const std::string& why) {
  throw ConfigError{fmt::format("{}:{}", path, number), {{"", why}}};
}

bool is_event(const Json& line) {
  return line.is_object() && line.contains("event") && line.at("event").is_string();
}

/// A line that cannot be read ends the file, too, unless it is to be refused.
bool next(LineReader& lines, std::string& line, Broken broken) {
  try {
    return lines.next(line);
  } catch (const ConfigError&) {
    if (broken == Broken::kRefuse) throw;
    return false;
  }
}

}  // namespace

void while_event(const std::string& path, Broken broken, const WhileEvent& take) {
  if (!text_exists(path)) return;
  LineReader lines{path};
  std::size_t number = 0;
  for (std::string line; next(lines, line, broken);) {
    ++number;
    const auto event = parse_json_line(line);
    if (!lines.whole() || !is_event(event)) {
      if (broken == Broken::kEnd) return;
      refuse(path, number,
             lines.whole() ? fmt::format("found {}, expected an event", describe_found(line))
                           : "the last line is not whole");
    }
    if (!take(event, line, number)) return;
  }
}

void for_each_event(const std::string& path, Broken broken, const OnEvent& take) {
  while_event(path, broken, [&](const Json& event, const std::string& line, std::size_t number) {
    take(event, line, number);
    return true;
  });
}

CellRecord read_record(const std::string& cell_folder, CellRecord record) {
  for (const char* name : {"network.jsonl", "events.jsonl", "iterations.jsonl", "curve.jsonl"}) {
    const auto path = fmt::format("{}/{}", cell_folder, name);
    for_each_event(path, Broken::kRefuse,
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

}  // namespace pacbench::cell
