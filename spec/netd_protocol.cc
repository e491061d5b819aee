#include "spec/netd_protocol.h"

#include <fmt/format.h>

namespace pacbench::netd {
namespace {

constexpr double kMaxWorkers = 128;
constexpr std::size_t kMaxWords = 64;

/// Runs `read` and turns a document of the wrong shape into a ProtocolError.
template <typename Read>
auto reading(const char* what, Read read) {
  try {
    return read();
  } catch (const Json::exception& error) {
    throw ProtocolError{fmt::format("not a {} message: {}", what, error.what())};
  }
}

std::vector<std::string> words(ObjectReader& reader, const std::string& key) {
  std::vector<std::string> result;
  const auto& node = reader.raw(key);
  if (!node.is_array() || node.size() > kMaxWords) {
    reader.complain(key, fmt::format("expected an array of at most {} strings", kMaxWords));
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

}  // namespace

Json to_json(const CreateRequest& request) {
  return {{"type", "create"},
          {"version", kVersion},
          {"workers", request.workers},
          {"topology", request.topology},
          {"mtu", request.mtu},
          {"rate_mbit", request.rate_mbit},
          {"congestion_control", request.congestion_control}};
}

CreateRequest create_request_from_json(const Json& message) {
  std::vector<Issue> issues;
  ObjectReader reader{message, "", issues};
  reader.raw("type");
  CreateRequest request;
  if (reader.integer("version", Range::at_least(0)) != kVersion) {
    reader.complain("version", fmt::format("this daemon speaks version {}", kVersion));
  }
  request.workers = static_cast<int>(reader.integer("workers", {1.0, kMaxWorkers, false}));
  request.topology = reader.choice("topology", {"star"});
  request.mtu = static_cast<int>(reader.integer("mtu", {576.0, 65535.0, false}));
  request.rate_mbit = reader.number("rate_mbit", {0.05, 100000.0, false});
  request.congestion_control = reader.choice("congestion_control", {"cubic", "reno", "bbr"});
  reader.finish();
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
                     {"queue_bytes", link.queue_bytes}});
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
                             node.at("quantum_bytes"), node.at("queue_bytes")});
    }
    reply.real_time_allowed = message.at("real_time_allowed");
    return reply;
  });
}

Json to_json(const SpawnRequest& request) {
  return {{"type", "spawn"},
          {"slot", request.slot},
          {"argv", request.argv},
          {"environment", request.environment}};
}

SpawnRequest spawn_request_from_json(const Json& message, int workers) {
  std::vector<Issue> issues;
  ObjectReader reader{message, "", issues};
  reader.raw("type");
  SpawnRequest request;
  request.slot = static_cast<int>(reader.integer("slot", {0.0, workers - 1.0, false}));
  request.argv = words(reader, "argv");
  request.environment = words(reader, "environment");
  if (request.argv.empty() || !request.argv.front().starts_with('/')) {
    reader.complain("argv", "expected an absolute path first");
  }
  reader.finish();
  if (!issues.empty()) throw ConfigError{"spawn request", issues};
  return request;
}

Json spawned_reply(int slot, int pid) {
  return {{"type", "spawned"}, {"slot", slot}, {"pid", pid}};
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
  return {{"type", "counters"}, {"links", links}, {"deviations", reply.deviations}};
}

CountersReply counters_reply_from_json(const Json& message) {
  return reading("counters", [&] {
    CountersReply reply;
    for (const auto& node : message.at("links")) {
      reply.links.push_back(
          {node.at("name"), node.at("bytes"), node.at("packets"), node.at("dropped_packets")});
    }
    reply.deviations = message.at("deviations").get<std::vector<std::string>>();
    return reply;
  });
}

Json to_json(const ExitedEvent& event) {
  return {{"type", "exited"}, {"slot", event.slot}, {"code", event.code}, {"signal", event.signal}};
}

ExitedEvent exited_event_from_json(const Json& message) {
  return reading("exited", [&] {
    return ExitedEvent{message.at("slot"), message.at("code"), message.at("signal")};
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
