#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json/message_socket.h"
#include "base/subprocess.h"
#include "base/token_bucket.h"
#include "base/unique_fd.h"
#include "netem/kernel/net_namespace.h"
#include "netem/session/credentials.h"
#include "netem/session/fabric.h"
#include "netem/session/process_namespace.h"
#include "netem/session/schedule.h"

namespace pacbench::netem {

/// The rights and limits of a session.
struct SessionTerms {
  Privilege privilege = Privilege::kRoot;
  std::string refusal;  ///< why no fabric can be made here, for a person; empty when one can
  /// Throws when the caller may not have this fabric now; empty: it always may.
  std::function<void(const netd::CreateRequest&)> claim;
  double hours = 0;  ///< after which the session ends; 0: no limit
  /// The user to whom the kernel charges the session's namespaces; nothing: the daemon's own.
  std::optional<uid_t> charged = {};
  UniqueFd group;  ///< cgroup.procs of the cgroup that workers join; none: that of the daemon
  /// The namespace of the host's interfaces; nothing where no link may lead to them.
  std::optional<NetNamespace> host_network = {};
  /// The interfaces that a service lets its users' links lead to.
  std::vector<std::string> uplinks = {};

  bool may_have_uplinks() const { return privilege != Privilege::kService || !uplinks.empty(); }
};

/// The messages to the client, in order.
class Outbox {
 public:
  static constexpr std::size_t kMostWaiting = 20'000;

  /// `ready` is the socket, to wait on. `lost` is called with the reason when an event can no
  /// longer be sent.
  Outbox(MessageSocket& socket, boost::asio::posix::stream_descriptor& ready,
         std::function<void(const char*)> lost)
      : socket_{socket}, ready_{ready}, lost_{std::move(lost)} {}

  /// Sends a reply that the client waits for. Throws std::system_error, also when the client reads
  /// nothing for the socket's time limit.
  void reply(const Json& message);

  /// Sends an event once the socket has room, so that a client that is slow to read delays nothing
  /// else that the daemon has to do.
  void tell(Json event);

 private:
  void send_waiting();

  MessageSocket& socket_;
  boost::asio::posix::stream_descriptor& ready_;
  std::function<void(const char*)> lost_;
  std::deque<Json> waiting_;
  bool awaiting_room_ = false;
};

/// One connection, its fabric and the programs that run in it. All three end together.
class Session {
 public:
  Session(UniqueFd connection, SessionTerms terms);
  ~Session();

  /// Serves requests until the connection ends, the client breaks the protocol or does not read,
  /// a step of a schedule fails, the time is up, or SIGTERM or SIGINT comes.
  void run();

 private:
  /// A running program; several may run in one worker's namespace.
  struct Program {
    int slot;
    ChildProcess process;
    boost::asio::posix::stream_descriptor ended;
  };

  void await_request();
  void await_turn();
  void await_time_limit();
  void await_end(int number);
  void take_request();
  Json answer(Message message);
  Json create(const Json& request);
  Json spawn(const Json& request, std::vector<UniqueFd> fds);
  void require_room(int slot) const;
  void require_uplink(const netd::Uplink& uplink) const;
  Json signal(const Json& request);
  Json schedule(const Json& request);
  void require_free(const std::string& direction,
                    const std::vector<netd::ScheduleRequest::Step>& steps);
  bool follows_schedule() const;
  KernelFabric& fabric();
  void give_up(const std::string& reason);
  void stop(const char* reason);

  boost::asio::io_context io_;
  MessageSocket socket_;
  boost::asio::posix::stream_descriptor readable_;  ///< the same socket, to wait on
  Outbox outbox_;
  boost::asio::signal_set signals_;
  boost::asio::steady_timer time_limit_;
  boost::asio::steady_timer turn_;  ///< until the next request is taken
  Caller caller_;
  SessionTerms terms_;
  TokenBucket requests_;
  std::optional<KernelFabric> fabric_;
  int next_process_ = 0;
  std::map<int, Program> programs_;  ///< by process number
  int next_schedule_ = 0;
  std::list<Schedule> schedules_;
  std::optional<BeforeWorkers> before_workers_;  ///< while a schedule runs
};

}  // namespace pacbench::netem
