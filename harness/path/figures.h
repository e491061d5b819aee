#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/links/probing.h"

namespace pacbench::path {

inline constexpr double kBytesInMb = 1e6;

/// The limits of a whole measurement.
struct Limits {
  double seconds = 20;
  double most_mb = 200;  ///< 10^6 bytes of payload, both ways together
};

/// A way over the path: from here to the other machine, or back.
enum class Direction { kUp, kDown };

/// One request to the other machine, made by `pacbench-probe ask`.
struct Request {
  std::string traffic = "flow";  ///< or "pings", "datagrams"
  Direction direction = Direction::kUp;
  double seconds = 0;
  std::int64_t bytes = 0;  ///< the most bytes of payload; for pings: the most pings
  double rate_mbit = 0;    ///< of payload; 0: what TCP gets
  std::int64_t datagram_bytes = 0;
};

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

/// The rate of one TCP flow, without its first part, in which TCP looks for the rate.
struct TcpRate {
  double goodput_mbit = 0;
  double window_s = 0;     ///< that the goodput was taken over
  double first_mbit = 0;   ///< goodput of the first half of the window
  double second_mbit = 0;  ///< and of the second
};

/// The goodput of a flow that was alone.
TcpRate rate_alone(const links::FlowMeasurement& flow);
/// The goodput of one of two flows that began together, while both were under way. The clocks of
/// their receivers differ, so `flow` is measured from its own first sample on, for as long as the
/// shorter flow lasted.
TcpRate rate_beside(const links::FlowMeasurement& flow, const links::FlowMeasurement& other);

/// The result of datagrams sent at kDatagramShare of the goodput of TCP alone in that direction.
struct Datagrams {
  double offered_mbit = 0;  ///< of frames, as they were to be sent
  double rate_mbit = 0;     ///< of frames, as they arrived
  std::int64_t sent = 0;
  std::int64_t received = 0;
  std::int64_t reordered = 0;
  double jitter_ms = 0;  ///< mean absolute difference of the delays of successive arrivals

  /// Absent when no datagram arrived: then something on the way lets no UDP through.
  std::optional<double> loss() const;
};

/// Makes the result of `request` from the line of the datagrams' receiver.
Datagrams datagrams_from(const Json& line, const Request& request);

/// The measurements of one way. Parts that were left out or broken off are absent.
struct Way {
  std::optional<TcpRate> alone;
  std::optional<TcpRate> both;  ///< both ways at once
  /// Both ways at once, each limited to kPacedShare of its goodput in `alone`.
  std::optional<TcpRate> paced;
  std::optional<Datagrams> datagrams;
};

struct RoundTrips {
  std::vector<double> ms;

  double least_ms() const;
  double median_ms() const;
  double p99_ms() const;
};

struct Measurement {
  std::string host;
  std::uint16_t port = 0;
  std::int64_t mtu = 1500;
  std::string congestion_control;  ///< of the flows from here
  RoundTrips round_trips;
  Way up;                                  ///< from here to the host
  Way down;                                ///< from the host to here
  double seconds = 0;                      ///< that all of it took
  double megabytes = 0;                    ///< of payload that crossed the path
  std::vector<std::string> stopped_early;  ///< parts that a limit cut short, in words
  double taken_share = 0;                  ///< of this machine's CPUs, by others meanwhile

  Way& way(Direction direction) { return direction == Direction::kUp ? up : down; }
};

/// The rate of frames, as queueing disciplines count them ("l2"), that carries the goodput of
/// `rate`.
double link_mbit(const TcpRate& rate, std::int64_t mtu);

/// The goodput of one direction while both directions send as fast as TCP lets them, as in a ring,
/// divided by its goodput alone; absent where either was not measured. For a measurement: the
/// smaller of the two directions' shares; absent unless both are known.
std::optional<double> ring_share(const Way& way);
std::optional<double> ring_share(const Measurement& measurement);

/// The share of its offered rate (kPacedShare of its goodput alone) that a way carries in `paced`;
/// absent where it was not measured. For a measurement: the smaller of the two directions' shares;
/// absent unless both are known.
std::optional<double> paced_share(const Way& way);
std::optional<double> paced_share(const Measurement& measurement);

/// A rate that did not last.
struct Fall {
  Direction direction = Direction::kUp;
  double from_mbit = 0;
  double to_mbit = 0;
};

/// Finds a way whose rate fell during the measurement, to less than a third: in the flow alone,
/// from it to the paced flow, or to the datagrams. A path that lets a burst through before it
/// limits the rate does that. Two ways that share a path's capacity keep half of it.
std::optional<Fall> fall(const Measurement& measurement);

/// The share of datagrams that were lost, and the count of those out of order, both ways together.
/// The loss leaves out a way on which no datagram arrived, and is absent when none is left.
std::optional<double> loss(const Measurement& measurement);
std::int64_t reordered(const Measurement& measurement);
/// The larger jitter of both ways; 0 when none was measured.
double jitter_ms(const Measurement& measurement);

}  // namespace pacbench::path
