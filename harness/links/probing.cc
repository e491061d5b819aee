#include "harness/links/probing.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/clock.h"
#include "harness/machine/process.h"
#include "harness/record/link_probe.h"
#include "harness/statistics/spread.h"

namespace pacbench::links {
namespace {

constexpr int kTickMs = 100;
// The time that starting programs and emptying queues may take beyond the traffic itself.
constexpr double kAllowanceS = 60;

std::string event_of(const Json& event) { return event.value("event", ""); }

/// Whether a server's line is about the connection of the sender at `address`, which has printed
/// the lines `said`. The first of these names the connection's port.
bool is_about(const Json& line, const std::string& address, const std::vector<Json>& said) {
  return !said.empty() && line.value("from", "") == address &&
         line.value("port", 0) == said.front().value("port", -1);
}

/// What a server says of the bytes that it received.
FlowMeasurement taken_from(const plan::Path& path, const Json& served) {
  FlowMeasurement flow;
  flow.path = path;
  flow.bytes = served.at("bytes");
  flow.packet_mbit = served.value("packet_mbit", 0.0);
  for (const auto& sample : served.at("samples")) {
    flow.samples.push_back({sample.at(0), sample.at(1)});
  }
  return flow;
}

FlowMeasurement flow_from(const plan::Path& path, const std::vector<Json>& said,
                          const Json& served) {
  auto flow = taken_from(path, served);
  flow.segments = said.back().at("segments");
  flow.retransmits = said.back().at("retransmits");
  return flow;
}

DatagramsMeasurement datagrams_from(const plan::Path& path, const Json& served) {
  DatagramsMeasurement result{served.at("sent"),
                              served.at("received"),
                              served.at("duplicates"),
                              served.at("reordered"),
                              {},
                              {}};
  if (served.contains("samples")) result.flow = taken_from(path, served);
  for (const auto& delay : served.at("delays_us")) {
    result.delays_ms.push_back(delay.get<double>() * 1e-3);
  }
  return result;
}

[[noreturn]] void fail(const ProbeProgram& program, const std::string& what) {
  throw ProtocolError{
      fmt::format("the probe of worker {} ({}): {}", program.slot(), program.command(), what)};
}

[[noreturn]] void ended_early(const ProbeProgram& program) {
  const auto words = last_lines(program.errors(), 3);
  fail(program, "ended early: " + (words.empty() ? "it does not say why" : words));
}

}  // namespace

std::vector<Part> parts_of(const FlowMeasurement& flow, std::int64_t from_ns, std::int64_t to_ns) {
  std::vector<Part> parts;
  const FlowMeasurement::Sample* first = nullptr;
  for (const auto& sample : flow.samples) {
    if (sample.at_ns < from_ns || sample.at_ns > to_ns) continue;
    if (first == nullptr) first = &sample;
    const auto time_s = seconds(sample.at_ns - first->at_ns);
    if (time_s < record::kPart_s) continue;
    parts.push_back({static_cast<double>(sample.bytes - first->bytes) * 8e-6 / time_s, time_s});
    first = &sample;
  }
  return parts;
}

double goodput_mbit(const FlowMeasurement& flow, std::int64_t from_ns, std::int64_t to_ns) {
  std::vector<double> rates_mbit;
  std::vector<double> times_s;
  for (const auto& part : parts_of(flow, from_ns, to_ns)) {
    rates_mbit.push_back(part.mbit);
    times_s.push_back(part.time_s);
  }
  if (!rates_mbit.empty()) return statistics::weighted_median(rates_mbit, times_s);
  const auto& samples = flow.samples;
  const auto first = std::find_if(samples.begin(), samples.end(),
                                  [&](const auto& sample) { return sample.at_ns >= from_ns; });
  const auto last = std::find_if(samples.rbegin(), samples.rend(),
                                 [&](const auto& sample) { return sample.at_ns <= to_ns; });
  if (first == samples.end() || last == samples.rend() || last->at_ns <= first->at_ns) return 0;
  return static_cast<double>(last->bytes - first->bytes) * 8e3 /
         static_cast<double>(last->at_ns - first->at_ns);
}

Received quiet_goodput(const FlowMeasurement& flow, std::int64_t from_ns, std::int64_t to_ns,
                       const MachineTrace& machine) {
  constexpr std::int64_t kAfterNs = 25'000'000;
  Received all;
  for (std::size_t i = 1; i < flow.samples.size(); ++i) {
    const auto& before = flow.samples[i - 1];
    const auto& after = flow.samples[i];
    if (before.at_ns < from_ns || after.at_ns > to_ns) continue;
    if (is_disturbed(machine, before.at_ns - kAfterNs, after.at_ns)) continue;
    all.bytes += static_cast<double>(after.bytes - before.bytes);
    all.time_s += seconds(after.at_ns - before.at_ns);
  }
  return all;
}

std::optional<double> best_mbit(const FlowMeasurement& flow, std::int64_t from_ns,
                                std::int64_t to_ns) {
  constexpr std::size_t kFewest = 10;
  constexpr double kBest = 0.9;
  std::vector<double> rates_mbit;
  for (const auto& part : parts_of(flow, from_ns, to_ns)) rates_mbit.push_back(part.mbit);
  if (rates_mbit.size() < kFewest) return std::nullopt;
  return statistics::quantile(rates_mbit, kBest);
}

std::pair<std::int64_t, std::int64_t> common_time(const std::vector<FlowMeasurement>& flows) {
  if (flows.empty()) return {0, 0};
  std::pair<std::int64_t, std::int64_t> time{flows.front().start_ns(), flows.front().end_ns()};
  for (const auto& flow : flows) {
    time.first = std::max(time.first, flow.start_ns());
    time.second = std::min(time.second, flow.end_ns());
  }
  return time;
}

std::vector<FlowMeasurement> Probing::flows(const std::vector<plan::Path>& paths, double duration_s,
                                            const std::vector<double>& rates_mbit) {
  serve_in(paths);
  std::vector<Transfer> transfers;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    std::vector<std::string> words{"--await-go", "--seconds", fmt::format("{}", duration_s)};
    const double rate_mbit = i < rates_mbit.size() ? rates_mbit[i] : 0;
    if (rate_mbit > 0) words.insert(words.end(), {"--rate-mbit", fmt::format("{}", rate_mbit)});
    transfers.push_back(start(paths[i], "flow", words));
  }
  listen_until(transfers, kAllowanceS, [&] {
    return std::none_of(transfers.begin(), transfers.end(),
                        [](const auto& transfer) { return transfer.said.empty(); });
  });
  for (auto& transfer : transfers) transfer.sender.say("go\n");
  finish(transfers, duration_s + kAllowanceS, 1);
  std::vector<FlowMeasurement> flows;
  for (const auto& transfer : transfers) {
    flows.push_back(flow_from(transfer.path, transfer.said, transfer.served.front()));
  }
  return flows;
}

