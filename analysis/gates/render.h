#pragma once

#include <string>
#include <vector>

#include "analysis/gates/judge.h"

namespace pacbench::gates {

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
