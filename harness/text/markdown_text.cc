#include "harness/text/markdown_text.h"

#include <string_view>

namespace pacbench {

std::string markdown_text(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\n' || c == '\r') {
      result += ' ';
      continue;
    }
    if (std::string_view{"\\`*_[]<>&"}.find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

}  // namespace pacbench