std::vector<MessageTimes> Probing::messages(const plan::Path& path, std::int64_t bytes, int count,
                                            double idle_ms) {
  serve_in({path});
  std::vector<Transfer> transfers;
  transfers.push_back(start(path, "messages",
                            {"--bytes", std::to_string(bytes), "--count", std::to_string(count),
                             "--idle-ms", fmt::format("{}", idle_ms)}));
  finish(transfers, count * (idle_ms * 1e-3 + 60) + kAllowanceS, static_cast<std::size_t>(count));
  std::vector<MessageTimes> times;
  for (const auto& line : transfers.front().served) {
    const auto since_start_ms = [&](const char* key) {
      return 1e3 *
             seconds(line.at(key).get<std::int64_t>() - line.at("start_ns").get<std::int64_t>());
    };
    times.push_back({since_start_ms("arrived_ns"), since_start_ms("end_ns")});
  }
  return times;
}

std::vector<std::vector<double>> Probing::pings_ms(const std::vector<plan::Path>& paths, int count,
                                                   double interval_ms) {
  serve_in(paths);
  std::vector<Transfer> transfers;
  for (const auto& path : paths) {
    transfers.push_back(
        start(path, "ping",
              {"--count", std::to_string(count), "--interval-ms", fmt::format("{}", interval_ms)}));
  }
  finish(transfers, count * (interval_ms * 1e-3 + 1) + kAllowanceS, 0);
  std::vector<std::vector<double>> times_ms;
  for (const auto& transfer : transfers) {
    auto& times = times_ms.emplace_back();
    for (const auto& line : transfer.said) {
      if (event_of(line) == "ping") times.push_back(line.at("rtt_us").get<double>() * 1e-3);
    }
  }
  return times_ms;
}

