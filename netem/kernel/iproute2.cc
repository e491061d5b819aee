#include "netem/kernel/iproute2.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <system_error>

#include "base/errors.h"
#include "base/subprocess.h"
#include "contract/fabric/features.h"
#include "netem/kernel/net_namespace.h"
#include "netem/kernel/packet_steering.h"

namespace pacbench::netem {
namespace {

namespace feature = netd::feature;

// ip and tc end their message about a failed batch with these words and the number of the line.
constexpr std::string_view kMark = "Command failed -:";

std::string failed_line(const Batch& batch, const std::string& words) {
  const auto at = words.rfind(kMark);
  if (at == std::string::npos) return batch.program;
  const auto number = std::strtoul(words.c_str() + at + kMark.size(), nullptr, 10);
  if (number == 0 || number > batch.lines.size()) return batch.program;
  return batch.program + " " + batch.lines[number - 1];
}

/// The reason that the program itself gives for its failure, on one line.
std::string reason(const std::string& words) {
  auto text = words.substr(0, words.rfind(kMark));
  text.erase(text.find_last_not_of(".\n") + 1);
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

Output run_program(const Batch& batch) {
  const auto input = fmt::format("{}\n", fmt::join(batch.lines, "\n"));
  // An ordinary user's PATH leaves out the folders of system programs.
  for (const char* folder : {"", "/usr/sbin/", "/sbin/"}) {
    try {
      return run_command({folder + batch.program, "-batch", "-"}, input);
    } catch (const std::system_error& error) {
      if (error.code().value() != ENOENT) throw;
    }
  }
  throw std::runtime_error{fmt::format(
      "the program `{}` is neither on PATH nor in /usr/sbin; links are shaped with it. Install the "
      "Debian package iproute2 (apt-get install iproute2), which holds both ip and tc",
      batch.program)};
}

/// A feature, and what fails where the kernel lacks it: one of the commands, or `more` after them.
/// kNamespaces has neither: without namespaces the trial's own cannot be made.
struct Trial {
  std::string name;
  std::vector<Batch> batches;
  std::function<void()> more = [] {};
};

Trial device(const char* name, const char* type) {
  return {name, {{Batch::kSwitch, "ip", {fmt::format("link add dev0 type {}", type)}}}};
}

Trial qdisc(const char* name, const char* kind) {
  return {name, {{Batch::kSwitch, "tc", {fmt::format("qdisc add dev lo root {}", kind)}}}};
}

Trial congestion_control(const char* name) {
  return {name,
          {{Batch::kSwitch,
            "ip",
            {"link set dev lo up",
             fmt::format("route add 10.77.0.0/16 dev lo congctl lock {}", name)}}}};
}

/// Turns on packet steering in the way that a fabric does in its namespaces.
void steer() {
  const auto cpus = steering_cpus();
  if (!steer_devices_to_come(cpus)) steer_devices(cpus);
}

std::vector<Trial> trials() {
  return {{feature::kNamespaces, {}},
          device(feature::kVeth, "veth peer name dev1"),
          device(feature::kBridge, "bridge stp_state 0 forward_delay 0 mcast_snooping 0"),
          qdisc(feature::kHtb, "handle 1: htb default 1"),
          qdisc(feature::kBfifo, "bfifo limit 262144b"),
          {feature::kSteering, {}, steer},
          device(feature::kIfb, "ifb"),
          {feature::kMirred,
           {{Batch::kSwitch,
             "tc",
             {"qdisc add dev lo handle ffff: ingress",
              "filter add dev lo parent ffff: protocol all prio 1 u32 match u32 0 0 action mirred "
              "egress redirect dev lo"}}}},
          qdisc(feature::kNetem, "netem delay 1ms"),
          congestion_control("cubic"),
          congestion_control("reno"),
          congestion_control("bbr")};
}

netd::Feature outcome(const Trial& trial) {
  try {
    const auto inside = NetNamespace::create().enter();
    for (const auto& batch : trial.batches) run_batch(batch, "a namespace made for this trial");
    trial.more();
    return {trial.name, true, {}};
  } catch (const std::exception& error) {
    return {trial.name, false, error.what()};
  }
}

}  // namespace

void run_batch(const Batch& batch, const std::string& where) {
  const auto output = run_program(batch);
  if (output.status.ok()) return;
  throw CommandFailed{fmt::format("`{}` in {} ended with {}: {}", failed_line(batch, output.err),
                                  where, output.status.describe(), reason(output.err))};
}

std::vector<netd::Feature> try_features(const std::string& refusal) {
  std::vector<netd::Feature> features;
  for (const auto& trial : trials()) {
    features.push_back(refusal.empty() ? outcome(trial)
                                       : netd::Feature{trial.name, false, refusal});
  }
  return features;
}

void require_features(const std::vector<std::string>& names) {
  for (const auto& trial : trials()) {
    if (std::find(names.begin(), names.end(), trial.name) == names.end()) continue;
    const auto tried = outcome(trial);
    if (tried.ok) continue;
    throw std::runtime_error{fmt::format("the links need {}, which does not work here: {}\n{}",
                                         tried.name, tried.reason, netd::cure(tried.name))};
  }
}

}  // namespace pacbench::netem
