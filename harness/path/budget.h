#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pacbench::path {

inline constexpr double kBytesInMb = 1e6;

/// The limits of a whole measurement.
struct Limits {
  double seconds = 20;
  double most_mb = 200;  ///< 10^6 bytes of payload, both ways together
};

/// A way over the path: from here to the other machine, or back.
enum class Direction { kUp, kDown };

/// One request to the other machine. words() gives its arguments for `pacbench-probe ask`.
struct Request {
  std::string traffic = "flow";  ///< or "pings", "datagrams"
  Direction direction = Direction::kUp;
  double seconds = 0;
  std::int64_t bytes = 0;  ///< the most bytes of payload; for pings: the most pings
  double rate_mbit = 0;    ///< of payload; 0: what TCP gets
  std::int64_t datagram_bytes = 0;
};

std::vector<std::string> words(const Request& request);

/// TCP's goodput in each direction, measured while nothing is sent in the opposite direction.
struct Goodputs {
  double up_mbit = 0;
  double down_mbit = 0;
};

/// The share of a way's goodput at which datagrams are sent. It leaves room on the path, so that
/// datagrams are lost by the path itself and not because it is full.
inline constexpr double kDatagramShare = 0.5;

/// The parts of a measurement, in their order. flow_alone() and datagrams() are for one direction
/// each. The bytes of all parts but the pings sum to `most_mb`. All times sum to `seconds` less
/// 3 s, which are for connecting and emptying queues, but at least to half of `seconds`.
Request pings(const Limits& limits);
Request flow_alone(const Limits& limits, Direction direction);
/// Flows both ways at once. They get bytes in proportion to their goodputs, so that both flows last
/// equally long.
std::vector<Request> flows_at_once(const Limits& limits, const Goodputs& alone);
/// Flows both ways at once, each limited to kPacedShare of the goodput that its direction had
/// alone. So no queue builds up in which acknowledgements of the other flow would wait, and the
/// flows show whether the path itself carries both ways at once.
inline constexpr double kPacedShare = 0.9;
std::vector<Request> flows_paced(const Limits& limits, const Goodputs& alone);
Request datagrams(const Limits& limits, Direction direction, double goodput_mbit, std::int64_t mtu);

/// The request limited to at most `left_s` seconds.
Request within(Request request, double left_s);

}  // namespace pacbench::path
