#pragma once

#include <string>

namespace pacbench {

/// Names and reasons come from files: what Markdown or HTML would take for markup stays text, and a
/// line stays one line.
std::string markdown_text(const std::string& text);

}  // namespace pacbench
