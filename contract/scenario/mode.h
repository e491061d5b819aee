#pragma once

#include <array>

#include "base/json/json_reader.h"
#include "base/words.h"

namespace pacbench {

enum class Mode {
  kEmulate,   ///< trains in processes over shaped links
  kLearn,     ///< trains in one process, without links: learning curves alone
  kCompose,   ///< exchanges over shaped links without computing, at the times of a profile
  kSimulate,  ///< neither computes nor exchanges: a model of links carries what a profile recorded
};

template <>
struct Words<Mode> {
  static constexpr std::array kAll{"emulate", "learn", "compose", "simulate"};
};

/// The most workers of a scenario: in mode simulate, and in the other modes.
inline constexpr int kMostSimulatedWorkers = 1024;
inline constexpr int kMostWorkers = 128;

/// What a mode does. Code asks for one of these and not for the mode, so that a new mode is a row
/// of the table below and its runner (harness/cell).
struct ModeTraits {
  bool has_network = false;   ///< ranks exchange over a network, so that iterations have times
  bool makes_links = false;   ///< it is links of this machine or a cluster, probed and counted
  bool trains = false;        ///< ranks compute gradients; otherwise they follow a profile
  bool sleeps = false;        ///< workers sleep in place of computing
  bool runs_workers = false;  ///< pacbench-worker processes do the work
  int most_workers = kMostWorkers;
};

constexpr ModeTraits mode_traits(Mode mode) {
  switch (mode) {
    case Mode::kEmulate:
      return {.has_network = true, .makes_links = true, .trains = true, .runs_workers = true};
    case Mode::kLearn:
      return {.trains = true, .runs_workers = true};
    case Mode::kCompose:
      return {.has_network = true, .makes_links = true, .sleeps = true, .runs_workers = true};
    case Mode::kSimulate:
      return {.has_network = true, .most_workers = kMostSimulatedWorkers};
  }
  return {};
}

/// The traits of whatever has a mode: a scenario, a result, a section of a report.
bool has_network(const auto& run) { return mode_traits(run.mode).has_network; }
bool makes_links(const auto& run) { return mode_traits(run.mode).makes_links; }
bool trains(const auto& run) { return mode_traits(run.mode).trains; }
bool sleeps(const auto& run) { return mode_traits(run.mode).sleeps; }
bool runs_workers(const auto& run) { return mode_traits(run.mode).runs_workers; }

}  // namespace pacbench
