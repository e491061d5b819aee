// Reads a client's bytes as the daemon does before it acts: framing, JSON, and the requests create,
// spawn and schedule. The bytes may cause ConfigError and ProtocolError alone.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/errors.h"
#include "base/json/message_socket.h"
#include "contract/fabric/netd_protocol.h"

namespace pacbench {
namespace {

constexpr int kWorkers = 2;
// As many bytes fit into the socket's buffer: nobody reads while they are written.
constexpr std::size_t kMostBytes = 1 << 16;

/// A request that was read must mean the same when it is written and read again.
template <typename Read>
void read_twice(Read read) {
  try {
    const auto first = to_json(read());
    const auto again = to_json(read(first));
    if (first == again) return;
    fmt::print(stderr, "read {}\nthen {}\n", first.dump(), again.dump());
    std::abort();
  } catch (const ConfigError& error) {
    // The daemon answers with this reply.
    (void)json_text(netd::error_reply(error.what()));
  }
}

void decode(const Json& message) {
  const auto directions = direction_names(netd::star(kWorkers, 100));
  const auto again = [&](auto&& one) {
    read_twice([&](const Json& text = {}) { return one(text.is_null() ? message : text); });
  };
  again([](const Json& text) { return netd::create_request_from_json(text); });
  again([](const Json& text) { return netd::spawn_request_from_json(text, kWorkers); });
  again([&](const Json& text) { return netd::schedule_request_from_json(text, directions); });
}

/// Lets the bytes arrive at the daemon's end of a connection that then closes.
void receive(std::string_view bytes) {
  auto [client, daemon] = socket_pair();
  check("write", ::write(client.get(), bytes.data(), bytes.size()));
  client.reset();
  MessageSocket connection{std::move(daemon)};
  try {
    while (const auto message = connection.receive()) {
      (void)netd::type_of(message->body);
      decode(message->body);
    }
  } catch (const ProtocolError&) {
  }
}

}  // namespace
}  // namespace pacbench

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > pacbench::kMostBytes) return -1;
  const std::string bytes{reinterpret_cast<const char*>(data), size};
  pacbench::receive(bytes);
  // With the right length the bytes pass the framing, which mutations seldom do by themselves.
  const std::uint32_t length = htonl(static_cast<std::uint32_t>(size));
  pacbench::receive(std::string{reinterpret_cast<const char*>(&length), sizeof length} + bytes);
  return 0;
}