DatagramsMeasurement Probing::datagrams(const plan::Path& path, int count, int bytes,
                                        double interval_us) {
  return overflow({path}, {count, bytes, interval_us}).front();
}

std::vector<DatagramsMeasurement> Probing::overflow(const std::vector<plan::Path>& paths,
                                                    const Overflow& overflow) {
  serve_in(paths);
  std::vector<Transfer> transfers;
  for (const auto& path : paths) {
    const double start_ms = overflow.apart_ms * static_cast<double>(transfers.size());
    transfers.push_back(
        start(path, "datagrams",
              {"--count", std::to_string(overflow.count), "--bytes", std::to_string(overflow.bytes),
               "--interval-us", fmt::format("{}", overflow.interval_us), "--sockets",
               std::to_string(overflow.sockets), "--start-ms", fmt::format("{}", start_ms)}));
  }
  const double sends_s = overflow.count * overflow.interval_us * 1e-6 +
                         overflow.apart_ms * static_cast<double>(paths.size()) * 1e-3;
  finish(transfers, sends_s + kAllowanceS, 1);
  std::vector<DatagramsMeasurement> all;
  for (const auto& transfer : transfers) {
    all.push_back(datagrams_from(transfer.path, transfer.served.front()));
  }
  return all;
}

void Probing::serve_in(const std::vector<plan::Path>& paths) {
  for (const auto& path : paths) {
    if (servers_.contains(path.to)) continue;
    servers_.emplace(path.to, ProbeProgram{host_, path.to, program_, {"serve"}});
  }
  std::vector<Transfer> none;
  listen_until(none, kAllowanceS, [this] { return serving_ == servers_.size(); });
}

Probing::Transfer Probing::start(const plan::Path& path, const char* kind,
                                 const std::vector<std::string>& words) {
  std::vector<std::string> all{kind, host_.address(path.to)};
  all.insert(all.end(), words.begin(), words.end());
  return {ProbeProgram{host_, path.from, program_, all}, path, {}, {}};
}

void Probing::listen_until(std::vector<Transfer>& transfers, double timeout_s,
                           const std::function<bool()>& enough) {
  const auto deadline_ns = monotonic_ns() + static_cast<std::int64_t>(timeout_s * 1e9);
  while (!enough()) {
    interrupt_.throw_if_requested();
    if (monotonic_ns() > deadline_ns) {
      throw ProtocolError{fmt::format(
          "the probes of the links were not ready or had not ended after {:.0f} s", timeout_s)};
    }
    std::vector<pollfd> polls{{host_.fd(), POLLIN, 0}, {interrupt_.fd(), POLLIN, 0}};
    for (const auto& [slot, server] : servers_) server.add_to(polls);
    for (const auto& transfer : transfers) transfer.sender.add_to(polls);
    ::poll(polls.data(), polls.size(), kTickMs);
    // Closed pipes show the ends of programs; this call notices the end of the daemon.
    host_.take_exited();
    take_lines(transfers);
  }
}

void Probing::finish(std::vector<Transfer>& transfers, double timeout_s, std::size_t lines_each) {
  listen_until(transfers, timeout_s, [&] {
    return std::all_of(transfers.begin(), transfers.end(), [&](const auto& transfer) {
      return transfer.sender.closed() && transfer.served.size() >= lines_each;
    });
  });
}

void Probing::take_lines(std::vector<Transfer>& transfers) {
  // Servers are read before senders. A sender reports its port before any server can report that
  // port, so the sender's line can already be read below.
  std::vector<std::pair<int, Json>> served;
  for (auto& [slot, server] : servers_) {
    for (auto& line : server.exchange()) {
      if (event_of(line) == "error") fail(server, line.value("message", "failed"));
      if (event_of(line) == "serving") ++serving_;
      served.emplace_back(slot, std::move(line));
    }
    if (server.closed()) ended_early(server);
  }
  for (auto& transfer : transfers) {
    const auto lines = transfer.sender.exchange();
    transfer.said.insert(transfer.said.end(), lines.begin(), lines.end());
    const bool done = !transfer.said.empty() && event_of(transfer.said.back()) == "done";
    if (transfer.sender.closed() && !done) ended_early(transfer.sender);
    for (const auto& [slot, line] : served) {
      if (slot == transfer.path.to &&
          is_about(line, host_.address(transfer.path.from), transfer.said)) {
        transfer.served.push_back(line);
      }
    }
  }
}

}  // namespace pacbench::links
