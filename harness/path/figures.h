#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/links/probing.h"
#include "harness/path/budget.h"

namespace pacbench::path {

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
