#include "harness/cell/moving_network.h"

#include <fmt/format.h>
#include <poll.h>

#include "base/clock.h"
#include "contract/fabric/dilated.h"
#include "contract/scenario/fabric_request.h"
#include "harness/machine/process.h"
#include "harness/record/network_trace.h"

namespace pacbench::cell {
namespace {

constexpr int kChangeTickMs = 100;
constexpr std::int64_t kConnectNs = 30'000'000'000;

[[noreturn]] void fail(const links::ProbeProgram& program) {
  const auto words = last_lines(program.errors(), 3);
  throw CellFailed{fmt::format(
      "the program of a load ({}) ended early, or was not ready within {} s: {}", program.command(),
      kConnectNs / 1'000'000'000, words.empty() ? "it does not say why" : words)};
}

}  // namespace

MovingNetwork::MovingNetwork(links::Fabric& fabric, const RunContext& context,
                             const LinkProfile& link, CellLog& log)
    : fabric_{fabric}, context_{context}, link_{link}, log_{log} {
  for (const auto& load : link.loads) connect(load);
}

void MovingNetwork::connect(const Load& load) {
  // Each load has a port of its own, so that two loads may have the same receiver.
  const auto port = std::to_string(4600 + loads_.size());
  auto& running = loads_.emplace_back();
  running.declared = load;
  running.server = std::make_unique<links::ProbeProgram>(
      fabric_, load.to, context_.programs.probe, std::vector<std::string>{"serve", "--port", port});
  await(*running.server, "serving");
  std::vector<std::string> words{"flow",
                                 fabric_.address(load.to),
                                 "--port",
                                 port,
                                 "--await-go",
                                 "--seconds",
                                 fmt::format("{}", (load.end_s - load.start_s) * time_dilation)};
  if (load.rate_mbit) {
    words.insert(words.end(), {"--rate-mbit", fmt::format("{}", *load.rate_mbit / time_dilation)});
  }
  running.flow =
      std::make_unique<links::ProbeProgram>(fabric_, load.from, context_.programs.probe, words);
  await(*running.flow, "connected");
}

void MovingNetwork::await(links::ProbeProgram& program, const char* event) const {
  const auto give_up_ns = monotonic_ns() + kConnectNs;
  while (!program.closed() && monotonic_ns() < give_up_ns) {
    std::vector<pollfd> polls{{context_.interrupt.fd(), POLLIN, 0}};
    program.add_to(polls);
    ::poll(polls.data(), polls.size(), kChangeTickMs);
    context_.interrupt.throw_if_requested();
    for (const auto& line : program.exchange()) {
      if (line.at("event") == event) return;
    }
  }
  fail(program);
}

void MovingNetwork::turn() {
  for (const auto& step : fabric_.take_stepped()) {
    log_.add(record::NetworkTrace::stepped_event(netd::undilated(step, time_dilation)));
  }
  if (start_ns_ == 0 && training_has_begun()) begin();
  if (start_ns_ == 0) return;
  const double now_s = seconds(emulated_ns() - start_ns_);
  for (std::size_t i = 0; i < loads_.size(); ++i) {
    auto& load = loads_[i];
    if (!load.begun && now_s >= load.declared.start_s) {
      load.flow->say("go\n");
      load.begun = true;
    }
    listen(static_cast<int>(i), load);
  }
}

bool MovingNetwork::training_has_begun() const {
  const auto& record = log_.record();
  // Workers of mode compose evaluate nothing.
  if (sleeps(context_.scenario)) {
    return static_cast<int>(record.ready().size()) == context_.scenario.workers;
  }
  // A rank 0 that trains evaluates the initial weights before it starts the training clock.
  return !record.curve().empty();
}

void MovingNetwork::begin() {
  start_ns_ = emulated_ns();
  if (!link_.schedule.any()) return;
  const auto asked = netd::dilated(schedule_request(context_.scenario, link_), time_dilation);
  const auto reply = netd::undilated(fabric_.schedule(asked), time_dilation);
  start_ns_ = reply.start_ns;
  log_.add(record::NetworkTrace::scheduled_event(reply));
}

void MovingNetwork::listen(int number, RunningLoad& load) {
  // The server's lines about arrivals are not recorded, but must be read: a full pipe would block
  // the server.
  load.server->exchange();
  for (auto& line : load.flow->exchange()) {
    const auto& event = line.at("event");
    if (event == "done") load.done = true;
    if (event != "sent" && event != "done") continue;
    for (const char* key : {"at_ns", "start_ns"}) {
      if (line.contains(key)) line[key] = emulated_ns(line[key].get<std::int64_t>());
    }
    log_.add(record::NetworkTrace::load_event(number, line));
  }
  if (load.flow->closed() && !load.done) fail(*load.flow);
}

}  // namespace pacbench::cell
