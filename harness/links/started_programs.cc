#include "harness/links/started_programs.h"

#include <poll.h>

#include "base/start_process.h"
#include "harness/machine/process.h"

namespace pacbench::links {
namespace {

bool has_ended(const ChildProcess& child) {
  pollfd ended{child.pidfd(), POLLIN, 0};
  return ::poll(&ended, 1, 0) > 0;
}

}  // namespace

netd::SpawnedReply StartedPrograms::start(const netd::SpawnRequest& request,
                                          const std::vector<int>& fds) {
  programs_.push_back(
      {started_++, request.slot, start_process(request.argv, request.environment, fds)});
  return {programs_.back().process, programs_.back().child.pid()};
}

std::vector<netd::ExitedEvent> StartedPrograms::take_exited() {
  std::vector<netd::ExitedEvent> events;
  std::erase_if(programs_, [&](Program& program) {
    if (!has_ended(program.child)) return false;
    const auto status = program.child.wait();
    events.push_back({program.process, program.slot, status.code, status.signal});
    return true;
  });
  return events;
}

}  // namespace pacbench::links
