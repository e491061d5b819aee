#include "harness/cell/python_stacks.h"

#include <algorithm>
#include <sstream>

namespace pacbench::cell {
namespace {

std::size_t place_of_fault(const std::string& output) {
  return std::min(output.rfind("Fatal Python error"), output.size());
}

}  // namespace

std::vector<std::vector<std::string>> python_stacks_in(const std::string& output) {
  std::vector<std::vector<std::string>> stacks;
  std::istringstream lines{output.substr(place_of_fault(output))};
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with("(most recent call first):")) stacks.emplace_back();
    if (!stacks.empty() && line.starts_with("  File ")) {
      stacks.back().push_back(line.substr(line.find_first_not_of(' ')));
    }
  }
  std::erase_if(stacks, [](const auto& frames) { return frames.empty(); });
  return stacks;
}

std::string before_python_stacks(const std::string& output) {
  return output.substr(0, place_of_fault(output));
}

}  // namespace pacbench::cell
