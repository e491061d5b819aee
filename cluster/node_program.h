#pragma once

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/subprocess.h"
#include "cluster/messages.h"
#include "cluster/pipe_end.h"

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

}  // namespace pacbench::cluster
