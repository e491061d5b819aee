#pragma once

#include <string>
#include <vector>

#include "base/errors.h"
#include "base/json/json_reader.h"

namespace pacbench {

struct Scenario;

/// How many times slower than the clock the emulated world runs: links, computing and the clock
/// that is recorded (docs/DILATION.md). 1: at full speed.
struct TimeDilation {
  static constexpr int kMost = 128;
  static constexpr const char* kAuto = "auto";

  int factor = 1;
  bool is_auto = false;  ///< to be chosen for the machine that runs the scenario

  static TimeDilation read(ObjectReader& reader, const char* key);
  static Json schema();
};
void to_json(Json& json, const TimeDilation& dilation);
void from_json(const Json& json, TimeDilation& dilation);

/// Complains of an explicit dilation of a scenario that cannot be dilated, or of one so large that
/// a link would be slower than links may be.
void check_time_dilation(const Scenario& scenario, std::vector<Issue>& issues);

/// Complains of workers that could not be so fast: those of programs and GPUs, and those on cores
/// that emulated time makes less fast than that.
void check_worker_speed(const Scenario& scenario, std::vector<Issue>& issues);

/// The same of workers that could not encode so fast.
void check_encode_speed(const Scenario& scenario, std::vector<Issue>& issues);

/// Makes these checks, and fabric_issues(), of a scenario whose device and dilation have been
/// decided. Throws ConfigError naming `source`.
void require_possible_speeds(const std::string& source, const Scenario& scenario);

/// Returns the dilation that gives each worker two of `usable_cores`, one for the thread that
/// computes (mode compose: none, since it sleeps) and one for the thread that encodes and decodes,
/// or more where these are faster than a core: the least power of two that is enough; 1 where the
/// scenario cannot be dilated.
TimeDilation chosen_dilation(const Scenario& scenario, double usable_cores);

}  // namespace pacbench
