#pragma once

#include <cstddef>
#include <string>

namespace pacbench::report {

/// Breaks text at spaces so that no line is wider than `columns`, unless a single word with its
/// indent is. Lines after the first are indented by `indent` spaces.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t columns);

}  // namespace pacbench::report
