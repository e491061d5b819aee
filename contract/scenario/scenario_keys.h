#pragma once

#include <array>

#include "base/json/checked_keys.h"
#include "contract/scenario/gate_keys.h"
#include "contract/scenario/scenario.h"

/// The simple keys of a scenario, for reader, writer and schema. Other keys have code of their own:
/// version, network, compose, simulate, workload, program, methods, tune, seeds and targets.
namespace pacbench {

template <>
struct JsonFields<SlowWorker> {
  using T = SlowWorker;
  static constexpr auto kAll = std::tuple_cat(
      std::tuple{required("worker", &T::worker, Range{0.0, kMostSimulatedWorkers - 1.0})},
      std::apply([](const auto&... keys) { return std::tuple{of_part(&T::traits, keys)...}; },
                 JsonFields<WorkerTraits>::kAll));

  static void check(ObjectReader& reader, const T&) {
    if (reader.has("compute_factor") || reader.has("start_delay_s")) return;
    reader.complain("compute_factor", "missing, expected compute_factor or start_delay_s");
  }
};

template <>
struct JsonFields<Scenario> {
  using T = Scenario;
  static constexpr std::array kDevices{"cpu", "cuda", "auto"};
  static constexpr std::array kBackends{"gloo", "nccl"};
  static constexpr Range kEvery{0.0, 1e9};
  static constexpr std::tuple kAll{
      required("name", &T::name, Bounds::folder_name()),
      defaulted("mode", &T::mode, {},
                "emulate: processes over shaped links; learn: learning curves alone, all ranks in "
                "one process, no network; compose: exchanges over shaped links, with sleeps in "
                "place of computing, as long as a profile says; simulate: the same over a model of "
                "the links, for up to 1024 workers"),
      defaulted("workers", &T::workers, Range{2.0, 1.0 * kMostSimulatedWorkers},
                "at most 128 in all modes but simulate"),
      sparse("time_dilation", &T::time_dilation, {},
             "how many times slower than the clock links, computing and the recorded time run, so "
             "that workers get more of a core each; auto: so many that each has two cores, one "
             "that computes and one that encodes (mode compose: the latter alone)"),
      sparse("worker_speed", &T::worker_speed, {},
             "how fast forward and backward of a worker are, as a multiple of a core of this "
             "machine, or as the milliseconds of an iteration; ignored in mode learn"),
      sparse("encode_speed", &T::encode_speed, WorkerSpeed::kTimes,
             "how fast a worker encodes and decodes, as a multiple of a core of this machine; "
             "ignored in mode learn"),
      defaulted("device", &T::device, kDevices,
                "where workers compute; cuda: rank r on GPU r, in mode learn all on the first; "
                "auto: cuda where this machine has the GPUs for that, else cpu"),
      apart(defaulted("backend", &T::backend, kBackends,
                      "what carries collectives: gloo, from memory of the host; nccl, from GPUs, "
                      "device cuda only; with device auto and no backend, nccl where it can be "
                      "used")),
      defaulted("share_gpus", &T::share_gpus, {},
                "with fewer GPUs than workers, rank r computes on GPU r modulo their number; "
                "devices cuda and auto only"),
      defaulted("timeout_s", &T::timeout_s, Range{1.0, 86400.0},
                "seconds; a cell in which no worker reports for this long has failed"),
      defaulted("quality_every", &T::quality_every, kEvery,
                "iterations between comparisons of the aggregated gradient with the exact mean, "
                "off the training clock; 0: never"),
      defaulted("checkpoint_every", &T::checkpoint_every, kEvery,
                "mode learn: iterations between saved states, from which a cell that was broken "
                "off goes on; 0: none are saved"),
      sparse("slow_workers", &T::slow_workers, {},
             "workers that are made to compute more slowly; ignored in mode learn"),
      sparse("python_folder", &T::python_folder, Bounds::or_empty(),
             "folder of the files of Python classes that the scenario names; by default its own"),
      sparse("gates", &T::gates, {}, "bounds that a run must keep, for pacbench gate")};
};

}  // namespace pacbench
