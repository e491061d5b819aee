#include "cluster/client.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <stdexcept>

#include "base/check.h"
#include "base/unique_fd.h"

namespace pacbench::cluster {
namespace {

namespace asio = boost::asio;

constexpr std::chrono::seconds kClientTimeout{10};
constexpr std::chrono::seconds kEndOfPrograms{10};
constexpr std::chrono::seconds kEndOfLinks{30};
/// A worker's device inside the links that a node has made.
constexpr const char* kInterface = "eth0";

/// Says for each descriptor whether the program reads it ('r') or writes it ('w').
std::string directions_of(const std::vector<UniqueFd>& fds) {
  std::string directions;
  for (const auto& fd : fds) {
    const int mode = check("F_GETFL", ::fcntl(fd.get(), F_GETFL)) & O_ACCMODE;
    if (mode == O_RDWR) {
      throw std::runtime_error{
          fmt::format("descriptor {} is open for both reading and writing; expected one end of a "
                      "pipe, whose bytes can be passed to another host",
                      directions.size())};
    }
    directions += mode == O_RDONLY ? 'r' : 'w';
  }
  return directions;
}

netd::LinkCounters counters_of(const std::string& name, const Traffic& traffic) {
  return {name, traffic.bytes, traffic.packets, traffic.dropped_packets};
}

}  // namespace

Client::Client(asio::io_context& io, UniqueFd connection, const Nodes& nodes, Shared& shared)
    : io_{io},
      socket_{std::move(connection)},
      readable_{io, duplicate(socket_.fd())},
      nodes_{nodes},
      shared_{shared} {
  socket_.limit_waiting(kClientTimeout);
}

asio::awaitable<void> Client::serve() {
  const auto alive = shared_from_this();
  try {
    co_await serve_requests();
  } catch (const std::exception& error) {
    tell(netd::error_reply(error.what()));
  }
  co_await end_programs();
  co_await unmake_links();
  ::shutdown(socket_.fd(), SHUT_RDWR);
}

asio::awaitable<void> Client::serve_requests() {
  for (;;) {
    boost::system::error_code error;
    co_await readable_.async_wait(readable_.wait_read,
                                  asio::redirect_error(asio::use_awaitable, error));
    if (error) co_return;
    readable_.native_non_blocking(false);
    auto message = socket_.receive();
    if (!message) co_return;
    socket_.send(co_await answer(std::move(*message)));
  }
}

asio::awaitable<Json> Client::answer(Message message) {
  try {
    const auto type = netd::type_of(message.body);
    if (type == "create") co_return co_await create(std::move(message.body));
    if (type == "spawn") co_return co_await spawn(std::move(message.body), std::move(message.fds));
    if (type == "counters") co_return co_await counters();
    if (type == "signal") co_return signal(message.body);
    if (type == "features") co_return to_json(netd::FeaturesReply{});
    co_return netd::error_reply(fmt::format(
        "found request \"{}\", which needs links on one host; these links are those of several "
        "hosts. Expected create, spawn, counters, signal or features",
        type));
  } catch (const std::exception& error) {
    co_return netd::error_reply(error.what());
  }
}

void Client::require_nodes(std::size_t workers) const {
  const auto joined =
      std::count_if(nodes_.begin(), nodes_.end(), [](const auto& node) { return node != nullptr; });
  if (workers > nodes_.size() || static_cast<std::size_t>(joined) < nodes_.size()) {
    throw std::runtime_error{
        fmt::format("found a request for {} workers; {} of {} nodes have joined", workers, joined,
                    nodes_.size())};
  }
  for (const auto& node : nodes_) {
    if (node->lost()) throw std::runtime_error{node->who()};
  }
}

asio::awaitable<Json> Client::create(Json request) {
  const auto wanted = netd::create_request_from_json(request);
  if (workers_ != 0 || makers_ != 0) {
    throw std::runtime_error{
        "found a second request \"create\", expected at most one on each connection"};
  }
  require_nodes(wanted.workers.size());
  const auto workers = static_cast<int>(wanted.workers.size());
  netd::CreatedReply reply;
  reply.privilege = "cluster";
  reply.real_time_allowed = true;
  for (int rank = 0; rank < workers; ++rank) {
    const auto& join = nodes_[static_cast<std::size_t>(rank)]->join();
    reply.nodes.push_back({join.host, join.interface, join.address, join.control_address});
    reply.real_time_allowed &= join.real_time_allowed;
  }
  if (!wanted.measured) co_await make_links(wanted, reply);
  const auto listening = co_await nodes_.front()->ask(message(kRendezvous), kListening);
  reply.rendezvous = fmt::format("{}:{}", reply.nodes.front().control_address,
                                 listening.at("port").get<std::uint16_t>());
  for (int rank = 0; rank < workers; ++rank) at_start_.push_back(co_await counted(rank));
  workers_ = workers;
  co_return to_json(reply);
}

/// Asks every node at the same time to make the links of its rank, and waits for all of them.
asio::awaitable<void> Client::make_links(netd::CreateRequest request, netd::CreatedReply& reply) {
  request.control_network = true;
  const auto until = std::chrono::steady_clock::now() + kEndOfLinks;
  while (shared_.has_links) {  // those of the client before may take some time to go
    if (std::chrono::steady_clock::now() > until) {
      throw std::runtime_error{"the nodes still have the links of another connection"};
    }
    asio::steady_timer pause{io_, std::chrono::milliseconds{20}};
    co_await pause.async_wait(asio::use_awaitable);
  }
  shared_.has_links = true;
  const int fabric = shared_.next_fabric++ % netd::Uplink::kFabrics;
  std::vector<Awaited> answers;
  for (std::size_t rank = 0; rank < request.workers.size(); ++rank) {
    // The node fills in the names of its interfaces.
    request.uplink = {static_cast<int>(rank), "exchanges", "control", fabric};
    ++makers_;
    answers.push_back(nodes_[rank]->ask_for(message(kMake, {{"fabric", to_json(request)}}), kMade));
  }
  std::string failure;
  for (std::size_t rank = 0; rank < answers.size(); ++rank) {
    const auto answer = co_await nodes_[rank]->answer(answers[rank]);
    if (type_of(answer) == kNotMade) {
      failure = fmt::format("{} cannot make its links: {}", nodes_[rank]->who(), reason_of(answer));
      continue;
    }
    const auto created = netd::message_from_json<netd::CreatedReply>(answer.at("created"));
    auto& node = reply.nodes[rank];
    node.interface = kInterface;
    node.address = netd::worker_address(static_cast<int>(rank));
    node.control_address = netd::control_address(static_cast<int>(rank));
    reply.real_time_allowed &= created.real_time_allowed;
    reply.links.insert(reply.links.end(), created.links.begin(), created.links.end());
    reply.commands.push_back("# on " + node.host);
    reply.commands.insert(reply.commands.end(), created.commands.begin(), created.commands.end());
  }
  if (!failure.empty()) throw std::runtime_error{failure};
}

/// Asks the nodes to remove their links and waits until they have, because the next client may need
/// links of its own.
asio::awaitable<void> Client::unmake_links() {
  if (makers_ == 0) co_return;
  std::vector<std::pair<std::shared_ptr<HubNode>, Awaited>> answers;
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(makers_); ++rank) {
    if (nodes_[rank]->lost()) continue;
    answers.emplace_back(nodes_[rank], nodes_[rank]->ask_for(message(kUnmake), kUnmade));
  }
  for (auto& [node, awaited] : answers) {
    try {
      co_await node->answer(awaited);
    } catch (const std::exception&) {  // the node is lost, or has not answered for a minute
    }
  }
  shared_.has_links = false;
}

