// A worker that trains nothing. It speaks the event protocol and, when its method says so, fails in
// one of the ways in which real workers fail. The runner's tests start it in place of
// pacbench-worker.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <numeric>
#include <thread>

#include "base/clock.h"
#include "base/files.h"
#include "contract/worker/worker_event.h"
#include "contract/worker/worker_spec.h"

namespace {

using namespace pacbench;

void tell(const Json& event) { std::cout << event.dump() << std::endl; }

void misbehave(const std::string& fault, int rank, std::int64_t iteration) {
  if (fault == "crash") {
    ::signal(SIGSEGV, SIG_DFL);  // a sanitizer would end this process in a way of its own
    ::raise(SIGSEGV);
  }
  if (fault == "exit") {
    std::cerr << "cannot go on\n";
    ::_exit(3);
  }
  if (fault == "stop") ::raise(SIGSTOP);
  if (fault == "stuck") {
    // The other ranks of this process keep reporting that they wait for this one.
    for (;; std::this_thread::sleep_for(std::chrono::milliseconds{100}))
      tell(to_json(AliveEvent{0}));
  }
  if (fault == "orphan" && ::fork() == 0) {
    // This child outlives its parent, and keeps its parent's outputs open.
    std::this_thread::sleep_for(std::chrono::seconds{20});
    ::_exit(0);
  }
  if (fault == "environment") {
    for (const char* name : {"NCCL_SOCKET_IFNAME", "NCCL_HOSTID"}) {
      const char* value = std::getenv(name);
      std::cerr << name << " is " << (value == nullptr ? "not set" : value) << '\n';
    }
    ::_exit(3);
  }
  if (fault == "bytes") std::cout << "no text: \xff\xfe" << std::endl;
  if (fault == "torn") {
    // Should a line be torn, the failure that a rank reports beside it is the cause of the end.
    const auto failed = to_json(FailedEvent{rank, iteration, "the disk is full"});
    std::cout << "{\"event\": \"iter\n" + failed.dump() + "\n" << std::flush;
    ::_exit(1);
  }
  if (fault == "nan") {
    tell(to_json(FailedEvent{rank, iteration, "the loss is nan"}));
    ::_exit(1);
  }
}

double accuracy_at(std::int64_t iteration) { return 1.0 - 0.5 / static_cast<double>(iteration); }

class FakeTraining {
 public:
  /// run() will write the events of `ranks`, in each iteration one rank after the other.
  FakeTraining(WorkerSpec spec, std::vector<int> ranks)
      : spec_{std::move(spec)}, ranks_{std::move(ranks)} {
    if (!spec_.resume_state.empty()) {
      const auto state = read_json_file(spec_.resume_state);
      start_ = state.at("iteration");
      clock_s_ = state.at("clock_s");
    }
  }

  void run() {
    for (const int rank : ranks_) {
      tell(to_json(ReadyEvent{rank, 10, {10}, 1, false, 0.01, 4, 1 << 20, start_}));
    }
    const auto last = spec_.compose ? spec_.compose->iterations : spec_.workload.max_iterations;
    for (auto i = start_ + 1; i <= last; ++i) iterate(i);
    for (const int rank : ranks_) {
      tell(to_json(DoneEvent{rank, last, clock_s_, 0, {}, 1, 1 << 21}));
    }
  }

 private:
  void iterate(std::int64_t i) {
    const auto& options = spec_.method.options;
    const auto begin_ns = monotonic_ns();
    std::this_thread::sleep_for(std::chrono::milliseconds{options.at("step_ms")});
    const auto end_ns = monotonic_ns();
    clock_s_ += seconds(end_ns - begin_ns);
    for (const int rank : ranks_) {
      if (options.at("fault_rank") == rank && options.at("fault_iteration") == i) {
        misbehave(options.at("fault"), rank, i);
      }
      IterationEvent event;
      event.rank = rank;
      event.iteration = i;
      event.step = {begin_ns, end_ns};
      event.training_s = clock_s_;
      event.loss = static_cast<double>(rank + 1) / static_cast<double>(i);
      event.expected_sent_bytes = 1448;
      if (spec_.role != "learn") event.traffic.sent_bytes = 1514;
      tell(to_json(event));
    }
    if (ranks_.front() != 0 || spec_.compose) return;
    if (i % spec_.workload.evaluate_every == 0) {
      tell(to_json(EvaluationEvent{i, clock_s_, accuracy_at(i), 0.1}));
    }
    if (spec_.quality_every > 0 && i % spec_.quality_every == 0) {
      tell(to_json(QualityEvent{i, 0.25 / static_cast<double>(i), 0.5, 1, 0.25, 2.0, {}}));
    }
    if (spec_.state_every > 0 && i % spec_.state_every == 0) save(i);
  }

  void save(std::int64_t iteration) {
    const auto file = [&](std::int64_t i) {
      return fmt::format("{}/state-{}.pt", spec_.state_folder, i);
    };
    write_file_atomically(file(iteration),
                          Json{{"iteration", iteration}, {"clock_s", clock_s_}}.dump());
    ::unlink(file(iteration - 2 * spec_.state_every).c_str());
  }

  WorkerSpec spec_;
  std::vector<int> ranks_;
  std::int64_t start_ = 0;
  double clock_s_ = 0;
};

/// Profiles a made-up model with one bucket of ten numbers.
void pretend_to_profile(const WorkerSpec& spec) {
  write_file_atomically(spec.checkpoint, "sample");
  auto profiled = Json::parse(R"({"event": "profiled", "counts": [1], "flop_per_sample": 1,
    "buckets": [{"parameters": ["w"], "elements": 10, "bytes": 40}],
    "iterations": [{"forward_ms": 1, "ready_ms": [1], "optimizer_ms": 1}]})");
  profiled["iterations"][0]["worker"] = spec.rank;
  tell(profiled);
}

std::vector<int> ranks_of(const WorkerSpec& spec) {
  if (spec.role != "learn") return {spec.rank};
  std::vector<int> all(static_cast<std::size_t>(spec.workers));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace

/// With --devices, the fake worker prints FAKE_DEVICES, which the test sets.
int main(int argc, char**) {
  if (argc == 2) {
    std::cout << std::getenv("FAKE_DEVICES") << std::endl;
    return 0;
  }
  const std::string text{std::istreambuf_iterator<char>{std::cin}, {}};
  const auto spec = worker_spec_from_json(Json::parse(text));
  if (spec.role == "pretrain") {
    if (spec.method.options.at("fault") == "stop") ::raise(SIGSTOP);
    write_file_atomically(spec.checkpoint, "weights made on " + spec.device);
    tell({{"event", "pretrained"}, {"seconds", 1.5}, {"accuracy", 0.5}});
  } else if (spec.role == "profile") {
    pretend_to_profile(spec);
  } else {
    FakeTraining{spec, ranks_of(spec)}.run();
  }
}
