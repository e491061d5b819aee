#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "contract/scenario/simulate.h"
#include "simulate/network/cores.h"
#include "simulate/network/network.h"

namespace pacbench::simulate {

/// Frames and their bytes, headers among them.
struct Traffic {
  std::int64_t bytes = 0;
  std::int64_t frames = 0;

  Traffic& operator+=(const Traffic& other) {
    bytes += other.bytes;
    frames += other.frames;
    return *this;
  }
};

/// The frames of so many bytes that are written to a connection at once.
Traffic frames_of(std::int64_t stream_bytes, int mtu);

/// Gloo's connections between workers: one for each pair in each group, which carries one message
/// after another. A message is sent once its sender has posted it and has been notified that the
/// receiver has posted a buffer for it.
class Transport {
 public:
  /// A message of one collective. Messages between the same two workers in the same collective
  /// arrive in the order in which they are sent.
  struct Message {
    int group = 0;
    std::int64_t collective = 0;  ///< number within the group
    int from = 0;                 ///< workers
    int to = 0;
    std::int64_t bytes = 0;  ///< payload
  };

  Transport(Network& network, const Simulate& model, int workers, int mtu)
      : network_{network},
        model_{model},
        mtu_{mtu},
        cores_{network, model.cores},
        sent_(static_cast<std::size_t>(workers)),
        received_(static_cast<std::size_t>(workers)) {}

  /// Both return at once. `sent` is called when the connection has accepted the last byte, and
  /// `received` when the receiver has read it.
  void send(const Message& message, Then sent);
  void receive(const Message& message, Then received);

  /// The traffic of each direction so far, by its number; directions that nothing crossed may be
  /// missing at the end.
  const std::vector<Traffic>& carried() const { return carried_; }
  /// The traffic of a worker's link so far, each way.
  const Traffic& sent_by(int worker) const { return sent_[static_cast<std::size_t>(worker)]; }
  const Traffic& received_by(int worker) const {
    return received_[static_cast<std::size_t>(worker)];
  }

 private:
  struct Posted {
    std::int64_t bytes = 0;
    Then then;
  };
  /// Sends and receives that one collective has posted at the ends of a connection and that have
  /// not met yet.
  struct Meeting {
    std::int64_t collective = 0;
    std::vector<Posted> sends{};
    std::vector<Then> receives{};
    std::size_t ready = 0;  ///< receives of which the sender has been notified

    bool is_over() const { return sends.empty() && receives.empty(); }
  };
  struct Transfer {
    std::int64_t bytes = 0;
    Then sent;
    Then received;
  };
  struct Connection {
    int from = 0;
    int to = 0;
    std::vector<Meeting> meetings{};
    std::vector<Transfer> waiting{};  ///< transfers that wait for earlier ones
    bool busy = false;
  };

  Connection& connection_of(const Message& message);
  static Meeting& meeting_of(Connection& connection, std::int64_t collective);
  void match(Connection& connection, std::int64_t collective);
  void transmit(Connection& connection);
  void count(int from, int to, const Traffic& traffic);
  void wait_behind(const Connection& connection, double bytes);
  double time_of_a_word(int from, int to);

  Network& network_;
  Simulate model_;
  int mtu_;
  Cores cores_;
  std::unordered_map<std::uint64_t, Connection> connections_;
  std::unordered_map<int, double> waiting_;  ///< bytes of transfers, by the direction they queue at
  std::vector<Traffic> carried_;
  std::vector<Traffic> sent_;
  std::vector<Traffic> received_;
};

}  // namespace pacbench::simulate
