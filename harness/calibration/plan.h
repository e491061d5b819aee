#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pacbench::calibration {

/// The quantities that are measured of a network. docs/FIDELITY.md says how.
enum class Quantity {
  kFlow,           ///< goodput of one flow alone
  kRing,           ///< mean goodput of N flows i→i+1 at once
  kSlowestOfRing,  ///< goodput of the slowest flow of a ring
  kIncast,         ///< sum of the goodputs of N−1 flows into worker 0
  kMessage,        ///< time of a message after idleness, from being handed to the socket until
                   ///< the receiver's kernel has it: what the link took
  kLatency,        ///< the time as in kMessage, of a message too small for the rate to matter
  kWakeUp,         ///< from the end of kLatency until the receiver has read the message: what its
                   ///< host took
  kAllReduce,      ///< time of a ring all-reduce through the real worker and Gloo
  kRateStep,       ///< goodput of a flow after its link's rate was changed, scaled to full rate
  kStepLateness,   ///< how late the kernel has acknowledged a change of rate
  kFloor,          ///< time of an all-reduce too small for the link to matter
  kOrdinaryFloor,  ///< kFloor with all threads in the ordinary scheduling class
};

/// Which directions of the workers' links are limited to the rate; any other is far faster.
enum class Shaped { kBoth, kUp, kDown };

struct Subject {
  double rate_mbit = 0;  ///< at which the link runs: the declared one divided by the time dilation
  Quantity quantity = Quantity::kFlow;
  Shaped shaped = Shaped::kBoth;
  std::int64_t bytes = 0;  ///< of a message, or of the float32 that each rank reduces

  bool operator==(const Subject&) const = default;
};

/// The measured network: "star", or "chain3", whose two links between switches have the rate and
/// whose workers' own links are far faster (contract/scenario/fabric_request.h).
struct Network {
  int workers = 8;
  int mtu = 1500;
  std::string topology = "star";
  std::int64_t queue_bytes = 0;  ///< in front of each shaped direction; 0: a scenario's default
  int time_dilation = 1;         ///< links are those of a run at this time dilation
};

std::string name_of(Quantity quantity);  ///< "message": a word for JSON
Quantity quantity_of(const std::string& name);
std::string name_of(Shaped shaped);  ///< "both", "up", "down"
Shaped shaped_of(const std::string& name);

/// "message of 64 KB, up only"; the rate is not in it.
std::string describe(const Subject& subject);
std::string unit_of(Quantity quantity);  ///< "Mbit/s" or "ms"

/// Bytes that the link counts for a payload, each segment with its headers.
double wire_bytes(std::int64_t payload_bytes, int mtu);

/// The value by arithmetic, in unit_of the quantity. A goodput is the rate times payload_share. A
/// message takes as long as its wire bytes take at the rate. A ring all-reduce sends 2(N−1)/N of
/// its bytes over each link (Patarasuk and Yuan 2009). Absent for latency, wake-ups, floors and
/// lateness, which only a measurement can give.
std::optional<double> ideal(const Subject& subject, const Network& network);

/// The least share of its ideal time that a message takes; absent for all else. HTB sends a packet
/// when it has tokens for its first byte, so the last packet of a message costs no time, nor do the
/// bytes of a full bucket (docs/fidelity/messages.md).
std::optional<double> least_share(const Subject& subject, const Network& network);

/// How far measured / ideal may be from 1, or how many ms late a change may be; absent where
/// nothing is promised.
std::optional<double> aim(const Subject& subject);

struct Options {
  std::vector<double> rates_mbit{100, 500, 1000};
  Network network;
  int repeat = 9;
  bool quick = false;      ///< fewer repetitions and sizes, shorter flows
  bool all_reduce = true;  ///< also test all-reduces, with pacbench-worker; a chain always does
  bool directions = true;  ///< also test with only one direction shaped

  int repetitions() const;  ///< repeat, or fewer when quick
};

/// One measurement on one network, done `repeat` times; rate steps are one more where `repeat` is
/// odd. A test of a ring, of latency, of rate steps or of an all-reduce of kFloorBytes gives two
/// rows.
struct Test {
  Subject subject;
  int repeat = 1;
  double flow_s = 0;  ///< of flows: how long each one is
};

// The first part of a flow, in which TCP looks for the rate, is left out of its goodput.
inline constexpr double kSettle_s = 0.2;
inline constexpr double kIdle_ms = 60;     ///< before each message
inline constexpr int kWarmUpMessages = 3;  ///< sent first, and not measured
inline constexpr double kStep_s = 0.4;     ///< how long a rate stays in the test of steps

/// The tests of links that run at one rate, network by network: both directions shaped, then only
/// up, then only down.
std::vector<Test> tests(const Options& options, double rate_mbit);

/// About how long a test takes.
double expected_s(const Test& test, const Network& network);

/// About how long a whole calibration takes.
double expected_s(const Options& options);

}  // namespace pacbench::calibration
