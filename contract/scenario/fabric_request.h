#pragma once

#include <string>
#include <vector>

#include "contract/fabric/netd_protocol.h"
#include "contract/scenario/scenario.h"

namespace pacbench {

/// The share of a declared rate to which a link is shaped. With rate accounting "wire" the declared
/// rate counts each frame's preamble, checksum and gap too (24 bytes, IEEE 802.3). The kernel does
/// not count these bytes, so the shaped rate is lower by their share of a full frame.
double shaped_share(const Network& network);

/// The fabric that a cell over `link` needs. Workers are attached to the switches in the order of
/// their ranks, so that a ring in that order crosses each link between switches once each way.
///   star    switch 0
///   chain3  switches 0 - 1 - 2; trunk 0 from 0 to 1, trunk 1 from 1 to 2
///   groups  switch 0 is the core, switch 1 + i that of site i; trunk i from the site to the core
netd::CreateRequest fabric_request(const Scenario& scenario, const LinkProfile& link);

/// The request to the daemon for that fabric: at the scenario's time dilation.
netd::CreateRequest daemon_request(const Scenario& scenario, const LinkProfile& link);

/// Names of the directions that have the profile's rate. A schedule changes the rate of these.
/// Directions to which an override gives a rate are not among them.
std::vector<std::string> profiled_directions(const Scenario& scenario, const LinkProfile& link);

/// The request to the daemon for a link's schedule, which the link must have. Its times count from
/// the start of training.
netd::ScheduleRequest schedule_request(const Scenario& scenario, const LinkProfile& link);

/// The number of flows over a direction when each worker sends to the next one, and the last to the
/// first.
int ring_flows_over(const netd::CreateRequest& request, const std::string& direction);

/// The issues for which the daemon would refuse the fabrics of a scenario, such as a queue too
/// short for its flows, or a burst that the kernel cannot express. Lists at most one for each link
/// profile, to which the issue points. Skips links whose rates are still to be measured.
std::vector<Issue> fabric_issues(const Scenario& scenario);

}  // namespace pacbench
