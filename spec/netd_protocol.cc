#include "spec/netd_protocol.h"

#include <fmt/format.h>

#include <algorithm>

#include "spec/fabric_spec_json.h"

namespace pacbench::netd {
namespace {

constexpr std::size_t kMaxWords = 64;
// 100 s of a trace at the finest step, in a message that still fits.
constexpr std::size_t kMaxSteps = 20000;
constexpr double kMostMs = 86'400'000;

/// Runs `read` and turns a document of the wrong shape into a ProtocolError.
template <typename Read>
auto reading(const char* what, Read read) {
  try {
    return read();
  } catch (const Json::exception& error) {
    throw ProtocolError{fmt::format("not a {} message: {}", what, error.what())};
  }
}

Impairment impairment_of(const Json& node) {
  return {node.at("delay_ms"), node.at("jitter_ms"), node.at("loss"), node.at("reorder")};
}

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
  const Range rate{kLeastRateMbit, kMostRateMbit, false};
  return node.is_array() && node.size() == 2 && node[0].is_number_integer() &&
         Range{0.0, kMostMs, false}.contains(node[0].get<double>()) && node[1].is_number() &&
         rate.contains(node[1].get<double>());
}

std::vector<ScheduleRequest::Step> steps(ObjectReader& reader) {
  std::vector<ScheduleRequest::Step> result;
  const auto& node = reader.raw("steps");
  if (!node.is_array() || node.empty() || node.size() > kMaxSteps) {
    reader.complain("steps", fmt::format("expected an array of 1 to {} steps", kMaxSteps));
    return result;
  }
  for (const auto& step : node) {
    if (!is_step(step) || (!result.empty() && step[0] <= result.back().at_ms)) {
      reader.complain("steps",
                      fmt::format("expected [ms, Mbit/s] with ascending times and rates in "
                                  "[{}, {}], found {}",
                                  kLeastRateMbit, kMostRateMbit, describe_found(step)));
      return {};
    }
    result.push_back({step[0], step[1]});
  }
  return result;
}

}  // namespace

Json to_json(const CreateRequest& request) {
  auto message = fabric_to_json(request);
  message["type"] = "create";
  message["version"] = kVersion;
  return message;
}

CreateRequest create_request_from_json(const Json& message) {
  std::vector<Issue> issues;
  ObjectReader reader{message, "", issues};
  reader.raw("type");
  if (reader.integer("version", Range::at_least(0)) != kVersion) {
    reader.complain("version", fmt::format("this daemon speaks version {}", kVersion));
  }
  auto request = read_fabric(reader);
  reader.finish();
  if (issues.empty()) issues = contradictions(request);
  if (!issues.empty()) throw ConfigError{"create request", issues};
  return request;
}

Json to_json(const CreatedReply& reply) {
  Json links = Json::array();
  for (const auto& link : reply.links) {
    links.push_back({{"name", link.name},
                     {"device", link.device},
                     {"rate_bytes_per_s", link.rate_bytes_per_s},
                     {"burst_bytes", link.burst_bytes},
                     {"ceil_burst_bytes", link.ceil_burst_bytes},
                     {"quantum_bytes", link.quantum_bytes},
                     {"queue_bytes", link.queue_bytes},
                     {"impairment", to_json(link.impairment)},
                     {"netem_limit_packets", link.netem_limit_packets}});
  }
  return {{"type", "created"},
          {"privilege", reply.privilege},
          {"commands", reply.commands},
          {"links", links},
          {"real_time_allowed", reply.real_time_allowed}};
}

CreatedReply created_reply_from_json(const Json& message) {
  return reading("created", [&] {
    CreatedReply reply;
    reply.privilege = message.at("privilege");
    reply.commands = message.at("commands").get<std::vector<std::string>>();
    for (const auto& node : message.at("links")) {
      reply.links.push_back({node.at("name"), node.at("device"), node.at("rate_bytes_per_s"),
                             node.at("burst_bytes"), node.at("ceil_burst_bytes"),
                             node.at("quantum_bytes"), node.at("queue_bytes"),
                             impairment_of(node.at("impairment")), node.at("netem_limit_packets")});
    }
    reply.real_time_allowed = message.at("real_time_allowed");
    return reply;
  });
}

Json to_json(const SpawnRequest& request) {
  return {{"type", "spawn"},
          {"slot", request.slot},
          {"argv", request.argv},
          {"environment", request.environment},
          {"in_mount_namespace", request.in_mount_namespace}};
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
  if (request.argv.empty() || !request.argv.front().starts_with('/')) {
    reader.complain("argv", "expected an absolute path first");
  }
  reader.finish();
  if (!issues.empty()) throw ConfigError{"spawn request", issues};
  return request;
}

