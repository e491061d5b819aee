#include "analysis/compare/curve_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "contract/catalogue/program_method.h"

namespace pacbench::compare {
namespace {

/// Returns why the bits of two curves may differ: floats may have been added in another order.
/// Empty when the bits must be equal.
std::string why_no_bits(const ComparedRun& one, const ComparedRun& other) {
  if (one.result.scenario.value("device", "cpu") != "cpu") return "these runs computed on GPUs";
  if (one.machine().cpu != other.machine().cpu)
    return fmt::format("CPU {} and {}", one.machine().cpu, other.machine().cpu);
  if (one.machine().cores != other.machine().cores)
    return fmt::format("{} and {} cores", one.machine().cores, other.machine().cores);
  if (one.manifest.torch_version != other.manifest.torch_version) {
    return fmt::format("torch {} and {}", one.manifest.torch_version, other.manifest.torch_version);
  }
  return "";
}

std::string words_of(const EvaluationEvent& evaluation) {
  if (!evaluation.accuracy) return fmt::format("loss {}", evaluation.loss);
  return fmt::format("accuracy {} and loss {}", *evaluation.accuracy, evaluation.loss);
}

/// Says at which evaluation `found` first differs from `expected`, or that their lengths differ;
/// empty when the curves are equal.
std::string curve_difference(const std::vector<EvaluationEvent>& found,
                             const std::vector<EvaluationEvent>& expected) {
  for (std::size_t i = 0; i < std::min(found.size(), expected.size()); ++i) {
    const auto& one = expected[i];
    const auto& other = found[i];
    if (one.iteration != other.iteration) {
      return fmt::format("evaluation {} is after iteration {}, expected after iteration {}", i + 1,
                         other.iteration, one.iteration);
    }
    if (one.accuracy == other.accuracy && one.loss == other.loss) continue;
    return fmt::format("after iteration {}: {}, expected {}", one.iteration, words_of(other),
                       words_of(one));
  }
  if (found.size() == expected.size()) return "";
  return fmt::format("found {} evaluations, expected {}", found.size(), expected.size());
}

bool is_program(const RecordedCell& cell) {
  const auto& methods = cell.run->result.scenario.at("methods");
  return std::any_of(methods.begin(), methods.end(), [&](const Json& method) {
    return method.at("label") == cell.numbers->label && method.at("name") == kProgramMethod;
  });
}

}  // namespace

std::string why_no_bits(const std::vector<RecordedCell>& base,
                        const std::vector<RecordedCell>& next) {
  for (const auto* side : {&base, &next}) {
    for (const auto& cell : *side) {
      auto why = why_no_bits(*base.front().run, *cell.run);
      if (!why.empty()) return why;
    }
  }
  return "";
}

void check_curve(const std::vector<RecordedCell>& base, const std::vector<RecordedCell>& next,
                 GateCheck& check) {
  const auto& expected = base.front();
  if (const auto why = why_no_bits(base, next); !why.empty()) {
    check.found = GateCheck::Found::kNotAsked;
    check.words =
        "curves must be equal to the bit only on the CPU, with the same CPU model, number of cores "
        "and torch version; here: " +
        why;
    return;
  }
  for (const auto* side : {&base, &next}) {
    for (const auto& cell : *side) {
      const auto difference = curve_difference(*cell.curve, *expected.curve);
      if (difference.empty()) continue;
      check.found = side == &base ? GateCheck::Found::kUnstable : GateCheck::Found::kBroken;
      if (side == &next && base.size() == 1 && is_program(cell)) {
        check.found = GateCheck::Found::kUnstable;
        check.words = fmt::format(
            "the curves of this program differ from run to run, and one base run does not show "
            "whether its seed decides them; give two base runs, which must agree for a difference "
            "to count ({})",
            difference);
        return;
      }
      check.words = fmt::format("the curve of {} is not that of the first base run: {}",
                                cell.run->folder, difference);
      return;
    }
  }
}

}  // namespace pacbench::compare
