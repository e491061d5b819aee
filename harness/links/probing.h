#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/links/probe_program.h"
#include "harness/machine/disturbance.h"
#include "harness/machine/interrupt.h"
#include "harness/plan/plan.h"

namespace pacbench::links {

/// One TCP flow, as its receiver saw it.
struct FlowMeasurement {
  /// Payload bytes that had come by CLOCK_MONOTONIC `at_ns`.
  struct Sample {
    std::int64_t at_ns = 0;
    std::int64_t bytes = 0;
  };
  plan::Path path;
  std::int64_t bytes = 0;
  std::vector<Sample> samples;  ///< at arrivals at least 10 ms apart, and at the last
  std::int64_t segments = 0;    ///< sent
  std::int64_t retransmits = 0;
  /// The rate that half of the bytes came at or faster, packet by packet, in Mbit/s of payload.
  /// What holds up less than half of the packets does not change it.
  double packet_mbit = 0;

  std::int64_t start_ns() const { return samples.empty() ? 0 : samples.front().at_ns; }
  std::int64_t end_ns() const { return samples.empty() ? 0 : samples.back().at_ns; }
};

/// A part of a flow, between two samples at least record::kPart_s apart.
struct Part {
  double mbit = 0;  ///< of payload
  double time_s = 0;
};

/// The parts of a flow between two times, one after another.
std::vector<Part> parts_of(const FlowMeasurement& flow, std::int64_t from_ns, std::int64_t to_ns);

/// The goodput, in Mbit/s of payload, that half of the time between `from_ns` and `to_ns` had or
/// exceeded, part by part: pauses of the machine do not change it. Of a flow shorter than a part it
/// is what came between its first sample and its last; 0 when there are no two.
double goodput_mbit(const FlowMeasurement& flow, std::int64_t from_ns, std::int64_t to_ns);

/// The bytes of a flow that a receiver got in some time.
struct Received {
  double bytes = 0;
  double time_s = 0;

  /// In Mbit/s of payload; 0 when nothing was measured.
  double mbit() const { return time_s > 0 ? bytes * 8e-6 / time_s : 0; }
};

/// The bytes that came between two times, less the samples that a disturbance touches. After a
/// disturbance a receiver reads what its kernel has kept for it, and the sender has to fill the
/// link again: so 25 ms after each disturbance are left out too.
Received quiet_goodput(const FlowMeasurement& flow, std::int64_t from_ns, std::int64_t to_ns,
                       const MachineTrace& machine);

/// The goodput, in Mbit/s, that a tenth of the parts of record::kPart_s between two times had or
/// exceeded; absent where there are fewer than 10 parts.
std::optional<double> best_mbit(const FlowMeasurement& flow, std::int64_t from_ns,
                                std::int64_t to_ns);

/// The time in which all flows were under way: its start and its end, in ns of CLOCK_MONOTONIC. The
/// end is not after the start when there was no such time, as when a flow brought no byte. The
/// receivers of the flows must be on one host.
std::pair<std::int64_t, std::int64_t> common_time(const std::vector<FlowMeasurement>& flows);

/// The times of one message, since it was handed to the sender's socket.
struct MessageTimes {
  double arrived_ms = 0;  ///< the receiver's kernel had its last byte: what the link took
  double read_ms = 0;     ///< the receiver had been woken and had read it
};

struct DatagramsMeasurement {
  std::int64_t sent = 0;
  std::int64_t received = 0;  ///< each counted once
  std::int64_t duplicates = 0;
  std::int64_t reordered = 0;     ///< came after one that was sent later
  std::vector<double> delays_ms;  ///< one way, in the order of arrival
  FlowMeasurement flow;           ///< the bytes of UDP payload, of a stream that overflows a queue
};

/// Sends known traffic over the links of a network, by pacbench-probe programs in the slots of a
/// SlotHost. Servers are started as they are needed and stay. All functions throw ProtocolError
/// when a program or the daemon fails or does not end, and Interrupted on Ctrl-C.
class Probing {
 public:
  /// `program`: the path of pacbench-probe.
  Probing(SlotHost& host, std::string program, const Interrupt& interrupt)
      : host_{host}, program_{std::move(program)}, interrupt_{interrupt} {}

  /// Sends flows over all paths at once: each is connected before the first one sends.
  /// `rates_mbit`: of payload, for each path; 0, or an empty list: what TCP gets. Returns the flows
  /// in the order of the paths.
  std::vector<FlowMeasurement> flows(const std::vector<plan::Path>& paths, double duration_s,
                                     const std::vector<double>& rates_mbit = {});

  /// Sends messages one after another, each after `idle_ms` of idleness, on one connection that
  /// three other messages have warmed up.
  std::vector<MessageTimes> messages(const plan::Path& path, std::int64_t bytes, int count,
                                     double idle_ms = 60);

  /// Sends one byte there and back over TCP, `count` times, over all paths at once. Returns the
  /// milliseconds of each round trip, in the order of the paths.
  std::vector<std::vector<double>> pings_ms(const std::vector<plan::Path>& paths, int count,
                                            double interval_ms = 10);

  DatagramsMeasurement datagrams(const plan::Path& path, int count, int bytes = 200,
                                 double interval_us = 1000);

  /// Datagrams of `bytes` each that overflow the queues of some paths: path i sends `count` from
  /// `i * apart_ms` on, by several sockets. In the order of the paths.
  struct Overflow {
    int count = 0;
    int bytes = 0;
    double interval_us = 0;
    int sockets = 1;
    double apart_ms = 0;
  };
  std::vector<DatagramsMeasurement> overflow(const std::vector<plan::Path>& paths,
                                             const Overflow& overflow);

 private:
  /// A sender, and what it and the server said of its connection.
  struct Transfer {
    ProbeProgram sender;
    plan::Path path;
    std::vector<Json> said;
    std::vector<Json> served;
  };

  void serve_in(const std::vector<plan::Path>& paths);
  Transfer start(const plan::Path& path, const char* kind, const std::vector<std::string>& words);
  /// Waits until `enough` is true. Throws ProtocolError after `timeout_s`.
  void listen_until(std::vector<Transfer>& transfers, double timeout_s,
                    const std::function<bool()>& enough);
  /// Waits until all senders have ended and the servers have written `lines_each` lines about each.
  void finish(std::vector<Transfer>& transfers, double timeout_s, std::size_t lines_each);
  void take_lines(std::vector<Transfer>& transfers);

  SlotHost& host_;
  std::string program_;
  const Interrupt& interrupt_;
  std::map<int, ProbeProgram> servers_;
  std::size_t serving_ = 0;  ///< servers that have reported that they serve
};

}  // namespace pacbench::links
