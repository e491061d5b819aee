#pragma once

#include <string>
#include <vector>

#include "contract/fabric/netd_protocol.h"
#include "contract/scenario/scenario.h"

namespace pacbench {

/// The share of a declared rate that a link is shaped to. With rate accounting "wire" the declared
/// rate holds for frames with preamble, checksum and gap (24 bytes, IEEE 802.3). The kernel does
/// not count these bytes, so that the shaped rate is lower by their share of a full frame.
double shaped_share(const Network& network);

/// The fabric that a cell over `link` needs. Workers stand on the switches in the order of their
/// ranks, so that a ring in that order crosses each link between switches once each way.
///   star    switch 0
///   chain3  switches 0 - 1 - 2; trunk 0 from 0 to 1, trunk 1 from 1 to 2
///   groups  switch 0 is the core, switch 1 + i that of site i; trunk i from the site to the core
netd::CreateRequest fabric_request(const Scenario& scenario, const LinkProfile& link);

/// Names of the directions that the profile's rate holds for, which a schedule moves: those that
/// no override gives a rate of their own.
std::vector<std::string> profiled_directions(const Scenario& scenario, const LinkProfile& link);

/// The request to the daemon for a link's schedule, which the link must have. Its times count from
/// the start of training.
netd::ScheduleRequest schedule_request(const Scenario& scenario, const LinkProfile& link);

/// Flows over a direction when each worker sends to the next, the last one to the first.
int ring_flows_over(const netd::CreateRequest& request, const std::string& direction);

/// The issues for which the daemon would refuse the fabrics of a scenario: queues too short for
/// their flows, rates whose bursts the kernel cannot express. Each points to the link profile and
/// shows the arithmetic.
std::vector<Issue> fabric_issues(const Scenario& scenario);

}  // namespace pacbench
