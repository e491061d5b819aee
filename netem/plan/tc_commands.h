#pragma once

#include <string>
#include <vector>

#include "netem/plan/link_shape.h"
#include "netem/plan/netem_shape.h"

namespace pacbench::netem {

// Lines for `tc -batch`. They add and never replace or change, so the kernel refuses them on a
// device that already has a qdisc of somebody else's.

/// HTB with one class and one leaf, for what a device sends.
std::vector<std::string> shaping_lines(const std::string& device, const LinkShape& shape);

/// Lines that hand all that a device receives to another device, which sends it.
std::vector<std::string> redirect_lines(const std::string& device, const std::string& to);

/// Lines that send what a device receives through netem. The device's ingress is redirected to an
/// ifb device, from which packets come back as if just received. So HTB stays at the sending end,
/// where its queue slows TCP down, and netem delays only packets that HTB has shaped.
std::vector<std::string> netem_lines(const std::string& device, const std::string& ifb,
                                     const NetemShape& netem);

}  // namespace pacbench::netem
