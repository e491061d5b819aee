#include "netem/session/session.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <signal.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>

#include "base/clock.h"
#include "base/errors.h"
#include "base/unique_fd.h"
#include "netem/kernel/iproute2.h"
#include "netem/session/worker_process.h"

namespace pacbench::netem {
namespace {

constexpr std::chrono::seconds kPeerTimeout{10};

// A client may send 500 requests at once and 100 a second. A run sends a few a second, and for a
// moment as many as it has workers.
constexpr TokenBucket::Terms kRequests{500, 100};

// Enough for a worker and the loads and probes on its link, with room to spare.
constexpr int kMostPrograms = 16;

// Standard input, output and error.
constexpr std::size_t kLeastFds = 3;

}  // namespace

void Outbox::reply(const Json& message) {
  // async_wait() has made the socket non-blocking, but a message must be written whole.
  ready_.native_non_blocking(false);
  for (; !waiting_.empty(); waiting_.pop_front()) socket_.send(waiting_.front());
  socket_.send(message);
}

void Outbox::tell(Json event) {
  waiting_.push_back(std::move(event));
  if (waiting_.size() > kMostWaiting) return lost_("the client does not read its messages");
  if (!awaiting_room_) send_waiting();
}

void Outbox::send_waiting() {
  const auto has_room = [this] {
    pollfd room{socket_.fd(), POLLOUT, 0};
    return ::poll(&room, 1, 0) > 0;
  };
  try {
    ready_.native_non_blocking(false);
    for (; !waiting_.empty() && has_room(); waiting_.pop_front()) socket_.send(waiting_.front());
    if (waiting_.empty()) return;
    awaiting_room_ = true;
    ready_.async_wait(ready_.wait_write, [this](const boost::system::error_code& error) {
      awaiting_room_ = false;
      if (!error) send_waiting();
    });
  } catch (const std::system_error& error) {
    lost_(error.what());
  }
}

Session::Session(UniqueFd connection, SessionTerms terms)
    : socket_{std::move(connection)},
      readable_{io_, duplicate(socket_.fd())},
      outbox_{socket_, readable_, [this](const char* reason) { stop(reason); }},
      signals_{io_, SIGTERM, SIGINT},
      time_limit_{io_},
      turn_{io_},
      caller_{terms.privilege == Privilege::kUserNamespace ? Caller::self()
                                                           : Caller::of(socket_.fd())},
      terms_{std::move(terms)},
      requests_{TokenBucket::full(kRequests, seconds(monotonic_ns()))} {
  socket_.limit_waiting(kPeerTimeout);
}

Session::~Session() {
  // All programs are killed at once, before each is waited for.
  for (auto& [number, program] : programs_) program.process.signal(SIGKILL);
}

void Session::run() {
  await_request();
  signals_.async_wait([this](const boost::system::error_code& error, int) {
    if (!error) give_up("pacbench-netd was told to stop by a signal");
  });
  await_time_limit();
  io_.run();
}

void Session::await_request() {
  readable_.async_wait(readable_.wait_read, [this](const boost::system::error_code& error) {
    if (!error) take_request();
  });
}

/// Waits for the next request. A shared daemon delays it when requests come faster than any run
/// needs. Else a client that sends nothing but requests would keep others from the kernel's lock on
/// network devices.
void Session::await_turn() {
  const double now_s = seconds(monotonic_ns());
  requests_.take(1, now_s);
  const double wait_s = requests_.wait_s(0, now_s);
  if (terms_.privilege != Privilege::kService || wait_s == 0) return await_request();
  turn_.expires_after(std::chrono::microseconds{std::llround(1e6 * wait_s)});
  turn_.async_wait([this](const boost::system::error_code& error) {
    if (!error) await_request();
  });
}

void Session::await_time_limit() {
  if (terms_.hours <= 0) return;
  const std::chrono::duration<double, std::ratio<3600>> hours{terms_.hours};
  time_limit_.expires_after(std::chrono::duration_cast<std::chrono::nanoseconds>(hours));
  time_limit_.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    give_up(fmt::format("this connection has lasted {} hours, the most that the service allows",
                        terms_.hours));
  });
}

