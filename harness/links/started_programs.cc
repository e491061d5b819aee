#include "harness/links/started_programs.h"

#include "base/readable.h"
#include "base/start_process.h"

namespace pacbench::links {

netd::SpawnedReply StartedPrograms::start(const netd::SpawnRequest& request,
                                          const std::vector<int>& fds) {
  programs_.push_back(
      {started_++, request.slot, start_process(request.argv, request.environment, fds)});
  return {programs_.back().process, programs_.back().child.pid()};
}

std::vector<netd::ExitedEvent> StartedPrograms::take_exited() {
  std::vector<netd::ExitedEvent> events;
  std::erase_if(programs_, [&](Program& program) {
    if (!readable(program.child.pidfd(), 0)) return false;
    const auto status = program.child.wait();
    events.push_back({program.process, program.slot, status.code, status.signal});
    return true;
  });
  return events;
}

void StartedPrograms::signal(int process, int number) const {
  for (const auto& program : programs_) {
    if (program.process == process) program.child.signal(number);
  }
}

}  // namespace pacbench::links
