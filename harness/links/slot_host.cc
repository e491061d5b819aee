#include "harness/links/slot_host.h"

#include <unistd.h>

#include "base/readable.h"

namespace pacbench::links {

int ThisHost::pid() const { return ::getpid(); }

netd::SpawnedReply ThisHost::spawn(const netd::SpawnRequest& request, const std::vector<int>& fds) {
  programs_.push_back(
      {started_++, request.slot, start_process(request.argv, request.environment, fds)});
  return {programs_.back().process, programs_.back().child.pid()};
}

std::vector<netd::ExitedEvent> ThisHost::take_exited() {
  std::vector<netd::ExitedEvent> events;
  std::erase_if(programs_, [&](Program& program) {
    if (!readable(program.child.pidfd(), 0)) return false;
    const auto status = program.child.wait();
    events.push_back({program.process, program.slot, status.code, status.signal});
    return true;
  });
  return events;
}

void ThisHost::signal(int process, int number) {
  for (const auto& program : programs_) {
    if (program.process == process) program.child.signal(number);
  }
}

}  // namespace pacbench::links
