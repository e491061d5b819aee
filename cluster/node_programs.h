#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/subprocess.h"
#include "base/unique_fd.h"
#include "cluster/connection.h"
#include "cluster/messages.h"

namespace pacbench::cluster {

/// A program that a node runs for the hub, and the process group that the program leads. When the
/// program ends, the rest of the group is killed. The destructor kills the whole group and waits.
class NodeProgram {
 public:
  using Tell = std::function<void(const Json&)>;

  /// Starts the program; `more_fds` follow the descriptors of `spawn`. Throws std::system_error
  /// when it cannot start, std::invalid_argument when `spawn.descriptors` has a letter that is
  /// neither 'r' nor 'w'.
  NodeProgram(boost::asio::io_context& io, const Spawn& spawn, const std::vector<int>& more_fds,
              Tell tell);

  ~NodeProgram();
  NodeProgram(const NodeProgram&) = delete;
  NodeProgram& operator=(const NodeProgram&) = delete;

  int pid() const { return process_.pid(); }
  void input(const Bytes& input);
  void signal(int number);

 private:
  void kill_group() const;
  void await_end();
  void tell_end(const ExitStatus& status);

  int number_;
  Tell tell_;
  std::map<int, std::shared_ptr<PipeEnd>> inputs_;
  std::map<int, std::shared_ptr<PipeEnd>> outputs_;
  ChildProcess process_;
  boost::asio::posix::stream_descriptor ended_;
  bool was_signalled_ = false;  ///< by the hub
  boost::asio::steady_timer pause_;
};

/// The programs of a rank, on its host or inside links that were made for it. All of them end with
/// this object.
class NodePrograms {
 public:
  using Tell = NodeProgram::Tell;

  /// `address`: the IPv4 address on the control network of this host, or, inside made links, of
  /// this process's network namespace. `tell` gets the messages for the hub.
  NodePrograms(boost::asio::io_context& io, std::string address, Tell tell);

  /// Handles a message of the hub that is about programs; returns false when it is about something
  /// else.
  bool take(const Json& message);

 private:
  void spawn(const Spawn& wanted);
  void pass_on(const Json& message);
  NodeProgram* program(int number) const;

  boost::asio::io_context& io_;
  std::string address_;
  Tell tell_;
  UniqueFd rendezvous_;  ///< listens for the ranks of the next cell; only on the node of rank 0
  std::map<int, std::unique_ptr<NodeProgram>> programs_;
};

}  // namespace pacbench::cluster