void Session::await_end(int number) {
  auto& ended = programs_.at(number).ended;
  ended.async_wait(ended.wait_read, [this, number](const boost::system::error_code& error) {
    if (error) return;
    const int slot = programs_.at(number).slot;
    const auto status = programs_.at(number).process.wait();
    programs_.erase(number);
    outbox_.tell(to_json(netd::ExitedEvent{number, slot, status.code, status.signal}));
  });
}

void Session::take_request() {
  // Requests are handled in the ordinary class, because only a schedule's steps are urgent.
  before_workers_.reset();
  try {
    readable_.native_non_blocking(false);
    auto message = socket_.receive();
    if (!message) return stop("the client has closed the connection");
    outbox_.reply(answer(std::move(*message)));
    if (follows_schedule()) before_workers_.emplace();
    await_turn();
  } catch (const ProtocolError& error) {
    // After most of these errors nobody knows where the next message begins.
    try {
      outbox_.reply(netd::error_reply(fmt::format("{}; closing the connection", error.what())));
    } catch (const std::system_error&) {
    }
    stop(error.what());
  } catch (const std::system_error& error) {
    stop(error.what());
  }
}

/// Returns the reply to any request; an error in the request or while handling it is a reply too.
Json Session::answer(Message message) {
  try {
    const auto type = netd::type_of(message.body);
    if (type == "create") return create(message.body);
    if (type == "spawn") return spawn(message.body, std::move(message.fds));
    if (type == "schedule") return schedule(message.body);
    if (type == "counters") return to_json(fabric().counters());
    if (type == "signal") return signal(message.body);
    if (type == "features") return to_json(netd::FeaturesReply{try_features(terms_.refusal)});
    return netd::error_reply(fmt::format(
        "unknown request \"{}\"; expected create, spawn, schedule, counters, signal or features",
        type));
  } catch (const std::exception& error) {
    return netd::error_reply(error.what());
  }
}

Json Session::create(const Json& request) {
  auto wanted = netd::create_request_from_json(request);
  if (!terms_.refusal.empty()) throw std::runtime_error{terms_.refusal};
  if (fabric_)
    throw std::runtime_error{
        "this connection already has a fabric; expected a new connection for another fabric"};
  if (wanted.measured) {
    throw std::runtime_error{
        "these links are measured: they exist already, between the hosts of a cluster; expected "
        "pacbench run --on slurm, or links with a rate"};
  }
  if (wanted.uplink) {
    require_uplink(*wanted.uplink);
    wanted.uplink->owner = static_cast<int>(caller_.uid % netd::Uplink::kOwners);
  }
  if (terms_.claim) terms_.claim(wanted);
  fabric_.emplace(wanted, terms_.charged, terms_.host_network ? &*terms_.host_network : nullptr);
  terms_.host_network.reset();
  return to_json(netd::CreatedReply{word_of(terms_.privilege), fabric_->commands(),
                                    fabric_->links(), real_time_allowed(caller_)});
}

Json Session::spawn(const Json& request, std::vector<UniqueFd> fds) {
  auto wanted = netd::spawn_request_from_json(request, fabric().workers());
  require_room(wanted.slot);
  UniqueFd mount_namespace;
  if (wanted.in_mount_namespace && !fds.empty()) {
    mount_namespace = std::move(fds.back());
    fds.pop_back();
  }
  if (fds.size() < kLeastFds) {
    throw std::runtime_error{fmt::format(
        "found {} descriptors with spawn, expected at least standard input, output and error",
        fds.size())};
  }
  if (terms_.privilege == Privilege::kService) refuse_served_files(fds);
  // The daemon opens the route socket itself, so that it belongs to the namespace of the switches,
  // which the program cannot enter.
  fds.emplace_back(duplicate(RouteSocket{}.fd()));
  wanted.environment.push_back(
      fmt::format("PACBENCH_PORT_INDEX={}", fabric().port_index(wanted.slot)));
  WorkerProgram program{wanted.argv, wanted.environment,         std::move(fds),
                        caller_,     std::move(mount_namespace), terms_.group.get()};
  if (wanted.apart) program.apart = {wanted.slot, fabric().workers()};
  auto started = start_worker(program, fabric().worker(wanted.slot));
  const netd::SpawnedReply reply{next_process_++, started.process.pid(), started.not_apart};
  const int pidfd = duplicate(started.process.pidfd());
  programs_.emplace(reply.process, Program{wanted.slot, std::move(started.process),
                                           boost::asio::posix::stream_descriptor{io_, pidfd}});
  await_end(reply.process);
  return to_json(reply);
}

