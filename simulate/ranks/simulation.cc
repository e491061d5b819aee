#include "simulate/ranks/simulation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <stdexcept>

#include "contract/fabric/queue_length.h"
#include "contract/worker/worker_event.h"
#include "simulate/ranks/rank.h"

namespace pacbench::simulate {
namespace {

std::int64_t sum_of(const std::vector<std::int64_t>& all) {
  std::int64_t sum = 0;
  for (const auto one : all) sum += one;
  return sum;
}

/// The most TCP payload of a packet, which may be several frames long (GSO), as in an emulated
/// cell. For topologies that only mode simulate has, `tree` is empty and does not know the MTU.
std::int64_t packet_bytes(const SimulationSpec& spec) {
  auto request = spec.links.tree;
  request.mtu = spec.mtu;
  return netd::largest_packet_bytes(request);
}

}  // namespace

struct Simulation::Parts {
  Parts(const SimulationSpec& spec, Network& network)
      : transport{network,
                  spec.model,
                  spec.workers,
                  {spec.mtu, packet_bytes(spec)},
                  static_cast<std::uint64_t>(spec.seed)} {}

  Transport transport;
  GroupNumbers numbers;
  std::vector<std::unique_ptr<Rank>> ranks;
};

Simulation::Simulation(const SimulationSpec& spec, Network& network, Tell tell)
    : spec_{spec}, network_{network}, tell_{std::move(tell)} {
  if (spec.profile.exchanges.size() != 1) {
    throw std::invalid_argument{fmt::format(
        "found the exchanges of {} methods in the profile, expected those of the simulated method "
        "alone; start the simulation with pacbench run, which picks them",
        spec.profile.exchanges.size())};
  }
  parts_ = std::make_unique<Parts>(spec, network);
  for (int rank = 0; rank < spec.workers; ++rank) {
    parts_->ranks.push_back(
        std::make_unique<Rank>(spec, rank, network, parts_->transport, parts_->numbers,
                               [this](const IterationEvent& event) { tell_(to_json(event)); }));
  }
}

Simulation::~Simulation() = default;

void Simulation::start() {
  for (int rank = 0; rank < spec_.workers; ++rank) {
    ReadyEvent ready;
    ready.rank = rank;
    ready.bucket_elements = parts_->ranks[static_cast<std::size_t>(rank)]->layout();
    ready.parameters = sum_of(ready.bucket_elements);
    tell_(to_json(ready));
  }
  for (auto& rank : parts_->ranks) {
    network_.after(0, [&rank] { rank->start(); });
  }
}

void Simulation::finish() {
  std::vector<int> waiting;
  for (int rank = 0; rank < spec_.workers; ++rank) {
    const auto done = parts_->ranks[static_cast<std::size_t>(rank)]->iterations_done();
    if (done < spec_.iterations) waiting.push_back(rank);
  }
  if (!waiting.empty()) {
    throw std::runtime_error{fmt::format(
        "ranks {} wait for messages that no rank sends: the ranks' collectives in the profile do "
        "not match; make the profile again with pacbench profile --exchanges",
        fmt::join(waiting, ", "))};
  }
  for (int rank = 0; rank < spec_.workers; ++rank) {
    DoneEvent done;
    done.rank = rank;
    done.iterations = spec_.iterations;
    done.training_s = network_.now_s();
    tell_(to_json(done));
  }
}

netd::CountersReply Simulation::counters(const std::vector<std::string>& names) const {
  netd::CountersReply reply;
  const auto& carried = parts_->transport.carried();
  for (std::size_t i = 0; i < carried.size(); ++i) {
    reply.links.push_back({names.at(i), carried[i].bytes, carried[i].frames, 0});
  }
  reply.retransmitted_segments.assign(static_cast<std::size_t>(spec_.workers), 0);
  return reply;
}

}  // namespace pacbench::simulate
