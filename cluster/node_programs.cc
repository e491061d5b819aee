#include "cluster/node_programs.h"

#include <arpa/inet.h>
#include <sys/socket.h>

#include <boost/asio/post.hpp>

#include "base/check.h"

namespace pacbench::cluster {
namespace {

constexpr int kBacklog = 256;

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

NodePrograms::NodePrograms(boost::asio::io_context& io, std::string address, Tell tell)
    : io_{io}, address_{std::move(address)}, tell_{std::move(tell)} {}

bool NodePrograms::take(const Json& message) {
  const auto type = type_of(message);
  if (type == kRendezvous) {
    listen_for_ranks();
  } else if (type == Spawn::kType) {
    spawn(message.get<Spawn>());
  } else if (type == kInput) {
    const auto input = message.get<Bytes>();
    if (auto* found = program(input.program)) found->input(input);
  } else if (type == Signal::kType) {
    const auto signal = message.get<Signal>();
    if (auto* found = program(signal.program)) found->signal(signal.signal);
  } else {
    return false;
  }
  return true;
}

NodeProgram* NodePrograms::program(int number) const {
  const auto found = programs_.find(number);
  return found == programs_.end() ? nullptr : found->second.get();
}

void NodePrograms::listen_for_ranks() {
  rendezvous_ = listening_at(address_);
  tell_(message(Listening{port_of(rendezvous_.get())}));
}

void NodePrograms::spawn(const Spawn& wanted) {
  try {
    std::vector<int> more_fds;
    if (rendezvous_) more_fds.push_back(rendezvous_.get());
    auto program = std::make_unique<NodeProgram>(io_, wanted, more_fds,
                                                 [this](const Json& said) { pass_on(said); });
    tell_(message(Spawned{wanted.program, program->pid()}));
    programs_.emplace(wanted.program, std::move(program));
  } catch (const std::exception& error) {
    tell_(message(NotSpawned{wanted.program, error.what()}));
  }
}

/// Tells the hub what a program says, and forgets a program that has ended.
void NodePrograms::pass_on(const Json& message) {
  tell_(message);
  if (type_of(message) != Exited::kType) return;
  boost::asio::post(io_,
                    [this, number = message.get<Exited>().program] { programs_.erase(number); });
}

}  // namespace pacbench::cluster
