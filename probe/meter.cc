#include "probe/commands.h"

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/cpu_times.h"
#include "probe/others.h"
#include "probe/stop.h"

namespace pacbench::probe {
namespace {

constexpr int kAboveAll = 20;  // workers use 10, the daemon 11
constexpr std::int64_t kPeriodNs = 15'000'000;
// Soft interrupts, which carry this run's own packets, may hold up any thread for 2 ms.
constexpr std::int64_t kLateNs = 3'000'000;
constexpr std::int64_t kPartNs = 100'000'000;
constexpr int kPartsInLine = 10;

/// A time in which a CPU did not run the thread that watches it: it ran at `from_ns`, was to run
/// again `lost_ns` before `to_ns`, and ran at `to_ns`.
struct Late {
  int cpu;
  std::int64_t from_ns;
  std::int64_t to_ns;
  std::int64_t lost_ns;
};

bool enter_above_all() {
  const sched_param priority{kAboveAll};
  return ::pthread_setschedparam(::pthread_self(), SCHED_FIFO, &priority) == 0;
}

bool stay_on(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(cpu), &set);
  return ::sched_setaffinity(0, sizeof set, &set) == 0;
}

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  ::sched_getaffinity(0, sizeof set, &set);
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) cpus.push_back(cpu);
  }
  return cpus;
}

/// Threads that watch the CPUs; they end with this object.
class Watchers {
 public:
  explicit Watchers(const std::vector<int>& cpus) {
    for (const int cpu : cpus) threads_.emplace_back([this, cpu] { watch(cpu); });
  }
  ~Watchers() {
    ends_ = true;
    for (auto& thread : threads_) thread.join();
  }
  Watchers(const Watchers&) = delete;
  Watchers& operator=(const Watchers&) = delete;

  /// What was noted since the last call. Every CPU has been watched until `until_ns`: a later line
  /// may bring what began before it, but nothing that ended before it.
  std::vector<Late> take(std::int64_t& until_ns) {
    const std::lock_guard lock{mutex_};
    until_ns = monotonic_ns();
    for (const auto& [cpu, ran_ns] : ran_ns_) until_ns = std::min(until_ns, ran_ns);
    return std::exchange(late_, {});
  }

 private:
  void watch(int cpu) {
    if (!stay_on(cpu) || !enter_above_all()) return;
    auto due_ns = monotonic_ns();
    auto ran_ns = due_ns;
    while (!ends_) {
      due_ns += kPeriodNs;
      const timespec due{due_ns / 1'000'000'000, due_ns % 1'000'000'000};
      ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, nullptr);
      const auto now_ns = monotonic_ns();
      {
        const std::lock_guard lock{mutex_};
        if (now_ns - due_ns >= kLateNs) late_.push_back({cpu, ran_ns, now_ns, now_ns - due_ns});
        ran_ns_[cpu] = ran_ns = now_ns;
      }
      if (now_ns - due_ns >= kLateNs) due_ns = now_ns;
    }
  }

  std::atomic<bool> ends_ = false;
  std::mutex mutex_;
  std::vector<Late> late_;
  std::map<int, std::int64_t> ran_ns_;
  std::vector<std::thread> threads_;
};

Json to_json(const std::vector<Late>& late) {
  auto list = Json::array();
  for (const auto& one : late) list.push_back({one.cpu, one.from_ns, one.to_ns, one.lost_ns});
  return list;
}

Json stolen_json(const std::vector<int>& watched) {
  auto list = Json::array();
  const auto times = cpu_times();
  for (const int cpu : watched) {
    for (const auto& one : times) {
      if (one.cpu == cpu) list.push_back({cpu, one.stolen_ns});
    }
  }
  return list;
}

enum class Asked { kNothing, kToReport, kToStop };

/// Waits until `due_ns`, or until a line on standard input asks for a report, or its end for an
/// end.
Asked await_question(std::int64_t due_ns) {
  const auto left_ns = std::max<std::int64_t>(due_ns - monotonic_ns(), 0);
  const timespec left{left_ns / 1'000'000'000, left_ns % 1'000'000'000};
  pollfd input{STDIN_FILENO, POLLIN, 0};
  if (::ppoll(&input, 1, &left, nullptr) <= 0) return Asked::kNothing;
  char text[64];
  return ::read(STDIN_FILENO, text, sizeof text) > 0 ? Asked::kToReport : Asked::kToStop;
}

/// CPU time of the watched CPUs that a hypervisor has stolen, tenth by tenth of a second.
class Stolen {
 public:
  explicit Stolen(std::vector<int> cpus) : cpus_{std::move(cpus)} { note(); }

  /// Ends the present part, and notes it where over a tenth of the CPUs' time was stolen in it.
  void note() {
    const auto now_ns = monotonic_ns();
    std::int64_t sum_ns = 0;
    for (const auto& one : cpu_times()) {
      if (std::find(cpus_.begin(), cpus_.end(), one.cpu) != cpus_.end()) sum_ns += one.stolen_ns;
    }
    const auto all_ns = (now_ns - from_ns_) * static_cast<std::int64_t>(cpus_.size());
    if (from_ns_ != 0 && kWorthNoting * (sum_ns - sum_ns_) > all_ns) {
      parts_.push_back({from_ns_, now_ns, sum_ns - sum_ns_});
    }
    from_ns_ = now_ns;
    sum_ns_ = sum_ns;
  }

  /// The parts since the last call: [[from, to, stolen], ...] in ns.
  Json take() { return std::exchange(parts_, Json::array()); }

 private:
  static constexpr std::int64_t kWorthNoting = 10;

  std::vector<int> cpus_;
  std::int64_t from_ns_ = 0;
  std::int64_t sum_ns_ = 0;
  Json parts_ = Json::array();
};

/// Whether threads of this process may enter a class above all that pacbench uses.
bool may_watch() {
  bool allowed = false;
  std::thread{[&] { allowed = enter_above_all(); }}.join();
  return allowed;
}

}  // namespace

void run_meter() {
  const auto cpus = allowed_cpus();
  const bool watches = may_watch();
  Watchers watchers{watches ? cpus : std::vector<int>{}};
  OthersTime others{::getppid()};
  print_line({{"event", "metering"},
              {"real_time", watches},
              {"cpus", cpus},
              {"from_ns", monotonic_ns()},
              {"stolen_ns", stolen_json(cpus)}});
  Stolen stolen{cpus};
  for (int part = 1;; ++part) {
    const auto asked = await_question(monotonic_ns() + kPartNs);
    if (asked == Asked::kToStop) return;
    // The watchers must have run once more before they can have seen all that is asked for.
    if (asked == Asked::kToReport && stopped_before(monotonic_ns() + kPeriodNs)) return;
    stolen.note();
    if (asked == Asked::kNothing && part % kPartsInLine != 0) continue;
    std::int64_t until_ns = 0;
    const auto late = watchers.take(until_ns);
    print_line({{"event", "metered"},
                {"until_ns", until_ns},
                {"late", to_json(late)},
                {"stolen_ns", stolen_json(cpus)},
                {"stolen_parts", stolen.take()},
                {"others_ns", others.take_ns()}});
  }
}

}  // namespace pacbench::probe