asio::awaitable<Json> Client::spawn(Json request, std::vector<UniqueFd> fds) {
  const auto wanted = netd::spawn_request_from_json(request, workers_);
  const auto& node = nodes_.at(static_cast<std::size_t>(wanted.slot));
  // The descriptor of this host's mount namespace is dropped: it means nothing on another host.
  if (wanted.in_mount_namespace && !fds.empty()) fds.pop_back();
  const int number = shared_.next_program++;
  const Spawn spawn{number, wanted.argv, wanted.environment, directions_of(fds)};
  programs_.emplace(number, Program{next_process_, wanted.slot, true, {}});
  connect(number, std::move(fds), spawn.descriptors);
  Json answer;
  try {
    answer = co_await node->ask(message(spawn), spawned_key(number));
  } catch (...) {
    programs_.erase(number);
    node->send(message(Signal{number, SIGKILL}));  // it may still start
    throw;
  }
  if (type_of(answer) == kNotSpawned) {
    programs_.erase(number);
    throw std::runtime_error{fmt::format("{}: {}", node->who(), reason_of(answer))};
  }
  co_return to_json(netd::SpawnedReply{next_process_++, answer.at("pid").get<int>()});
}

/// Passes on what the client writes for the program, and what the program writes for the client.
void Client::connect(int number, std::vector<UniqueFd> fds, const std::string& descriptors) {
  auto& program = programs_.at(number);
  const auto node = nodes_.at(static_cast<std::size_t>(program.slot));
  for (std::size_t i = 0; i < fds.size(); ++i) {
    const auto end = std::make_shared<PipeEnd>(io_, std::move(fds[i]));
    if (descriptors[i] == 'w') {
      program.outputs.emplace(static_cast<int>(i), end);
      continue;
    }
    end->read([node, number, descriptor = static_cast<int>(i)](std::string bytes) {
      node->send(message(kInput, Bytes{number, descriptor, std::move(bytes)}));
    });
  }
}

