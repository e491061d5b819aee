#include "harness/launch/hub_process.h"

#include <fmt/format.h>
#include <poll.h>

#include "base/clock.h"
#include "base/start_process.h"
#include "harness/machine/process.h"

namespace pacbench::launch {
namespace {

constexpr double kStart_s = 20;
constexpr int kStartTickMs = 50;
constexpr int kEndMs = 12'000;  // the hub gives its command for the end 10 s

std::vector<std::string> environment_with(const std::string& token) {
  auto environment = minimal_environment();
  // The commands that the hub runs for us may need Slurm's own variables, too.
  for (char** entry = ::environ; *entry != nullptr; ++entry) {
    if (std::string_view{*entry}.starts_with("SLURM_")) environment.emplace_back(*entry);
  }
  environment.push_back("PACBENCH_CLUSTER_TOKEN=" + token);
  return environment;
}

std::vector<std::string> hub_words(const std::string& program, const std::string& socket, int nodes,
                                   const std::string& bind, bool share_hosts) {
  std::vector<std::string> words{
      program, "hub", "--socket", socket, "--nodes", std::to_string(nodes), "--bind", bind};
  if (share_hosts) words.emplace_back("--share-hosts");
  return words;
}

std::string node_words(const Json& event) {
  return fmt::format("node {} (rank {})", event.at("host").get<std::string>(),
                     event.at("rank").get<int>());
}

std::string refusal_words(const Json& event) {
  return fmt::format("{} was refused: {}", node_words(event),
                     event.at("reason").get<std::string>());
}

}  // namespace

HubProcess::HubProcess(const std::string& program, int nodes, const std::string& bind,
                       const std::string& token, bool share_hosts)
    : folder_{"pacbench-cluster"},
      socket_{folder_.path() + "/hub.sock"},
      channel_{"", ProcessChannel::Input::kHeldOpen},
      process_{start_process(hub_words(program, socket_, nodes, bind, share_hosts),
                             environment_with(token), channel_.program_ends())} {
  channel_.started();
  const auto until_ns = monotonic_ns() + static_cast<std::int64_t>(kStart_s * 1e9);
  while (port_ == 0 && monotonic_ns() < until_ns) {
    std::vector<pollfd> polls;
    channel_.add_to(polls);
    ::poll(polls.data(), polls.size(), kStartTickMs);
    listen();
  }
  if (port_ == 0) {
    throw ProtocolError{
        fmt::format("`{} hub` has not reported its port within {:g} s", program, kStart_s)};
  }
}

HubProcess::~HubProcess() {
  channel_.end_input();
  pollfd ended{process_.pidfd(), POLLIN, 0};
  ::poll(&ended, 1, kEndMs);
}

const std::set<int>& HubProcess::joined() {
  listen();
  return joined_;
}

void HubProcess::run_at_end(const std::vector<std::string>& words) { tell("at_end", words); }

void HubProcess::explain_by(const std::vector<std::string>& words) { tell("explain", words); }

void HubProcess::tell(const char* key, const std::vector<std::string>& words) {
  channel_.say(Json{{key, words}}.dump() + '\n');
}

void HubProcess::listen() {
  for (const auto& line : channel_.exchange()) {
    const auto event = parse_json("pacbench-cluster hub", line);
    const auto kind = event.at("event").get<std::string>();
    if (kind == "listening") port_ = event.at("port");
    if (kind == "joined") joined_.insert(event.at("rank").get<int>());
    if (kind == "refused") refusals_.push_back(refusal_words(event));
    if (kind == "lost") {
      throw ProtocolError{node_words(event) + ' ' + event.at("reason").get<std::string>()};
    }
  }
  errors_ += channel_.take_errors();
  if (channel_.closed()) {
    throw ProtocolError{"pacbench-cluster hub has ended: " + last_lines(errors_, 3)};
  }
}

}  // namespace pacbench::launch
