#include "harness/store/files.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text_file.h"

namespace pacbench::store {
namespace {

[[noreturn]] void refuse(const std::string& path, std::size_t number, const std::string& why) {
  throw ConfigError{fmt::format("{}:{}", path, number), "", why};
}

bool is_event(const Json& line) {
  if (!line.is_object() || !line.contains("event") || !line.at("event").is_string()) return false;
  const auto& known = Words<EventKind>::kAll;
  return std::ranges::find(known, line.at("event").get_ref<const std::string&>()) != known.end();
}

/// Reads a line. A line that cannot be read ends the file too, unless `broken` is kRefuse.
bool next(LineReader& lines, std::string& line, Broken broken) {
  try {
    return lines.next(line);
  } catch (const ConfigError&) {
    if (broken == Broken::kRefuse) throw;
    return false;
  }
}

}  // namespace

std::string cell_folder_of(const std::string& run_folder, const std::string& cell_name) {
  return run_folder + "/cells/" + cell_name;
}

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
                           : "the last line has no newline, so its end is missing");
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

std::vector<EvaluationEvent> read_curve(const std::string& cell_folder, Broken broken) {
  std::vector<EvaluationEvent> curve;
  const auto path = cell_folder + "/curve.jsonl";
  for_each_event(path, broken, [&](const Json& event, const std::string&, std::size_t number) {
    try {
      curve.push_back(event.get<EvaluationEvent>());
    } catch (const std::exception& error) {
      refuse(path, number, fmt::format("expected an evaluation: {}", error.what()));
    }
  });
  return curve;
}

bool has_diverged(const std::string& cell_folder) {
  bool diverged = false;
  while_event(cell_folder + "/events.jsonl", Broken::kEnd,
              [&](const Json& event, const std::string&, std::size_t) {
                diverged =
                    kind_of(event) == EventKind::kFailed && failed_event_from_json(event).diverged;
                return !diverged;
              });
  return diverged;
}

}  // namespace pacbench::store