asio::awaitable<Counted> Client::counted(int slot) {
  const auto& node = nodes_.at(static_cast<std::size_t>(slot));
  const auto answer = co_await node->ask(message(kCounters), Counted::kType);
  co_return answer.get<Counted>();
}

/// Returns what was counted since the client sent create, as a fabric's counters do. The nodes' own
/// counters began earlier.
asio::awaitable<Json> Client::counters() {
  netd::CountersReply reply;
  for (int slot = 0; slot < workers_; ++slot) {
    const auto now = co_await counted(slot);
    const auto& start = at_start_.at(static_cast<std::size_t>(slot));
    reply.links.push_back(counters_of(netd::up_name(slot), now.sent - start.sent));
    reply.links.push_back(counters_of(netd::down_name(slot), now.received - start.received));
    reply.retransmitted_segments.push_back(now.retransmitted_segments -
                                           start.retransmitted_segments);
    reply.control_bytes.push_back(now.control_bytes - start.control_bytes);
    reply.loopback_bytes.push_back(now.loopback_bytes - start.loopback_bytes);
    const auto& host = nodes_[static_cast<std::size_t>(slot)]->join().host;
    for (const auto& deviation : now.deviations) {
      reply.deviations.push_back(fmt::format("{}: {}", host, deviation));
    }
  }
  co_return to_json(reply);
}

Json Client::signal(const Json& request) {
  const auto wanted = netd::signal_request_from_json(request);
  for (const auto& [number, program] : programs_) {
    if (program.process != wanted.process || !program.running) continue;
    node_of(program).send(message(Signal{number, wanted.signal}));
  }
  return netd::signalled_reply();
}

bool Client::take(const Json& message) {
  const auto type = type_of(message);
  const bool is_output = type == kOutput;
  if (!is_output && type != Exited::kType) return false;
  const auto found = programs_.find(message.at("program").get<int>());
  if (found == programs_.end()) return false;
  auto& program = found->second;
  if (is_output) {
    const auto output = message.get<Bytes>();
    const auto end = program.outputs.find(output.descriptor);
    if (end != program.outputs.end()) end->second->write(output.bytes);
    return true;
  }
  program.running = false;
  const auto exited = message.get<Exited>();
  tell(to_json(netd::ExitedEvent{program.process, program.slot, exited.code, exited.signal}));
  return true;
}

void Client::tell(const Json& event) {
  try {
    readable_.native_non_blocking(false);
    socket_.send(event);
  } catch (const std::system_error&) {  // serve_requests() notices that the client has gone
  }
}

void Client::give_up(const std::string& reason) {
  tell(netd::error_reply(reason));
  ::shutdown(socket_.fd(), SHUT_RD);
}

HubNode& Client::node_of(const Program& program) const {
  return *nodes_.at(static_cast<std::size_t>(program.slot));
}

bool Client::runs(const Program& program) const {
  return program.running && !node_of(program).lost();
}

asio::awaitable<void> Client::end_programs() {
  const auto until = std::chrono::steady_clock::now() + kEndOfPrograms;
  for (const auto& [number, program] : programs_) {
    if (runs(program)) node_of(program).send(message(Signal{number, SIGKILL}));
  }
  while (std::ranges::any_of(programs_, [this](const auto& entry) { return runs(entry.second); }) &&
         std::chrono::steady_clock::now() < until) {
    asio::steady_timer pause{io_, std::chrono::milliseconds{10}};
    co_await pause.async_wait(asio::use_awaitable);
  }
}

}  // namespace pacbench::cluster
