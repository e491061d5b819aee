#pragma once

#include <string>
#include <string_view>

namespace pacbench::report {

/// Returns LaTeX source that prints the text. Special characters are escaped, and the signs of
/// reports become commands. Every other character beyond ASCII becomes its code point, since
/// pdflatex stops at a character that its fonts lack. Control characters become spaces, and bytes
/// that are no UTF-8 become question marks.
std::string latex_text(std::string_view text);

}  // namespace pacbench::report
