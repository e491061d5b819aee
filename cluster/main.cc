#include <fmt/format.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cluster/hub.h"
#include "cluster/node.h"

namespace {

using namespace pacbench::cluster;

constexpr const char* kUsage =
    R"(usage: pacbench-cluster node HOST:PORT [--rank N] [--interface NAME]
       pacbench-cluster hub --socket PATH --nodes N [--bind ADDRESS] [--port PORT] [--sharing hosts]

node  Serves one rank on its host: joins the hub of a run and starts that rank's programs. The rank
      comes from --rank, or else from the launcher (SLURM_PROCID or RANK). Exchanges cross
      --interface (or PACBENCH_INTERFACE), or else the interface that leads to the hub.
hub   Connects the nodes of a run. pacbench run --on slurm, or --on torchrun, starts it. With
      "--sharing hosts" several nodes may be on one host.

Both need PACBENCH_CLUSTER_TOKEN, the secret of the run.
)";

constexpr int kMostNodes = 128;  // as netd::CreateRequest::kMaxWorkers

/// The options by name; a word without an option has the name "". Nothing when the words are not
/// well formed.
std::optional<std::map<std::string, std::string>> options_of(
    const std::vector<std::string>& words) {
  std::map<std::string, std::string> options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!words[i].starts_with("--")) {
      if (!options.emplace("", words[i]).second) return std::nullopt;
    } else if (++i == words.size() || !options.emplace(words[i - 1], words[i]).second) {
      return std::nullopt;
    }
  }
  return options;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// The option's value, or that of the first variable that is set. Throws std::runtime_error when
/// there is neither.
std::string required(const std::map<std::string, std::string>& options, const std::string& name,
                     const std::vector<const char*>& variables = {}) {
  if (const auto found = options.find(name); found != options.end()) return found->second;
  for (const auto* candidate : variables) {
    if (auto value = variable(candidate); !value.empty()) return value;
  }
  throw std::runtime_error{fmt::format("{} is missing; see pacbench-cluster --help", name)};
}

int number(const std::string& name, const std::string& text, int least, int most) {
  try {
    std::size_t end = 0;
    const int value = std::stoi(text, &end);
    if (end == text.size() && value >= least && value <= most) return value;
  } catch (const std::exception&) {
  }
  throw std::runtime_error{fmt::format("{}: found \"{}\", expected a whole number in [{}, {}]",
                                       name, text, least, most)};
}

std::string token() {
  const auto value = variable(kTokenVariable);
  if (value.empty()) {
    throw std::runtime_error{fmt::format(
        "{} is not set; pacbench sets it for the nodes that it starts, and prints it for torchrun",
        kTokenVariable)};
  }
  return value;
}

void run_node(const std::map<std::string, std::string>& options) {
  const auto hub = options.contains("") ? options.at("") : "";
  const auto colon = hub.rfind(':');
  if (colon == std::string::npos) {
    throw std::runtime_error{fmt::format("found \"{}\", expected HOST:PORT of the hub", hub)};
  }
  NodeOptions node;
  node.hub = hub.substr(0, colon);
  node.port = hub.substr(colon + 1);
  node.rank =
      number("--rank", required(options, "--rank", {"SLURM_PROCID", "RANK"}), 0, kMostNodes - 1);
  node.token = token();
  const auto interface = options.find("--interface");
  node.interface = interface != options.end() ? interface->second : variable("PACBENCH_INTERFACE");
  Node{node}.run();
}

void run_hub(const std::map<std::string, std::string>& options) {
  HubOptions hub;
  hub.socket = required(options, "--socket");
  hub.nodes = number("--nodes", required(options, "--nodes"), 1, kMostNodes);
  if (options.contains("--bind")) hub.bind = options.at("--bind");
  if (options.contains("--port")) {
    hub.port = static_cast<std::uint16_t>(number("--port", options.at("--port"), 0, 65535));
  }
  hub.share_hosts = options.contains("--sharing");
  hub.token = token();
  Hub{hub}.run();
}

/// Runs the command; returns false where the words are no command.
bool run(const std::vector<std::string>& words) {
  const auto command = words.empty() ? "" : words.front();
  // A node starts this in the namespace of the links that it has made.
  if (command == "inside" && words.size() == 2) {
    run_inside(words[1]);
    return true;
  }
  if (command != "node" && command != "hub") return false;
  const auto options = options_of({words.begin() + 1, words.end()});
  if (!options) return false;
  command == "node" ? run_node(*options) : run_hub(*options);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  // A write to a peer that has gone must not end this program: reading notices that the peer has
  // gone.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    if (run({argv + 1, argv + argc})) return 0;
    fmt::print(stderr, "{}", kUsage);
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "pacbench-cluster {}: {}\n", argv[1], error.what());
    return 1;
  }
}
