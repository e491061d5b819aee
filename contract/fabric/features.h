#pragma once

#include <fmt/format.h>

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
inline std::string cure(const std::string& feature) {
  constexpr const char* kPackages =
      "As root, outside any container: modprobe -a veth bridge sch_htb sch_netem ifb sch_ingress "
      "cls_u32 act_mirred. If a module is not found, install more modules (Ubuntu: "
      "linux-modules-extra-$(uname -r); RHEL and Fedora: kernel-modules-extra), and boot the "
      "kernel that they belong to. Debian's kernels have all of these modules, also "
      "linux-image-cloud-amd64; the kernel of WSL2 lacks some.";
  if (feature == feature::kNamespaces) {
    return "Run it as root, or allow user namespaces: as root, sysctl -w "
           "user.max_user_namespaces=10000, and on Ubuntu since 23.10 also sysctl -w "
           "kernel.apparmor_restrict_unprivileged_userns=0.";
  }
  if (feature == feature::kNetem || feature == feature::kIfb || feature == feature::kMirred) {
    return fmt::format(
        "{} Or remove delay, jitter, loss and reordering from the network, or run under a second "
        "kernel that has this feature: tools/kernel-run.",
        kPackages);
  }
  if (feature == feature::kSteering) {
    return "Run it as root, or under Linux 6.3 or later, where a namespace's owner may set "
           "net.core.rps_default_mask.";
  }
  if (feature == "cubic" || feature == "reno" || feature == "bbr") {
    return fmt::format("As root: modprobe tcp_{}; or name another congestion_control.", feature);
  }
  return kPackages;
}

}  // namespace pacbench::netd
