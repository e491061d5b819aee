#include "harness/run/lone_workers.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <memory>

#include "base/clock.h"
#include "base/subprocess.h"
#include "harness/machine/process.h"
#include "harness/machine/process_channel.h"
#include "harness/machine/python.h"

namespace pacbench::run {
namespace {

constexpr int kTickMs = 500;

[[noreturn]] void failed(const LoneWork& work, const std::string& why) {
  throw CommandFailed{fmt::format("the {} failed: {}", work.name, why)};
}

class LoneWorker {
 public:
  LoneWorker(const WorkerSpec& spec, const LoneWork& work, const Programs& programs)
      : work_{work},
        timeout_s_{spec.timeout_s},
        channel_{to_json(spec).dump()},
        child_{start_process(worker_command(programs, spec), minimal_environment(),
                             channel_.program_ends())} {
    channel_.started();
  }

  bool closed() const { return channel_.closed(); }
  void add_to(std::vector<pollfd>& polls) const { channel_.add_to(polls); }

  void listen() {
    check_moving();
    for (const auto& line : channel_.exchange()) {
      const auto event = parse_json_line(line);
      if (!event.is_object())
        failed(work_, "the worker wrote a line that is not an event: " + line);
      const auto kind = event.value("event", "");
      if (kind == "failed") errors_ += event.value("message", "") + "\n";
      if (kind == work_.event) last_ = event;
    }
    errors_ += channel_.take_errors();
  }

  Json end() {
    const auto status = child_.wait();
    if (!status.ok()) {
      failed(work_, fmt::format("the worker ended with {}{}: {}", status.describe(),
                                oom_.words(status), last_lines(errors_, 5)));
    }
    if (last_.is_null()) {
      failed(work_, fmt::format("the worker ended without an event \"{}\"", work_.event));
    }
    return last_;
  }

 private:
  /// Fails when the worker stays stopped for timeout_s; its working time has no limit.
  void check_moving() {
    if (!is_stopped(child_.pid(), child_.pid())) moved_ns_ = monotonic_ns();
    if (seconds(monotonic_ns() - moved_ns_) <= timeout_s_) return;
    failed(work_,
           fmt::format("its worker has been stopped (SIGSTOP) for {:g} s (timeout_s)", timeout_s_));
  }

  const LoneWork& work_;
  double timeout_s_;
  OomWatch oom_;
  ProcessChannel channel_;
  ChildProcess child_;
  std::int64_t moved_ns_ = monotonic_ns();
  std::string errors_;
  Json last_;
};

}  // namespace

std::vector<Json> run_alone(const std::vector<WorkerSpec>& specs, const LoneWork& work,
                            const Programs& programs, const Interrupt& interrupt) {
  std::vector<std::unique_ptr<LoneWorker>> workers;
  for (const auto& spec : specs) {
    workers.push_back(std::make_unique<LoneWorker>(spec, work, programs));
  }
  const auto ended = [](const auto& worker) { return worker->closed(); };
  while (!std::all_of(workers.begin(), workers.end(), ended)) {
    std::vector<pollfd> polls{{interrupt.fd(), POLLIN, 0}};
    for (const auto& worker : workers) worker->add_to(polls);
    ::poll(polls.data(), polls.size(), kTickMs);
    interrupt.throw_if_requested(work.name);
    for (auto& worker : workers) {
      if (!worker->closed()) worker->listen();
    }
  }
  std::vector<Json> events;
  for (auto& worker : workers) events.push_back(worker->end());
  return events;
}

}  // namespace pacbench::run
