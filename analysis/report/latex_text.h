#pragma once

#include <string>
#include <string_view>

namespace pacbench::report {

/// Text as LaTeX prints it, whatever is in it: its special characters escaped, the signs that
/// reports use as commands, and every other character beyond ASCII as its code point, since
/// pdflatex stops at a character that its fonts lack. Bytes that are no UTF-8 become question
/// marks.
std::string latex_text(std::string_view text);

}  // namespace pacbench::report
