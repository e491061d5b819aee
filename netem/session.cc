#include "netem/session.h"

#include <fmt/format.h>
#include <signal.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>

#include "base/check.h"
#include "base/errors.h"
#include "netem/worker_process.h"

namespace pacbench {
namespace {

// A peer that stops in the middle of a message must not stop the daemon for longer.
constexpr timeval kPeerTimeout{10, 0};

// A worker, loads and probes on its link, with room to spare.
constexpr int kMostPrograms = 16;

// Standard input, output and error.
constexpr std::size_t kLeastFds = 3;

int duplicate(int fd) { return check("dup", ::fcntl(fd, F_DUPFD_CLOEXEC, 0)); }

void limit_waiting(int socket) {
  for (const int option : {SO_RCVTIMEO, SO_SNDTIMEO}) {
    check("setsockopt",
          ::setsockopt(socket, SOL_SOCKET, option, &kPeerTimeout, sizeof kPeerTimeout));
  }
}

}  // namespace

Session::Session(UniqueFd connection, Privilege privilege, std::string refusal)
    : socket_{std::move(connection)},
      readable_{io_, duplicate(socket_.fd())},
      signals_{io_, SIGTERM, SIGINT},
      caller_{privilege == Privilege::kRoot ? Caller::of(socket_.fd()) : Caller::self()},
      privilege_{privilege},
      refusal_{std::move(refusal)} {
  limit_waiting(socket_.fd());
}

Session::~Session() {
  // All at once, before each is waited for.
  for (auto& [number, program] : programs_) program.process.signal(SIGKILL);
}

void Session::run() {
  await_request();
  await_signal();
  io_.run();
}

void Session::await_request() {
  readable_.async_wait(readable_.wait_read, [this](const boost::system::error_code& error) {
    if (!error) take_request();
  });
}

void Session::await_signal() {
  signals_.async_wait([this](const boost::system::error_code& error, int) {
    if (!error) stop("told to stop by a signal");
  });
}

void Session::await_end(int number) {
  auto& ended = programs_.at(number).ended;
  ended.async_wait(ended.wait_read, [this, number](const boost::system::error_code& error) {
    if (error) return;
    const int slot = programs_.at(number).slot;
    const auto status = programs_.at(number).process.wait();
    programs_.erase(number);
    try {
      send(to_json(netd::ExitedEvent{number, slot, status.code, status.signal}));
    } catch (const std::system_error&) {
      stop("the client has gone");
    }
  });
}

void Session::take_request() {
  try {
    readable_.native_non_blocking(false);
    auto message = socket_.receive();
    if (!message) return stop("the client has closed the connection");
    send(answer(std::move(*message)));
    await_request();
  } catch (const ProtocolError& error) {
    // After this nobody knows where the next message begins.
    try {
      send(netd::error_reply(fmt::format("{}; closing the connection", error.what())));
    } catch (const std::system_error&) {
    }
    stop(error.what());
  } catch (const std::system_error& error) {
    stop(error.what());
  }
}

/// The reply to any request; what is wrong with it, or goes wrong in it, is a reply too.
Json Session::answer(Message message) {
  try {
    const auto type = netd::type_of(message.body);
    if (type == "create") return create(message.body);
    if (type == "spawn") return spawn(message.body, std::move(message.fds));
    if (type == "counters") return to_json(fabric().counters());
    return netd::error_reply(
        fmt::format("unknown request \"{}\"; expected create, spawn or counters", type));
  } catch (const std::exception& error) {
    return netd::error_reply(error.what());
  }
}

Json Session::create(const Json& request) {
  const auto wanted = netd::create_request_from_json(request);
  if (!refusal_.empty()) throw std::runtime_error{refusal_};
  if (fabric_)
    throw std::runtime_error{"this connection has its fabric; connect again for another"};
  fabric_.emplace(wanted);
  return to_json(netd::CreatedReply{to_string(privilege_), fabric_->commands(), fabric_->links(),
                                    real_time_allowed(caller_)});
}

Json Session::spawn(const Json& request, std::vector<UniqueFd> fds) {
  auto wanted = netd::spawn_request_from_json(request, fabric().workers());
  require_room(wanted.slot);
  if (fds.size() < kLeastFds) {
    throw std::runtime_error{fmt::format(
        "spawn came with {} descriptors; expected standard input, output and error", fds.size())};
  }
  // Made here, so that it speaks for the switch's namespace, which the program cannot enter.
  fds.emplace_back(duplicate(RouteSocket{}.fd()));
  wanted.environment.push_back(
      fmt::format("PACBENCH_PORT_INDEX={}", fabric().port_index(wanted.slot)));
  const WorkerProgram program{wanted.argv, wanted.environment, std::move(fds), caller_};
  auto process = start_worker(program, fabric().worker(wanted.slot));
  const netd::SpawnedReply reply{next_process_++, process.pid()};
  const int pidfd = duplicate(process.pidfd());
  programs_.emplace(reply.process, Program{wanted.slot, std::move(process),
                                           boost::asio::posix::stream_descriptor{io_, pidfd}});
  await_end(reply.process);
  return to_json(reply);
}

void Session::require_room(int slot) const {
  const auto running = std::count_if(programs_.begin(), programs_.end(),
                                     [&](const auto& entry) { return entry.second.slot == slot; });
  if (running < kMostPrograms) return;
  throw std::runtime_error{
      fmt::format("slot {} already runs {} programs, which is the most", slot, running)};
}

Fabric& Session::fabric() {
  if (!fabric_) throw std::runtime_error{"no fabric yet; send create first"};
  return *fabric_;
}

void Session::send(const Json& reply) {
  // Waiting for the socket made it non-blocking; messages are written whole.
  readable_.native_non_blocking(false);
  socket_.send(reply);
}

void Session::stop(const char* reason) {
  spdlog::debug("stopping: {}", reason);
  io_.stop();
}

}  // namespace pacbench
