#pragma once

#include <cstddef>
#include <string>

namespace pacbench::report {

/// Breaks at spaces so that no line is wider than `columns`; later lines are indented.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t columns);

}  // namespace pacbench::report
