// A worker that trains nothing: it speaks the event protocol and, when its method says so, fails
// in one of the ways that real ones do. The tests of the runner start it in pacbench-worker's
// place.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <iostream>
#include <iterator>
#include <thread>

#include "base/clock.h"
#include "base/files.h"
#include "spec/worker_event.h"
#include "spec/worker_spec.h"

namespace {

using namespace pacbench;

void tell(const Json& event) { std::cout << event.dump() << std::endl; }

void misbehave(const std::string& fault, const WorkerSpec& spec, std::int64_t iteration) {
  if (fault == "crash") ::raise(SIGSEGV);
  if (fault == "exit") {
    std::cerr << "cannot go on\n";
    ::_exit(3);
  }
  if (fault == "stop") ::raise(SIGSTOP);
  if (fault == "bytes") std::cout << "no text: \xff\xfe" << std::endl;
  if (fault == "garbage") std::cout << "Segment registers: gs" << std::endl;
  if (fault == "nan") {
    tell(to_json(FailedEvent{spec.rank, iteration, "the loss is nan"}));
    ::_exit(1);
  }
}

double accuracy_at(std::int64_t iteration) { return 1.0 - 0.5 / static_cast<double>(iteration); }

void train(const WorkerSpec& spec) {
  const auto& options = spec.method.options;
  const bool faulty = options.at("fault_rank") == spec.rank;
  tell(to_json(ReadyEvent{spec.rank, 10, {10}, 1, false, 0.01, 1 << 20}));
  const auto begin_ns = monotonic_ns();
  double clock_s = 0;
  for (std::int64_t i = 1; i <= spec.workload.max_iterations; ++i) {
    if (faulty && options.at("fault_iteration") == i) misbehave(options.at("fault"), spec, i);
    IterationEvent event;
    event.rank = spec.rank;
    event.iteration = i;
    event.step.start_ns = monotonic_ns();
    std::this_thread::sleep_for(std::chrono::milliseconds{options.at("step_ms")});
    event.step.end_ns = monotonic_ns();
    clock_s = event.training_s = seconds(event.step.end_ns - begin_ns);
    event.expected_sent_bytes = 1448;
    event.traffic.sent_bytes = 1514;
    tell(to_json(event));
    if (spec.rank == 0 && i % spec.workload.evaluate_every == 0) {
      tell(to_json(EvaluationEvent{i, clock_s, accuracy_at(i), 0.1}));
    }
  }
  tell(to_json(DoneEvent{spec.rank, spec.workload.max_iterations, clock_s, 0, {}, 1, 1 << 21}));
}

}  // namespace

int main() {
  const std::string text{std::istreambuf_iterator<char>{std::cin}, {}};
  const auto spec = worker_spec_from_json(Json::parse(text));
  if (spec.role == "pretrain") {
    write_file_atomically(spec.checkpoint, "weights");
    tell({{"event", "pretrained"}, {"seconds", 1.5}, {"accuracy", 0.5}});
  } else {
    train(spec);
  }
}
