#include "cluster/node.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <csignal>
#include <stdexcept>

#include "base/check.h"
#include "base/clock.h"
#include "base/device_counters.h"
#include "base/errors.h"
#include "base/host_name.h"
#include "base/tcp_counters.h"
#include "cluster/interfaces.h"

namespace pacbench::cluster {
namespace {

namespace asio = boost::asio;

// The hub may be started a moment after its nodes.
constexpr double kConnectFor_s = 30;
constexpr std::chrono::milliseconds kBetweenTries{500};
constexpr int kBacklog = 256;

bool real_time_allowed() {
  rlimit limit{};
  return ::geteuid() == 0 || (::getrlimit(RLIMIT_RTPRIO, &limit) == 0 && limit.rlim_cur > 0);
}

UniqueFd listening_at(const std::string& address) {
  UniqueFd socket{check("socket", ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))};
  sockaddr_in at{};
  at.sin_family = AF_INET;
  ::inet_pton(AF_INET, address.c_str(), &at.sin_addr);
  check("bind", ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at));
  check("listen", ::listen(socket.get(), kBacklog));
  return socket;
}

std::uint16_t port_of(int socket) {
  sockaddr_in at{};
  socklen_t size = sizeof at;
  check("getsockname", ::getsockname(socket, reinterpret_cast<sockaddr*>(&at), &size));
  return ntohs(at.sin_port);
}

}  // namespace

Node::Node(NodeOptions options)
    : options_{std::move(options)}, signals_{io_, SIGTERM, SIGINT, SIGHUP} {}

void Node::run() {
  asio::co_spawn(io_, serve(), [this](const std::exception_ptr& error) {
    try {
      if (error) std::rethrow_exception(error);
    } catch (const std::exception& words) {
      failure_ = words.what();
    }
    io_.stop();
  });
  await_signal();
  io_.run();
  programs_.clear();
  if (!failure_.empty()) throw std::runtime_error{failure_};
}

asio::awaitable<void> Node::connect() {
  Tcp::resolver resolver{io_};
  const auto until_ns = monotonic_ns() + static_cast<std::int64_t>(kConnectFor_s * 1e9);
  for (;;) {
    Tcp::socket socket{io_};
    boost::system::error_code error;
    const auto found = co_await resolver.async_resolve(
        Tcp::v4(), options_.hub, options_.port, asio::redirect_error(asio::use_awaitable, error));
    if (!error) {
      co_await asio::async_connect(socket, found, asio::redirect_error(asio::use_awaitable, error));
    }
    if (!error) {
      hub_ = std::make_shared<Connection>(std::move(socket));
      co_return;
    }
    if (monotonic_ns() > until_ns) {
      throw std::runtime_error{fmt::format("cannot reach the hub at {}:{} in {:g} s: {}",
                                           options_.hub, options_.port, kConnectFor_s,
                                           error.message())};
    }
    asio::steady_timer pause{io_, kBetweenTries};
    co_await pause.async_wait(asio::use_awaitable);
  }
}

asio::awaitable<void> Node::serve() {
  co_await connect();
  Join join;
  join.token = options_.token;
  join.rank = options_.rank;
  join.host = host_name();
  join.control_address = hub_->own_address();
  control_interface_ = interface_with(join.control_address);
  if (options_.interface.empty()) options_.interface = control_interface_;
  join.interface = options_.interface;
  join.address = address_of(join.interface);
  join.real_time_allowed = real_time_allowed();
  hub_->send(message(join));
  while (const auto said = co_await hub_->receive()) take(*said);
}

/// Waits for the signal by which a scheduler ends a job; the scheduler kills the job some seconds
/// later.
void Node::await_signal() {
  signals_.async_wait([this](const boost::system::error_code& error, int number) {
    if (error) return;
    failure_ = fmt::format("was told to end by signal {} ({})", number, ::strsignal(number));
    if (!hub_) return io_.stop();
    hub_->send(message(Leaving{failure_}));
    // The pause leaves time for the message to reach the hub.
    const auto timer = std::make_shared<asio::steady_timer>(io_, kBetweenTries);
    timer->async_wait([this, timer](const boost::system::error_code&) { io_.stop(); });
  });
}

void Node::take(const Json& message) {
  const auto type = type_of(message);
  if (type == kWelcome) return;
  if (type == Refused::kType) {
    throw std::runtime_error{"the hub refuses this node: " + message.get<Refused>().reason};
  }
  if (type == kRendezvous) return listen_for_ranks();
  if (type == Spawn::kType) return spawn(message.get<Spawn>());
  if (type == kCounters) return count();
  if (type == kInput) {
    const auto input = message.get<Bytes>();
    const auto found = programs_.find(input.program);
    if (found != programs_.end()) found->second->input(input);
    return;
  }
  if (type == Signal::kType) {
    const auto signal = message.get<Signal>();
    const auto found = programs_.find(signal.program);
    if (found != programs_.end()) found->second->signal(signal.signal);
    return;
  }
  throw ProtocolError{
      fmt::format("found the message \"{}\" from the hub, which this node does not know; install "
                  "the same pacbench on all hosts",
                  type)};
}

void Node::listen_for_ranks() {
  rendezvous_ = listening_at(hub_->own_address());
  tell(message(Listening{port_of(rendezvous_.get())}));
}

void Node::spawn(const Spawn& wanted) {
  try {
    std::vector<int> more_fds;
    if (rendezvous_) more_fds.push_back(rendezvous_.get());
    auto program = std::make_unique<NodeProgram>(io_, wanted, more_fds,
                                                 [this](const Json& said) { tell(said); });
    tell(message(Spawned{wanted.program, program->pid()}));
    programs_.emplace(wanted.program, std::move(program));
  } catch (const std::exception& error) {
    tell(message(NotSpawned{wanted.program, error.what()}));
  }
}

void Node::tell(const Json& message) {
  hub_->send(message);
  if (type_of(message) != Exited::kType) return;
  asio::post(io_, [this, number = message.get<Exited>().program] { programs_.erase(number); });
}

void Node::count() {
  Counted counted;
  const auto traffic = device_traffic(options_.interface);
  counted.sent = traffic.sent;
  counted.received = traffic.received;
  counted.retransmitted_segments = retransmitted_segments();
  if (control_interface_ != options_.interface) {
    counted.control_bytes = device_traffic(control_interface_).sent.bytes;
  }
  tell(message(counted));
}

}  // namespace pacbench::cluster
