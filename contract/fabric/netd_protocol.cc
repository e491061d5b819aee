#include "contract/fabric/netd_protocol.h"

#include <fmt/format.h>

#include <algorithm>

#include "contract/fabric/fabric_spec_json.h"

namespace pacbench {

template <>
struct JsonFields<netd::ShapedLink> {
  using T = netd::ShapedLink;
  static constexpr std::tuple kAll{JsonField{"name", &T::name},
                                   JsonField{"device", &T::device},
                                   JsonField{"rate_bytes_per_s", &T::rate_bytes_per_s},
                                   JsonField{"burst_bytes", &T::burst_bytes},
                                   JsonField{"ceil_burst_bytes", &T::ceil_burst_bytes},
                                   JsonField{"quantum_bytes", &T::quantum_bytes},
                                   JsonField{"queue_bytes", &T::queue_bytes},
                                   JsonField{"impairment", &T::impairment},
                                   JsonField{"netem_limit_packets", &T::netem_limit_packets}};
};

template <>
struct JsonFields<netd::ClusterNode> {
  using T = netd::ClusterNode;
  static constexpr std::tuple kAll{
      JsonField{"host", &T::host}, JsonField{"interface", &T::interface},
      JsonField{"address", &T::address}, JsonField{"control_address", &T::control_address}};
};

template <>
struct JsonFields<netd::CreatedReply> {
  using T = netd::CreatedReply;
  static constexpr std::tuple kAll{
      JsonField{"privilege", &T::privilege}, JsonField{"commands", &T::commands},
      JsonField{"links", &T::links},         JsonField{"real_time_allowed", &T::real_time_allowed},
      LaterJsonField{"nodes", &T::nodes},    LaterJsonField{"rendezvous", &T::rendezvous}};
};

template <>
struct JsonFields<netd::SpawnRequest> {
  using T = netd::SpawnRequest;
  static constexpr std::tuple kAll{JsonField{"slot", &T::slot}, JsonField{"argv", &T::argv},
                                   JsonField{"environment", &T::environment},
                                   JsonField{"in_mount_namespace", &T::in_mount_namespace},
                                   JsonField{"apart", &T::apart}};
};

template <>
struct JsonFields<netd::SpawnedReply> {
  using T = netd::SpawnedReply;
  static constexpr std::tuple kAll{JsonField{"process", &T::process}, JsonField{"pid", &T::pid},
                                   JsonField{"not_apart", &T::not_apart}};
};

template <>
struct JsonFields<netd::ScheduledReply> {
  using T = netd::ScheduledReply;
  static constexpr std::tuple kAll{JsonField{"schedule", &T::schedule},
                                   JsonField{"start_ns", &T::start_ns}};
};

template <>
struct JsonFields<netd::SteppedEvent> {
  using T = netd::SteppedEvent;
  static constexpr std::tuple kAll{
      JsonField{"schedule", &T::schedule}, JsonField{"due_ns", &T::due_ns},
      JsonField{"applied_ns", &T::applied_ns}, JsonField{"rate_mbit", &T::rate_mbit}};
};

template <>
struct JsonFields<netd::LinkCounters> {
  using T = netd::LinkCounters;
  static constexpr std::tuple kAll{JsonField{"name", &T::name}, JsonField{"bytes", &T::bytes},
                                   JsonField{"packets", &T::packets},
                                   JsonField{"dropped_packets", &T::dropped_packets}};
};

template <>
struct JsonFields<netd::CountersReply> {
  using T = netd::CountersReply;
  static constexpr std::tuple kAll{JsonField{"links", &T::links},
                                   JsonField{"retransmitted_segments", &T::retransmitted_segments},
                                   LaterJsonField{"control_bytes", &T::control_bytes},
                                   LaterJsonField{"loopback_bytes", &T::loopback_bytes},
                                   JsonField{"deviations", &T::deviations}};
};

template <>
struct JsonFields<netd::ExitedEvent> {
  using T = netd::ExitedEvent;
  static constexpr std::tuple kAll{JsonField{"process", &T::process}, JsonField{"slot", &T::slot},
                                   JsonField{"code", &T::code}, JsonField{"signal", &T::signal}};
};

template <>
struct JsonFields<netd::Feature> {
  using T = netd::Feature;
  static constexpr std::tuple kAll{JsonField{"name", &T::name}, JsonField{"ok", &T::ok},
                                   JsonField{"reason", &T::reason}};
};

}  // namespace pacbench

