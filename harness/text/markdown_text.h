#pragma once

#include <string>

namespace pacbench {

/// Escapes names and reasons that come from files: what Markdown or HTML would read as markup stays
/// text, and a line break becomes a space.
std::string markdown_text(const std::string& text);

}  // namespace pacbench
