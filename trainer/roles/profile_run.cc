#include "trainer/roles/tasks.h"

#include <fmt/format.h>

#include "base/clock.h"
#include "base/files.h"
#include "trainer/collectives/thread_group.h"
#include "trainer/compose/profiled_gradients.h"
#include "trainer/models/flop_count.h"
#include "trainer/rank/compute_threads.h"
#include "trainer/rank/model_gradients.h"
#include "trainer/roles/rank_resources.h"

namespace pacbench::trainer {
namespace {

constexpr std::int64_t kUntimed = 3;

double ms(std::int64_t from_ns, std::int64_t to_ns) { return 1e3 * seconds(to_ns - from_ns); }

/// Clears `checkpoint`, in role profile a file to write, so that weights are random.
WorkerSpec with_random_weights(WorkerSpec spec) {
  spec.checkpoint.clear();
  return spec;
}

/// One rank that is alone, with an engine that records when each bucket came.
class ProfiledRank {
 public:
  explicit ProfiledRank(const WorkerSpec& spec)
      : rank_{spec.rank},
        lr_{spec.workload.optimizer.lr},
        replica_{with_random_weights(spec), task_of(with_random_weights(spec))},
        communication_{communication_over_threads(spec, make_thread_group(1).front())},
        source_{replica_, engine(), communication_.process_group, ComputePace{1}} {
    source_.warm_up();
    engine().settle(source_.layout());
  }

  const Layout& layout() { return engine().layout(); }

  Profile::Iteration iterate(std::int64_t number) {
    Profile::Iteration times;
    times.worker = rank_;
    const auto start_ns = monotonic_ns();
    source_.begin(number);
    source_.forward();
    const auto backward_ns = monotonic_ns();
    engine().begin_iteration({number, lr_, lr_});
    source_.backward();
    engine().finish_iteration();
    const auto optimizer_ns = monotonic_ns();
    source_.step(lr_);
    times.forward_ms = ms(start_ns, backward_ns);
    times.optimizer_ms = ms(optimizer_ns, monotonic_ns());
    for (const auto& bucket : engine().trace()) {
      if (bucket.index == ExchangeEngine::kBeside) continue;
      times.ready_ms.push_back(ms(backward_ns, bucket.exchange.start_ns));
    }
    return times;
  }

  GradientSample sample() {
    std::vector<at::Tensor> gradients;
    for (const auto& bucket : layout()) {
      for (const auto& slice : bucket.slices) {
        const auto number = static_cast<std::size_t>(slice.parameter);
        gradients.push_back(replica_.parameters()[number].tensor.grad());
      }
    }
    return GradientSample{gradients};
  }

  double forward_flop() {
    source_.begin(1);
    return count_flop([this] { source_.forward(); });
  }

 private:
  ExchangeEngine& engine() { return *communication_.engine; }

  int rank_;
  double lr_;
  Replica replica_;
  Communication communication_;
  ModelGradients source_;
};

Json buckets_of(const Layout& layout) {
  Json buckets = Json::array();
  for (const auto& bucket : layout) {
    Profile::Bucket described{{}, bucket.elements};
    for (const auto& slice : bucket.slices) described.parameters.push_back(slice.name);
    buckets.push_back(described);
  }
  return buckets;
}

}  // namespace

void run_profile(const WorkerSpec& spec) {
  at::set_num_threads(share_of_cores(spec.workers));
  ProfiledRank rank{spec};
  // Two thirds of the work of an iteration are backward's (Kaplan et al. 2020, section 2.1).
  const auto flop = 3 * rank.forward_flop() / static_cast<double>(spec.workload.batch_per_worker);
  Json iterations = Json::array();
  Json counts;
  const auto timed = spec.workload.max_iterations;
  for (std::int64_t number = 1; number <= kUntimed + timed; ++number) {
    const auto times = rank.iterate(number);
    if (number > kUntimed) iterations.push_back(times);
    if (number != kUntimed + (timed + 1) / 2 || spec.checkpoint.empty()) continue;
    const auto sample = rank.sample();
    counts = sample.counts();
    write_file_atomically(spec.checkpoint, sample.bytes());
  }
  fmt::print("{}\n", Json{{"event", "profiled"},
                          {"buckets", buckets_of(rank.layout())},
                          {"iterations", iterations},
                          {"counts", counts},
                          {"flop_per_sample", flop}}
                         .dump());
  std::fflush(stdout);
}

}  // namespace pacbench::trainer
