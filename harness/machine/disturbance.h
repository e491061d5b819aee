#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/json/checked_keys.h"
#include "base/words.h"

namespace pacbench {

/// What kept CPUs from a run.
enum class TakenBy {
  kUnseen,     ///< a real-time thread woke late: a hypervisor, a stop, or a still higher class
  kStolen,     ///< a hypervisor, in pieces too short for a thread to wake late
  kOthers,     ///< other processes of this machine
  kThrottled,  ///< the quota of a cgroup
};

/// A time in which something outside this run kept CPUs from it. Times are of CLOCK_MONOTONIC.
struct Disturbance {
  TakenBy by = TakenBy::kUnseen;
  std::int64_t from_ns = 0;
  std::int64_t to_ns = 0;
  double lost_s = 0;  ///< CPU time, all CPUs together
  /// How long all CPUs stood still together, which a hypervisor confirms by as much stolen time.
  /// Then programs, shapers and packets stood still together, and nothing moved.
  double stopped_s = 0;
};

/// What a meter measured of the machine over some time.
struct MachineTrace {
  /// Whether real-time threads watched the CPUs. Else nothing is known of short disturbances.
  bool watched = false;
  int cpus = 0;  ///< that this run may use
  std::int64_t from_ns = 0;
  std::int64_t to_ns = 0;
  double stolen_s = 0;  ///< CPU time that a hypervisor kept from these CPUs
  double others_s = 0;  ///< CPU time of processes that are not of this run
  double throttled_s = 0;
  int time_dilation = 1;                  ///< times are CLOCK_MONOTONIC divided by this
  std::vector<Disturbance> disturbances;  ///< in the order of their starts

  /// The share of the CPUs' time that was taken: what threads lost or a hypervisor stole, whichever
  /// is more, and what others used and a quota withheld beside that.
  double taken_share() const;
};

/// Disturbances that touch the time from `from_ns` to `to_ns`.
bool is_disturbed(const MachineTrace& trace, std::int64_t from_ns, std::int64_t to_ns);

/// The part of a trace that concerns some time: its shares, in proportion, and its disturbances.
MachineTrace part_of(const MachineTrace& trace, std::int64_t from_ns, std::int64_t to_ns);

/// A trace whose times are of CLOCK_MONOTONIC, in emulated time.
MachineTrace in_emulated_time(MachineTrace trace);

template <>
struct Words<TakenBy> {
  static constexpr std::array kAll{"unseen", "stolen", "others", "throttled"};
};

template <>
struct JsonFields<Disturbance> {
  using T = Disturbance;
  static constexpr std::tuple kAll{required("by", &T::by), required("from_ns", &T::from_ns),
                                   required("to_ns", &T::to_ns), required("lost_s", &T::lost_s),
                                   sparse("stopped_s", &T::stopped_s)};
};

template <>
struct JsonFields<MachineTrace> {
  using T = MachineTrace;
  static constexpr std::tuple kAll{
      required("watched", &T::watched),          required("cpus", &T::cpus),
      required("from_ns", &T::from_ns),          required("to_ns", &T::to_ns),
      required("stolen_s", &T::stolen_s),        required("others_s", &T::others_s),
      required("throttled_s", &T::throttled_s),  required("disturbances", &T::disturbances),
      sparse("time_dilation", &T::time_dilation)};
};

/// Makes traces of the lines of `pacbench-probe meter`.
class MeterLines {
 public:
  /// Takes one line. `throttled_ns`: how long cgroups' quotas have held this run back so far, where
  /// there is a quota. Throws nlohmann::json::exception when it is no line of a meter.
  void take(const Json& line, std::optional<std::int64_t> throttled_ns = {});

  bool watched() const { return watched_; }
  /// Until when all has been reported. 0 before the first line.
  std::int64_t until_ns() const { return windows_.empty() ? 0 : windows_.back().to_ns; }

  /// What was measured between two times.
  MachineTrace between(std::int64_t from_ns, std::int64_t to_ns) const;

  /// Forgets what ended before a time, so that a long run does not fill the memory.
  void forget_before(std::int64_t at_ns);

 private:
  struct Window {
    std::int64_t from_ns = 0;
    std::int64_t to_ns = 0;
    double stolen_s = 0;
    double others_s = 0;
    double throttled_s = 0;
  };
  struct Late {
    int cpu = 0;
    std::int64_t from_ns = 0;
    std::int64_t to_ns = 0;
    std::int64_t lost_ns = 0;
  };

  void add_disturbances(const std::vector<Late>& lates, const std::vector<double>& stolen_s);
  void take_others();
  void take_stolen(const Json& parts);
  double lost_between(std::int64_t from_ns, std::int64_t to_ns) const;

  bool watched_ = false;
  std::vector<int> cpus_;
  std::vector<std::int64_t> stolen_ns_;  ///< so far, in the order of cpus_
  std::optional<std::int64_t> throttled_ns_;
  std::vector<Window> windows_;
  std::size_t scanned_ = 0;  ///< windows before this one have their share of others' time
  double unshared_s_ = 0;    ///< others' time in the windows from there on
  std::vector<Disturbance> disturbances_;
};

}  // namespace pacbench
