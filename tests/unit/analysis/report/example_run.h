#pragma once

#include "analysis/report/report.h"
#include "contract/result/result.h"

namespace pacbench::report {

/// A made-up run in the form of a recorded one: six methods, three seeds, three targets, one link.
/// topk-0.01 never reaches 97 %, and fp16 misses it with one seed.
RunResult example_run();

/// The same in mode learn, without a network, or in mode compose or simulate, by a profile.
RunResult example_run_in(Mode mode);

CellResult& cell(RunResult& run, const std::string& label, std::int64_t seed);

/// The report of one run, read from run/result.json.
Report report_of(const RunResult& run);

}  // namespace pacbench::report
