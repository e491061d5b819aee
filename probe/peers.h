#pragma once

#include <netinet/in.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>

#include "base/json/json_reader.h"

namespace pacbench::probe {

/// The beginning of a line about a sender: "event", and the sender's address and port.
Json line_about(const char* event, const sockaddr_in& peer);

/// The connections of a server, each in a thread of its own. The destructor closes them.
class Peers {
 public:
  /// Serves a connection. An exception that it throws is printed as a line "error".
  using Take = std::function<void(int socket, const sockaddr_in& peer)>;

  explicit Peers(Take take);
  Peers(const Peers&) = delete;
  Peers& operator=(const Peers&) = delete;
  ~Peers();

  /// Accepts the next connection. Closes it at once when `most` are open.
  void accept_from(int listener, std::size_t most);
  /// Closes the connections that have been open for longer than `age_ns`.
  void close_older_than(std::int64_t age_ns);

 private:
  class Peer;

  Take take_;
  std::list<std::unique_ptr<Peer>> peers_;
};

}  // namespace pacbench::probe
