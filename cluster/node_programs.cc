#include "cluster/node_programs.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/socket.h>

#include <boost/asio/post.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <stdexcept>

#include "base/check.h"
#include "base/environment.h"
#include "base/subprocess.h"
#include "base/unique_fd.h"

namespace pacbench::cluster {
namespace {

namespace asio = boost::asio;

constexpr std::chrono::milliseconds kForABetterReason{500};
constexpr int kBacklog = 256;

/// Replaces a path to one of pacbench's programs by the one beside this program, since each host
/// may have them in another folder.
std::vector<std::string> with_own_programs(std::vector<std::string> argv) {
  const auto name = std::filesystem::path{argv.at(0)}.filename().string();
  const auto beside = own_folder() + '/' + name;
  if (name.starts_with("pacbench-") && std::filesystem::exists(beside)) argv.front() = beside;
  return argv;
}

/// Returns this rank's entry of CUDA_VISIBLE_DEVICES, by the rank's number on its host, which the
/// launcher has set. Returns the whole list where there is no number, or no entry for the number:
/// the launcher then shows each rank GPUs of its own.
std::string own_gpus() {
  const auto all = environment_value("CUDA_VISIBLE_DEVICES");
  auto number = environment_value("LOCAL_RANK");
  if (number.empty()) number = environment_value("SLURM_LOCALID");
  if (number.empty()) return all;
  std::istringstream words{all};
  std::string gpu;
  for (auto left = std::atoi(number.c_str()); left >= 0; --left) {
    if (!std::getline(words, gpu, ',')) return all;
  }
  return gpu;
}

/// Adds which GPUs the program may use, as the node's scheduler says: the hub does not know it.
std::vector<std::string> with_own_gpus(std::vector<std::string> environment) {
  const auto gpus = own_gpus();
  if (!gpus.empty()) set_variable(environment, "CUDA_VISIBLE_DEVICES=" + gpus);
  return environment;
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

NodeProgram::NodeProgram(asio::io_context& io, const Spawn& spawn, const std::vector<int>& more_fds,
                         Tell tell)
    : number_{spawn.program}, tell_{std::move(tell)}, ended_{io}, pause_{io} {
  std::vector<UniqueFd> theirs;
  std::vector<int> fds;
  for (std::size_t i = 0; i < spawn.descriptors.size(); ++i) {
    auto pipe = Pipe::create();
    const bool reads = spawn.descriptors[i] == 'r';
    if (!reads && spawn.descriptors[i] != 'w') {
      throw std::invalid_argument{fmt::format(
          "found the descriptors \"{}\", expected only letters r and w", spawn.descriptors)};
    }
    auto& ends = reads ? inputs_ : outputs_;
    ends[static_cast<int>(i)] =
        std::make_shared<PipeEnd>(io, std::move(reads ? pipe.write : pipe.read));
    theirs.push_back(std::move(reads ? pipe.read : pipe.write));
    fds.push_back(theirs.back().get());
  }
  fds.insert(fds.end(), more_fds.begin(), more_fds.end());
  process_ = start_process(with_own_programs(spawn.argv), with_own_gpus(spawn.environment), fds);
  ended_.assign(duplicate(process_.pidfd()));
  for (auto& [descriptor, end] : outputs_) {
    end->read([number = number_, at = descriptor, tell = tell_](std::string bytes) {
      tell(message(kOutput, Bytes{number, at, std::move(bytes)}));
    });
  }
  await_end();
}

NodeProgram::~NodeProgram() {
  if (process_.running()) kill_group();
}

/// Kills the program and all other processes of its group. The program must not be reaped yet:
/// afterwards the group's number could belong to another group.
void NodeProgram::kill_group() const { ::kill(-process_.pid(), SIGKILL); }

void NodeProgram::input(const Bytes& input) {
  const auto found = inputs_.find(input.descriptor);
  if (found != inputs_.end()) found->second->write(input.bytes);
}

void NodeProgram::await_end() {
  ended_.async_wait(ended_.wait_read, [this](const boost::system::error_code& error) {
    if (error) return;
    kill_group();
    const auto status = process_.wait();
    // A scheduler that ends a job signals all of its processes. The node then reports its own end,
    // which is the better reason; so this report waits.
    if (status.signal == 0 || was_signalled_) return tell_end(status);
    pause_.expires_after(kForABetterReason);
    pause_.async_wait([this, status](const boost::system::error_code& stopped) {
      if (!stopped) tell_end(status);
    });
  });
}

void NodeProgram::signal(int number) {
  was_signalled_ = true;
  if (!process_.running()) return;
  if (number == SIGKILL) kill_group();
  process_.signal(number);
}

void NodeProgram::tell_end(const ExitStatus& status) {
  tell_(message(Exited{number_, status.code, status.signal}));
}

NodePrograms::NodePrograms(asio::io_context& io, std::string address, Tell tell)
    : io_{io}, address_{std::move(address)}, tell_{std::move(tell)} {}

bool NodePrograms::take(const Json& message) {
  const auto type = type_of(message);
  if (type == kRendezvous) {
    rendezvous_ = listening_at(address_);
    tell_(cluster::message(kListening, {{"port", port_of(rendezvous_.get())}}));
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

void NodePrograms::spawn(const Spawn& wanted) {
  try {
    std::vector<int> more_fds;
    if (rendezvous_) more_fds.push_back(rendezvous_.get());
    auto program = std::make_unique<NodeProgram>(io_, wanted, more_fds,
                                                 [this](const Json& said) { pass_on(said); });
    tell_(message(kSpawned, {{"program", wanted.program}, {"pid", program->pid()}}));
    programs_.emplace(wanted.program, std::move(program));
  } catch (const std::exception& error) {
    tell_(message(kNotSpawned, {{"program", wanted.program}, {"reason", error.what()}}));
  }
}

/// Tells the hub what a program says, and forgets a program that has ended.
void NodePrograms::pass_on(const Json& message) {
  tell_(message);
  if (type_of(message) != Exited::kType) return;
  asio::post(io_, [this, number = message.get<Exited>().program] { programs_.erase(number); });
}

}  // namespace pacbench::cluster
