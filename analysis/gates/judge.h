#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "contract/result/result.h"
#include "contract/scenario/gate.h"

namespace pacbench::gates {

enum class Finding {
  kHolds,
  kBroken,
  kInconclusive,  ///< the reason is in `why`
};

/// The judgement of one gate over one link.
struct Judgement {
  Gate gate;
  std::string link;
  Finding finding = Finding::kInconclusive;
  /// The geometric mean over the seeds of the gate's metric, or of its ratios seed by seed; absent
  /// when it could not be computed.
  std::optional<double> value;
  /// The ends of the range of `value`. For a ratio with at least three seeds they are its 95 %
  /// interval (Student's t over the logarithms, statistics::paired_ratio). Otherwise they are the
  /// least and the largest value of a seed.
  std::optional<double> low;
  std::optional<double> high;
  std::size_t seeds = 0;  ///< of the run; 0 when a cell has neither a number nor a missed target
  std::string why;        ///< empty when it holds
};

/// Judges each gate over the link that it names, or over each link of the run when it names none. A
/// gate holds when all of low to high is within its bounds, is broken when all of it is outside,
/// and is inconclusive otherwise.
///
/// There is no range when a cell has no usable value. The gate is broken when a cell of the gate's
/// method failed, with whichever seed; `why` names the first seed that failed. Otherwise it is
/// inconclusive: `why` names the first seed with a cell that was not run or is not done, has no
/// such number, or ran over a suspect link. A seed of the gate's method that missed the target
/// breaks the gate, unless a seed of the other method (`over`) missed it too. If a seed of the
/// other method missed the target, or a value is 0, the gate is inconclusive. Throws ConfigError
/// naming `source` when a gate names a method, a link or a target that the run does not have.
std::vector<Judgement> judge(const std::string& source, const RunResult& run,
                             const std::vector<Gate>& gates);

/// The judgements, one for each gate and link: as a table for a terminal of `columns`, as Markdown,
/// and as JSON for programs.
std::string render_text(const std::vector<Judgement>& judgements, std::size_t columns);
std::string render_markdown(const std::vector<Judgement>& judgements);
Json to_json(const std::vector<Judgement>& judgements);

/// A test suite in JUnit's XML, as CI servers read it: broken gates are failures, inconclusive ones
/// skipped, or failures when `inconclusive_fails`.
std::string render_junit(const std::vector<Judgement>& judgements, bool inconclusive_fails);

/// Workflow commands of GitHub Actions: an error for each broken gate, a warning for each
/// inconclusive one, or an error when `inconclusive_fails`.
std::string render_annotations(const std::vector<Judgement>& judgements, bool inconclusive_fails);

}  // namespace pacbench::gates

template <>
struct pacbench::Words<pacbench::gates::Finding> {
  static constexpr std::array kAll{"holds", "broken", "inconclusive"};
};
