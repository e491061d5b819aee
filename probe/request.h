#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "base/json/checked_keys.h"
#include "base/words.h"

namespace pacbench::probe {

enum class Traffic { kFlow, kPings, kDatagrams };
enum class Sender { kClient, kServer };

/// The traffic that `ask` on one host wants to exchange with `answer` on another. `ask` sends the
/// request as a line of JSON after the hello. The server answers with a line:
/// {"accepted":true,"udp_port":P} or {"accepted":false,"message":TEXT}. The receiver counts the
/// traffic; a server that receives a flow or datagrams sends its count back as one more line.
struct Request {
  static constexpr int kVersion = 1;
  static constexpr std::size_t kMostLineBytes = 1024;
  static constexpr int kUnsentBytes = 128 * 1024;  ///< of a flow: for limit_unsent()
  static constexpr double kPingInterval_ms = 10;

  int version = kVersion;
  Traffic traffic = Traffic::kFlow;
  Sender sender = Sender::kClient;
  double seconds = 0;
  std::int64_t bytes = 0;  ///< the most bytes of payload; for pings: the most pings
  double rate_mbit = 0;    ///< of payload; 0: what TCP gets; never 0 for datagrams
  int datagram_bytes = 0;  ///< of UDP payload; 0: no datagrams are asked for

  bool operator==(const Request&) const = default;
};

std::string request_line(const Request& request);
/// Parses a request's line. Throws ConfigError with all that is wrong with it.
Request request_from_line(const std::string& line);

}  // namespace pacbench::probe

template <>
struct pacbench::Words<pacbench::probe::Traffic> {
  static constexpr std::array kAll{"flow", "pings", "datagrams"};
};
template <>
struct pacbench::Words<pacbench::probe::Sender> {
  static constexpr std::array kAll{"client", "server"};
};
