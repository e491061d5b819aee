#include "probe/quota.h"

#include <fmt/format.h>

namespace pacbench::probe {
namespace {

constexpr double kMega = 1e6;

}  // namespace

Quota::Grant Quota::grant(const std::string& client, std::int64_t bytes, double seconds) {
  const std::lock_guard lock{mutex_};
  if (seconds > limits_.most_seconds) {
    throw Refused{fmt::format("found {} s for one connection, expected at most {} s", seconds,
                              limits_.most_seconds)};
  }
  if (!accounts_.contains(client) &&
      accounts_.size() >= static_cast<std::size_t>(limits_.most_clients)) {
    throw Refused{
        fmt::format("this server has served {} clients, the most that it accepts; start it again "
                    "to serve others",
                    limits_.most_clients)};
  }
  auto& account = accounts_.try_emplace(client, Account{0, limits_.most_bytes}).first->second;
  if (account.connections >= limits_.most_connections) {
    throw Refused{fmt::format("{} has {} connections, the most that one client may have at a time",
                              client, account.connections)};
  }
  if (bytes > account.left_bytes) {
    throw Refused{fmt::format(
        "{} asks for {:.1f} MB and has {:.1f} MB left of {:.1f}; ask for less, or start the server "
        "again with more",
        client, static_cast<double>(bytes) / kMega, static_cast<double>(account.left_bytes) / kMega,
        static_cast<double>(limits_.most_bytes) / kMega)};
  }
  account.left_bytes -= bytes;
  ++account.connections;
  return {*this, client, bytes};
}

void Quota::settle(const std::string& client, std::int64_t unused_bytes) {
  const std::lock_guard lock{mutex_};
  auto& account = accounts_.at(client);
  account.left_bytes += unused_bytes;
  --account.connections;
}

}  // namespace pacbench::probe
