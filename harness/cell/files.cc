#include "harness/cell/files.h"

#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace pacbench::cell {
namespace {

[[noreturn]] void refuse(const std::string& path, std::size_t number, const std::string& why) {
  throw ConfigError{fmt::format("{}:{}", path, number), {{"", why}}};
}

bool is_event(const Json& line) {
  return line.is_object() && line.contains("event") && line.at("event").is_string();
}

}  // namespace

void for_each_event(const std::string& path, Broken broken, const OnEvent& take) {
  if (!std::filesystem::exists(path)) return;
  std::ifstream file{path};
  if (!file) throw std::system_error{errno, std::generic_category(), "open " + path};
  std::size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    const auto event = Json::parse(line, nullptr, false);
    if (file.eof() || !is_event(event)) {
      if (broken == Broken::kEnd) return;
      refuse(path, number,
             file.eof() ? "the last line is not whole"
                        : fmt::format("found {}, expected an event", describe_found(line)));
    }
    take(event, line, number);
  }
  if (file.bad()) throw std::system_error{errno, std::generic_category(), "read " + path};
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
