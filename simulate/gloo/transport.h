#pragma once

#include <cstdint>
#include <random>
#include <unordered_map>
#include <vector>

#include "contract/scenario/simulate.h"
#include "simulate/network/network.h"
#include "simulate/network/queues.h"
#include "simulate/network/stream.h"

namespace pacbench::simulate {

/// Gloo's connections between workers: one for each pair of workers in each group. Each direction
/// of a connection carries one message after another. A message is sent when its sender has posted
/// it and has been notified that the receiver has posted a buffer for it. The receiver sends this
/// notification on the same connection, so it waits behind the messages that the receiver is
/// sending to the sender.
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

  /// `seed` starts the random numbers from which latencies are drawn.
  Transport(Network& network, const Simulate& model, int workers, const Stream::Settings& settings,
            std::uint64_t seed = 1)
      : network_{network},
        model_{model},
        settings_{settings},
        queues_{network, settings.mtu},
        random_{seed},
        cores_{network, model.cores},
        free_at_s_(static_cast<std::size_t>(workers)),
        sent_(static_cast<std::size_t>(workers)),
        received_(static_cast<std::size_t>(workers)) {}

  /// send() and receive() each post one end of a message and return at once. `sent` is called when
  /// the connection has accepted the message's last byte, `received` when the receiver has read the
  /// message.
  void send(const Message& message, Then sent);
  void receive(const Message& message, Then received);

  /// The traffic of each direction so far, by its number; the list may end before directions that
  /// nothing has crossed.
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
  /// The sends and receives of one collective that are not matched yet, in one direction of a
  /// connection.
  struct Meeting {
    std::int64_t collective = 0;
    std::vector<Posted> sends{};
    std::vector<Then> receives{};
    std::size_t ready = 0;  ///< how many of the receives the sender has been notified of
  };
  /// One direction of a connection.
  struct Connection {
    std::vector<Meeting> meetings{};
    Stream stream;
  };

  Connection& connection_of(int group, int from, int to);
  static Meeting& meeting_of(Connection& connection, std::int64_t collective);
  void post(int worker, Then then);
  void match(Connection& connection, const Message& message);
  void transmit(const Message& message, Stream& stream, Posted send, Then received);
  double latency_s();
  void count(int from, int to, const Traffic& traffic);

  Network& network_;
  Simulate model_;
  Stream::Settings settings_;
  Queues queues_;
  std::mt19937_64 random_;
  Cores cores_;
  std::unordered_map<std::uint64_t, Connection> connections_;
  std::vector<Traffic> carried_;
  std::vector<double> free_at_s_;  ///< when each worker's thread is free
  std::vector<Traffic> sent_;
  std::vector<Traffic> received_;
};

}  // namespace pacbench::simulate