Json Session::signal(const Json& request) {
  const auto wanted = netd::signal_request_from_json(request);
  const auto found = programs_.find(wanted.process);
  if (found != programs_.end()) found->second.process.signal(wanted.signal);
  return netd::signalled_reply();
}

void Session::require_room(int slot) const {
  const auto running = std::count_if(programs_.begin(), programs_.end(),
                                     [&](const auto& entry) { return entry.second.slot == slot; });
  if (running < kMostPrograms) return;
  throw std::runtime_error{
      fmt::format("slot {} already runs {} programs, and may run no more", slot, running)};
}

/// Throws when the caller's links may not lead to an interface of this host. The root user of a
/// user namespace has no right over the host's interfaces; a service has a list of those that it
/// allows.
void Session::require_uplink(const netd::Uplink& uplink) const {
  if (terms_.privilege == Privilege::kUserNamespace || !terms_.host_network) {
    throw std::runtime_error{
        "links that lead to this host's interfaces need root, or a service pacbench-netd that "
        "allows them (--uplink, docs/CLUSTER.md)"};
  }
  if (terms_.privilege == Privilege::kRoot) return;
  for (const auto& interface : {uplink.interface, uplink.control_interface}) {
    const auto& allowed = terms_.uplinks;
    if (std::find(allowed.begin(), allowed.end(), interface) != allowed.end()) continue;
    throw std::runtime_error{fmt::format(
        "this service allows no links that lead to {}, only to: {}; the administrator may add "
        "--uplink {} to its command",
        interface, fmt::join(allowed, ", "), interface)};
  }
}

Json Session::schedule(const Json& request) {
  auto wanted = netd::schedule_request_from_json(request, fabric().directions());
  std::erase_if(schedules_, [](const auto& schedule) { return !schedule.running(); });
  for (const auto& direction : wanted.directions) require_free(direction, wanted.steps);
  const auto failed = [this](const std::string& why) { give_up(why); };
  const auto stepped = [this](const netd::SteppedEvent& step) {
    if (!follows_schedule()) before_workers_.reset();
    outbox_.tell(to_json(step));
  };
  return to_json(schedules_
                     .emplace_back(io_, fabric(), next_schedule_++, std::move(wanted),
                                   Schedule::Listener{stepped, failed})
                     .scheduled());
}

/// Throws when a direction cannot follow these steps now.
void Session::require_free(const std::string& direction,
                           const std::vector<netd::ScheduleRequest::Step>& steps) {
  for (const auto& schedule : schedules_) {
    if (!schedule.moves(direction)) continue;
    throw std::runtime_error{
        fmt::format("{} already follows schedule {}", direction, schedule.scheduled().schedule)};
  }
  const auto [least, most] =
      std::ranges::minmax_element(steps, {}, &netd::ScheduleRequest::Step::rate_mbit);
  fabric().require_rate(direction, least->rate_mbit);
  fabric().require_rate(direction, most->rate_mbit);
}

bool Session::follows_schedule() const {
  return std::ranges::any_of(schedules_, &Schedule::running);
}

KernelFabric& Session::fabric() {
  if (!fabric_)
    throw std::runtime_error{"this connection has no fabric yet; expected a create request first"};
  return *fabric_;
}

/// Ends the session for a reason of the daemon's own. Sends the reason to the client, if the socket
/// has room.
void Session::give_up(const std::string& reason) {
  outbox_.tell(netd::error_reply(reason));
  stop(reason.c_str());
}

void Session::stop(const char* reason) {
  spdlog::debug("stopping: {}", reason);
  io_.stop();
}

}  // namespace pacbench::netem
