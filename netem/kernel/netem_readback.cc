#include "netem/kernel/netem_readback.h"

#include <linux/pkt_cls.h>
#include <linux/pkt_sched.h>
#include <linux/tc_act/tc_mirred.h>

#include "netem/kernel/netlink_attributes.h"

namespace pacbench::netem {
namespace {

constexpr double kWholeShare = 4294967295;  // what the kernel calls 100 %
constexpr std::uint32_t kIngress = 0xffff'0000;

/// Returns a time from nanoseconds where the kernel sends them, else from ticks.
double time_ms(const nlattr* nanoseconds, std::uint32_t ticks) {
  const auto exact = value_of<std::int64_t>(nanoseconds);
  return 1e3 * (exact ? static_cast<double>(*exact) * 1e-9 : ticks * netd::kTick_s);
}

/// Whether a filter has a single key, which every packet matches.
bool matches_all(const nlattr* selector) {
  constexpr std::size_t kOneKey = sizeof(tc_u32_sel) + sizeof(tc_u32_key);
  if (selector == nullptr || static_cast<std::size_t>(::nla_len(selector)) < kOneKey) return false;
  const auto* found = static_cast<const tc_u32_sel*>(::nla_data(selector));
  return found->nkeys == 1 && found->keys[0].mask == 0 && found->keys[0].val == 0;
}

/// The index of the device to which a filter's first action redirects; 0 for any other action.
int redirect_of(const nlattr* filter) {
  const auto* action = nested(nested(filter, TCA_U32_ACT), 1);
  const auto* options = nested(action, TCA_ACT_OPTIONS);
  const auto mirred = value_of<tc_mirred>(nested(options, TCA_MIRRED_PARMS));
  if (text(nested(action, TCA_ACT_KIND)) != "mirred" || !mirred) return 0;
  return mirred->eaction == TCA_EGRESS_REDIR ? static_cast<int>(mirred->ifindex) : 0;
}

}  // namespace

NetemShape read_netem(const nlattr* options) {
  const auto netem = value_of<tc_netem_qopt>(options).value_or(tc_netem_qopt{});
  const auto find = [&](int type) { return nested(options, type, sizeof netem); };
  const auto reorder = value_of<tc_netem_reorder>(find(TCA_NETEM_REORDER));
  NetemShape shape;
  shape.impairment.delay_ms = time_ms(find(TCA_NETEM_LATENCY64), netem.latency);
  shape.impairment.jitter_ms = time_ms(find(TCA_NETEM_JITTER64), netem.jitter);
  shape.impairment.loss = netem.loss / kWholeShare;
  shape.impairment.reorder = reorder ? reorder->probability / kWholeShare : 0;
  shape.limit_packets = netem.limit;
  return shape;
}

std::string read_redirect(RouteSocket& socket, int interface_index,
                          const std::map<int, std::string>& names) {
  tcmsg header{};
  header.tcm_ifindex = interface_index;
  header.tcm_parent = kIngress;
  std::string targets;
  each_of(socket, RTM_GETTFILTER, header,
          [&](const tcmsg&, const std::string& kind, const nlattr* options) {
            // u32 also shows its hash tables, which do nothing by themselves.
            if (kind == "u32" && nested(options, TCA_U32_DIVISOR) != nullptr) return;
            if (options == nullptr) return;
            const bool ours = kind == "u32" && matches_all(nested(options, TCA_U32_SEL));
            const auto target = names.find(ours ? redirect_of(options) : 0);
            if (!targets.empty()) targets += ", ";
            targets += target == names.end() ? "something else" : target->second;
          });
  return targets;
}

}  // namespace pacbench::netem
