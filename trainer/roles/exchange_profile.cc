#include "trainer/roles/tasks.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/clock.h"
#include "contract/catalogue/choice_json.h"
#include "contract/catalogue/exchanges_keys.h"
#include "contract/scenario/mode.h"
#include "trainer/methods/method.h"
#include "trainer/rank/compute_threads.h"
#include "trainer/roles/all_ranks_exchanges.h"
#include "trainer/roles/lone_exchanges.h"

namespace pacbench::trainer {
namespace {

/// The speed of a copy in memory in GB/s, bytes read and bytes written together: the median of nine
/// copies of 128 MiB, more than most caches hold.
double copy_gb_per_s() {
  const auto from = at::ones({1 << 25});
  auto to = at::ones_like(from);
  std::vector<std::int64_t> times_ns;
  for (int i = 0; i < 9; ++i) {
    const auto start_ns = monotonic_ns();
    to.copy_(from);
    times_ns.push_back(monotonic_ns() - start_ns);
  }
  std::nth_element(times_ns.begin(), times_ns.begin() + 4, times_ns.end());
  return 2 * static_cast<double>(from.nbytes()) / static_cast<double>(times_ns[4]);
}

/// Throws when a bucket's exchange waits for later buckets. It would never end where buckets run
/// one after another.
void require_buckets_end_alone(const WorkerSpec& spec, const Method& method) {
  if (method.recording().ends_alone) return;
  throw std::runtime_error{
      fmt::format("method {} averages several buckets together, which cannot be replayed; leave "
                  "it out of this profile, and run it with compose.exchange \"here\"",
                  spec.method.name)};
}

/// Throws when there are too many ranks to run in this process, each with its own weights and
/// gradients. All ranks of a method run in it when they make different calls, when the method's
/// calls repeat only after several iterations, or when it exchanges something other than gradients.
void require_room_for_all_ranks(const WorkerSpec& spec) {
  if (spec.workers <= kMostWorkers) return;
  throw std::runtime_error{fmt::format(
      "method {} makes different calls on different ranks or in different iterations, or exchanges "
      "something other than gradients, so all {} ranks would have to run here, but at most {} can; "
      "leave the method out of this profile",
      spec.method.name, spec.workers, kMostWorkers)};
}

MethodExchanges profiled(const WorkerSpec& spec, KnownMasks& known) {
  const auto method =
      make_method(spec.method, {spec.link, spec.workload.optimizer, spec.workload.max_iterations});
  require_buckets_end_alone(spec, *method);
  const bool one_tells_all = method->leaves_mean() && method->recording().ranks_are_alike &&
                             method->recording().period == 1;
  if (!one_tells_all) require_room_for_all_ranks(spec);
  auto exchanges =
      one_tells_all ? exchanges_of_lone_rank(spec, known) : exchanges_of_all_ranks(spec);
  exchanges.method = choice_to_json(spec.method);
  exchanges.workers = spec.workers;
  if (looks_at_links(exchanges.method, method_infos())) exchanges.link = spec.link;
  exchanges.copy_gb_per_s = copy_gb_per_s();
  return exchanges;
}

}  // namespace

void run_exchange_profile(const WorkerSpec& spec) {
  at::set_num_threads(share_of_cores(1));
  KnownMasks known;
  Json event{{"event", "exchanges-profiled"}, {"exchanges", Json::array()}};
  auto one = spec;
  for (const auto& [method, link, _] : spec.exchanges) {
    one.method = method;
    one.link = link;
    event["exchanges"].push_back(profiled(one, known));
  }
  fmt::print("{}\n", event.dump());
  std::fflush(stdout);
}

}  // namespace pacbench::trainer