namespace pacbench::netd {
namespace {

constexpr std::size_t kMaxWords = 4096;
constexpr auto kLeastStepMs = static_cast<std::int64_t>(1000 * kLeastStepS + 0.5);
constexpr double kMostMs = 1000 * kMostScheduleS;
constexpr double kMostSignal = 64;

template <typename Message>
Json message_json(const char* type, const Message& message) {
  Json node = message;
  node["type"] = type;
  return node;
}

/// Reads a message; throws ProtocolError for a document of another shape.
template <typename Message>
Message message_from(const char* type, const Json& node) {
  try {
    return node.get<Message>();
  } catch (const Json::exception& error) {
    throw ProtocolError{
        fmt::format("found a {} message that cannot be read: {}", type, error.what())};
  }
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
  auto message = fabric_to_json(request);
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

Json to_json(const CreatedReply& reply) { return message_json("created", reply); }

CreatedReply created_reply_from_json(const Json& message) {
  return message_from<CreatedReply>("created", message);
}

Json to_json(const SpawnRequest& request) { return message_json("spawn", request); }

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

Json to_json(const SpawnedReply& reply) { return message_json("spawned", reply); }

SpawnedReply spawned_reply_from_json(const Json& message) {
  return message_from<SpawnedReply>("spawned", message);
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

Json to_json(const ScheduledReply& reply) { return message_json("scheduled", reply); }

ScheduledReply scheduled_reply_from_json(const Json& message) {
  return message_from<ScheduledReply>("scheduled", message);
}

Json to_json(const SteppedEvent& event) { return message_json("stepped", event); }

SteppedEvent stepped_event_from_json(const Json& message) {
  return message_from<SteppedEvent>("stepped", message);
}

Json to_json(const SignalRequest& request) {
  return {{"type", "signal"}, {"process", request.process}, {"signal", request.signal}};
}

SignalRequest signal_request_from_json(const Json& message) {
  std::vector<Issue> issues;
  ObjectReader reader{message, "", issues};
  reader.raw("type");
  SignalRequest request;
  request.process = static_cast<int>(reader.integer("process", {0.0, 1e9, false}));
  request.signal = static_cast<int>(reader.integer("signal", {1.0, kMostSignal, false}));
  reader.finish();
  if (!issues.empty()) throw ConfigError{"signal request", issues};
  return request;
}

Json signalled_reply() { return {{"type", "signalled"}}; }

Json counters_request() { return {{"type", "counters"}}; }

Json to_json(const CountersReply& reply) { return message_json("counters", reply); }

CountersReply counters_reply_from_json(const Json& message) {
  return message_from<CountersReply>("counters", message);
}

Json to_json(const ExitedEvent& event) { return message_json("exited", event); }

ExitedEvent exited_event_from_json(const Json& message) {
  return message_from<ExitedEvent>("exited", message);
}

Json features_request() { return {{"type", "features"}}; }

Json features_reply(const std::vector<Feature>& features) {
  return {{"type", "features"}, {"features", features}};
}

std::vector<Feature> features_reply_from_json(const Json& message) {
  try {
    return message.at("features").get<std::vector<Feature>>();
  } catch (const Json::exception& error) {
    throw ProtocolError{
        fmt::format("found a features message that cannot be read: {}", error.what())};
  }
}

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
