#pragma once

#include <cstddef>
#include <string>

namespace pacbench::report {

/// Breaks at spaces so that no line is wider than `columns`, nor than kReportWidth, beyond which
/// prose is hard to read; later lines are indented.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t columns);

}  // namespace pacbench::report
