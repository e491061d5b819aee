#pragma once

#include <string>

namespace pacbench::netd {

/// Features that `features` of contract/fabric/netd_protocol.h tells of, beside congestion
/// controls, which have the kernel's names ("cubic", "reno", "bbr").
namespace feature {
inline constexpr const char* kNamespaces = "namespaces";
inline constexpr const char* kVeth = "veth";
inline constexpr const char* kBridge = "bridge";
inline constexpr const char* kHtb = "htb";
inline constexpr const char* kBfifo = "bfifo";
inline constexpr const char* kSteering = "steering";  ///< of packets: a flow's keep their order
inline constexpr const char* kIfb = "ifb";        ///< delay, jitter, loss and reordering need it,
inline constexpr const char* kMirred = "mirred";  ///< this (with cls_u32 and an ingress qdisc)
inline constexpr const char* kNetem = "netem";    ///< and this
}  // namespace feature

/// Advice to a person whose machine lacks a feature.
std::string cure(const std::string& feature);

}  // namespace pacbench::netd
