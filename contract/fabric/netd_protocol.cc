#include "contract/fabric/netd_protocol.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json/read_keys.h"

namespace pacbench::netd {
namespace {

constexpr std::size_t kMaxWords = 4096;
constexpr auto kLeastStepMs = static_cast<std::int64_t>(1000 * kLeastStepS + 0.5);
constexpr double kMostMs = 1000 * kMostScheduleS;

std::vector<std::string> words(ObjectReader& reader, const std::string& key,
                               std::size_t most = kMaxWords) {
  std::vector<std::string> result;
  const auto& node = reader.raw(key);
  if (!node.is_array() || node.size() > most) {
    reader.complain(key, fmt::format("expected an array of at most {} strings", most));
    return result;
  }
  for (const auto& word : node) {
    if (!word.is_string() || word.get_ref<const std::string&>().find('\0') != std::string::npos) {
      reader.complain(key, "expected strings without NUL bytes");
      return {};
    }
    result.push_back(word);
  }
  return result;
}

bool is_step(const Json& node) {
  const Range rate{kLeastShapedMbit, kMostLinkMbit, false};
  return node.is_array() && node.size() == 2 && node[0].is_number_integer() &&
         Range{0.0, kMostMs, false}.contains(node[0].get<double>()) && node[1].is_number() &&
         rate.contains(node[1].get<double>());
}

std::vector<ScheduleRequest::Step> steps(ObjectReader& reader) {
  std::vector<ScheduleRequest::Step> result;
  const auto& node = reader.raw("steps");
  if (!node.is_array() || node.empty() || node.size() > kMostSteps) {
    reader.complain("steps", fmt::format("expected an array of 1 to {} steps", kMostSteps));
    return result;
  }
  for (const auto& step : node) {
    if (!is_step(step) || (!result.empty() && step[0] < result.back().at_ms + kLeastStepMs)) {
      reader.complain("steps", fmt::format("expected [ms, Mbit/s] with ascending times, {} ms or "
                                           "more apart, and rates in [{}, {}], found {}",
                                           kLeastStepMs, kLeastShapedMbit, kMostLinkMbit,
                                           describe_found(step)));
      return {};
    }
    result.push_back({step[0], step[1]});
  }
  return result;
}

}  // namespace

Json to_json(const CreateRequest& request) {
  Json message = request;
  message["type"] = "create";
  message["version"] = kVersion;
  return message;
}

CreateRequest create_request_from_json(const Json& message) {
  std::vector<Issue> issues;
  ObjectReader reader{message, "", issues};
  reader.raw("type");
  const auto version = reader.integer("version", Range::at_least(0));
  if (version != kVersion) {
    reader.complain("version",
                    fmt::format("found version {} of the protocol, but this pacbench-netd speaks "
                                "version {}: pacbench and pacbench-netd must be of the same build",
                                version, kVersion));
  }
  auto request = read_fabric(reader);
  reader.finish();
  if (issues.empty()) issues = contradictions(request);
  if (!issues.empty()) throw ConfigError{"create request", issues};
  return request;
}

SpawnRequest spawn_request_from_json(const Json& message, int workers) {
  std::vector<Issue> issues;
  ObjectReader reader{message, "", issues};
  reader.raw("type");
  SpawnRequest request;
  request.slot = static_cast<int>(reader.integer("slot", {0.0, workers - 1.0, false}));
  request.argv = words(reader, "argv");
  request.environment = words(reader, "environment");
  request.in_mount_namespace = reader.boolean_or("in_mount_namespace", false);
  request.apart = reader.boolean_or("apart", false);
  if (issues.empty() && (request.argv.empty() || !request.argv.front().starts_with('/'))) {
    reader.complain("argv", "expected an absolute path as the first word");
  }
  reader.finish();
  if (!issues.empty()) throw ConfigError{"spawn request", issues};
  return request;
}

Json to_json(const ScheduleRequest& request) {
  Json steps = Json::array();
  for (const auto& step : request.steps) steps.push_back({step.at_ms, step.rate_mbit});
  return {{"type", "schedule"},
          {"directions", request.directions},
          {"steps", steps},
          {"repeat_ms", request.repeat_ms}};
}

ScheduleRequest schedule_request_from_json(const Json& message,
                                           const std::vector<std::string>& directions) {
  std::vector<Issue> issues;
  ObjectReader reader{message, "", issues};
  reader.raw("type");
  ScheduleRequest request;
  request.directions = words(reader, "directions", directions.size());
  if (request.directions.empty()) reader.complain("directions", "expected at least one direction");
  for (const auto& name : request.directions) {
    if (std::find(directions.begin(), directions.end(), name) != directions.end()) continue;
    reader.complain("directions", fmt::format("\"{}\" is not a direction of this fabric", name));
  }
  request.steps = steps(reader);
  const auto last_ms = request.steps.empty() ? 0 : request.steps.back().at_ms;
  request.repeat_ms = reader.integer("repeat_ms", {0.0, kMostMs, false});
  if (request.repeat_ms != 0 && request.repeat_ms < last_ms + kLeastStepMs) {
    reader.complain("repeat_ms",
                    fmt::format("expected 0, or at least {} ({} ms after the last step); found {}",
                                last_ms + kLeastStepMs, kLeastStepMs, request.repeat_ms));
  }
  reader.finish();
  if (!issues.empty()) throw ConfigError{"schedule request", issues};
  return request;
}

SignalRequest signal_request_from_json(const Json& message) {
  std::vector<Issue> issues;
  ObjectReader reader{message, "", issues};
  reader.raw("type");
  SignalRequest request;
  read_keys(reader, request);
  reader.finish();
  if (!issues.empty()) throw ConfigError{"signal request", issues};
  return request;
}

Json signalled_reply() { return {{"type", "signalled"}}; }

Json counters_request() { return {{"type", "counters"}}; }

Json features_request() { return {{"type", "features"}}; }

Json error_reply(const std::string& message) { return {{"type", "error"}, {"message", message}}; }

std::string type_of(const Json& message) {
  if (!message.is_object() || !message.contains("type") || !message.at("type").is_string()) {
    throw ProtocolError{
        "received a message without a \"type\", expected one with it: pacbench and pacbench-netd "
        "must be of the same build"};
  }
  return message.at("type");
}

}  // namespace pacbench::netd