Json to_json(const SpawnedReply& reply) {
  return {{"type", "spawned"}, {"process", reply.process}, {"pid", reply.pid}};
}

SpawnedReply spawned_reply_from_json(const Json& message) {
  return reading("spawned", [&] { return SpawnedReply{message.at("process"), message.at("pid")}; });
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
  if (request.directions.empty()) reader.complain("directions", "expected at least one");
  for (const auto& name : request.directions) {
    if (std::find(directions.begin(), directions.end(), name) != directions.end()) continue;
    reader.complain("directions", fmt::format("\"{}\" is no direction of this fabric", name));
  }
  request.steps = steps(reader);
  const auto last_ms = request.steps.empty() ? 0 : request.steps.back().at_ms;
  request.repeat_ms = reader.integer("repeat_ms", {0.0, kMostMs, false});
  if (request.repeat_ms != 0 && request.repeat_ms <= last_ms) {
    reader.complain("repeat_ms", fmt::format("expected 0 or more than the last step's {} ms, "
                                             "found {}",
                                             last_ms, request.repeat_ms));
  }
  reader.finish();
  if (!issues.empty()) throw ConfigError{"schedule request", issues};
  return request;
}

Json to_json(const ScheduledReply& reply) {
  return {{"type", "scheduled"}, {"schedule", reply.schedule}, {"start_ns", reply.start_ns}};
}

ScheduledReply scheduled_reply_from_json(const Json& message) {
  return reading("scheduled", [&] {
    return ScheduledReply{message.at("schedule"), message.at("start_ns")};
  });
}

Json to_json(const SteppedEvent& event) {
  return {{"type", "stepped"},
          {"schedule", event.schedule},
          {"due_ns", event.due_ns},
          {"applied_ns", event.applied_ns},
          {"rate_mbit", event.rate_mbit}};
}

SteppedEvent stepped_event_from_json(const Json& message) {
  return reading("stepped", [&] {
    return SteppedEvent{message.at("schedule"), message.at("due_ns"), message.at("applied_ns"),
                        message.at("rate_mbit")};
  });
}

Json counters_request() { return {{"type", "counters"}}; }

Json to_json(const CountersReply& reply) {
  Json links = Json::array();
  for (const auto& link : reply.links) {
    links.push_back({{"name", link.name},
                     {"bytes", link.bytes},
                     {"packets", link.packets},
                     {"dropped_packets", link.dropped_packets}});
  }
  return {{"type", "counters"},
          {"links", links},
          {"retransmitted_segments", reply.retransmitted_segments},
          {"deviations", reply.deviations}};
}

CountersReply counters_reply_from_json(const Json& message) {
  return reading("counters", [&] {
    CountersReply reply;
    for (const auto& node : message.at("links")) {
      reply.links.push_back(
          {node.at("name"), node.at("bytes"), node.at("packets"), node.at("dropped_packets")});
    }
    reply.retransmitted_segments =
        message.at("retransmitted_segments").get<std::vector<std::int64_t>>();
    reply.deviations = message.at("deviations").get<std::vector<std::string>>();
    return reply;
  });
}

Json to_json(const ExitedEvent& event) {
  return {{"type", "exited"},
          {"process", event.process},
          {"slot", event.slot},
          {"code", event.code},
          {"signal", event.signal}};
}

ExitedEvent exited_event_from_json(const Json& message) {
  return reading("exited", [&] {
    return ExitedEvent{message.at("process"), message.at("slot"), message.at("code"),
                       message.at("signal")};
  });
}

Json features_request() { return {{"type", "features"}}; }

Json features_reply(const std::vector<Feature>& features) {
  Json list = Json::array();
  for (const auto& feature : features) {
    list.push_back({{"name", feature.name}, {"ok", feature.ok}, {"reason", feature.reason}});
  }
  return {{"type", "features"}, {"features", list}};
}

std::vector<Feature> features_reply_from_json(const Json& message) {
  return reading("features", [&] {
    std::vector<Feature> features;
    for (const auto& node : message.at("features")) {
      features.push_back({node.at("name"), node.at("ok"), node.at("reason")});
    }
    return features;
  });
}

Json error_reply(const std::string& message) { return {{"type", "error"}, {"message", message}}; }

std::string type_of(const Json& message) {
  if (!message.is_object() || !message.contains("type") || !message.at("type").is_string()) {
    throw ProtocolError{"a message without a type"};
  }
  return message.at("type");
}

}  // namespace pacbench::netd
