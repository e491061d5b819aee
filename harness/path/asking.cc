#include "harness/path/asking.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/clock.h"
#include "harness/machine/process.h"

namespace pacbench::path {
namespace {

constexpr int kTickMs = 100;

[[noreturn]] void ended_early(const Peer& peer, const links::ProbeProgram& program) {
  const auto said = last_lines(program.errors(), 3);
  throw ProtocolError{fmt::format(
      "the traffic with {} ended early: {}\n`pacbench link serve --port {}` must run there, and "
      "firewalls must let TCP and UDP port {} in",
      peer.host, said.empty() ? "pacbench-probe does not say why" : said, peer.port, peer.port)};
}

bool is_done(const std::vector<Json>& lines) {
  return !lines.empty() && lines.back().value("event", "") == "done";
}

}  // namespace

Asking::Asked Asking::start(const Request& request) {
  std::vector<std::string> all{"ask", peer_.address, "--port", fmt::format("{}", peer_.port),
                               "--await-go"};
  const auto more = words(request);
  all.insert(all.end(), more.begin(), more.end());
  return {links::ProbeProgram{host_, 0, program_, all}, {}};
}

void Asking::take_lines(std::vector<Asked>& all) const {
  for (auto& asked : all) {
    const auto lines = asked.program.exchange();
    asked.lines.insert(asked.lines.end(), lines.begin(), lines.end());
    if (asked.program.closed() && !is_done(asked.lines)) ended_early(peer_, asked.program);
  }
}

std::vector<std::vector<Json>> Asking::ask(const std::vector<Request>& requests, double timeout_s) {
  std::vector<Asked> all;
  for (const auto& request : requests) all.push_back(start(request));
  const auto deadline_ns = monotonic_ns() + static_cast<std::int64_t>(timeout_s * 1e9);
  bool went = false;
  while (monotonic_ns() < deadline_ns && !std::all_of(all.begin(), all.end(), [](const auto& each) {
           return is_done(each.lines);
         })) {
    interrupt_.throw_if_requested("measurement of the path");
    std::vector<pollfd> polls{{interrupt_.fd(), POLLIN, 0}};
    for (const auto& asked : all) asked.program.add_to(polls);
    ::poll(polls.data(), polls.size(), kTickMs);
    host_.take_exited();
    take_lines(all);
    const bool connected =
        std::none_of(all.begin(), all.end(), [](const auto& each) { return each.lines.empty(); });
    if (!connected || went) continue;
    for (auto& asked : all) asked.program.say("go\n");
    went = true;
  }
  std::vector<std::vector<Json>> lines;
  for (auto& asked : all) lines.push_back(std::move(asked.lines));
  return lines;
}

}  // namespace pacbench::path
