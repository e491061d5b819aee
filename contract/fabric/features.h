#pragma once

#include <string>

namespace pacbench::netd {

/// The features that the daemon's message `features` reports (contract/fabric/netd_protocol.h). It
/// also reports congestion controls, under the kernel's names ("cubic", "reno", "bbr").
namespace feature {
inline constexpr const char* kNamespaces = "namespaces";
inline constexpr const char* kVeth = "veth";
inline constexpr const char* kBridge = "bridge";
inline constexpr const char* kHtb = "htb";
inline constexpr const char* kBfifo = "bfifo";
inline constexpr const char* kSteering = "steering";  ///< one CPU receives all packets of a flow
inline constexpr const char* kIfb = "ifb";            ///< for delay, jitter, loss and reordering
/// For what kIfb is for, and for links that lead to the host's interfaces. The feature includes
/// cls_u32 and an ingress qdisc.
inline constexpr const char* kMirred = "mirred";
inline constexpr const char* kNetem = "netem";  ///< for delay, jitter, loss and reordering
}  // namespace feature

/// Advice to a person whose machine lacks a feature.
std::string cure(const std::string& feature);

}  // namespace pacbench::netd
