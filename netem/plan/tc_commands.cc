#include "netem/plan/tc_commands.h"

#include <fmt/format.h>

namespace pacbench::netem {
namespace {

/// A share as tc wants it, to the precision that the kernel keeps.
std::string percent(double share) { return fmt::format("{:.10g}%", 100 * share); }

std::string netem_options(const NetemShape& netem) {
  const auto& impairment = netem.impairment;
  auto options = fmt::format("limit {}", netem.limit_packets);
  if (impairment.delay_ms > 0) options += fmt::format(" delay {:.10g}ms", impairment.delay_ms);
  if (impairment.jitter_ms > 0) options += fmt::format(" {:.10g}ms", impairment.jitter_ms);
  if (impairment.loss > 0) options += " loss " + percent(impairment.loss);
  if (impairment.reorder > 0) options += " reorder " + percent(impairment.reorder);
  return options;
}

}  // namespace

std::vector<std::string> shaping_lines(const std::string& device, const LinkShape& shape) {
  return {fmt::format("qdisc add dev {} root handle 1: htb default 1", device),
          fmt::format("class add dev {} parent 1: classid 1:1 htb rate {}bit ceil {}bit burst {}b "
                      "cburst {}b quantum {}",
                      device, 8 * shape.rate_bytes_per_s, 8 * shape.rate_bytes_per_s,
                      shape.burst_bytes, shape.ceil_burst_bytes, shape.quantum_bytes),
          fmt::format("qdisc add dev {} parent 1:1 handle 10: bfifo limit {}b", device,
                      shape.queue_bytes)};
}

std::vector<std::string> redirect_lines(const std::string& device, const std::string& to) {
  return {fmt::format("qdisc add dev {} handle ffff: ingress", device),
          fmt::format("filter add dev {} parent ffff: protocol all prio 1 u32 match u32 0 0 action "
                      "mirred egress redirect dev {}",
                      device, to)};
}

std::vector<std::string> netem_lines(const std::string& device, const std::string& ifb,
                                     const NetemShape& netem) {
  auto lines = redirect_lines(device, ifb);
  lines.insert(lines.begin(),
               fmt::format("qdisc add dev {} root handle 1: netem {}", ifb, netem_options(netem)));
  return lines;
}

}  // namespace pacbench::netem
