#include "harness/cell/program_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <regex>
#include <sstream>

#include "base/environment.h"

namespace pacbench::cell {
namespace {

bool has_any(const std::string& output, std::initializer_list<const char*> words) {
  return std::ranges::any_of(
      words, [&](const char* each) { return output.find(each) != std::string::npos; });
}

/// A variable that the program asked for and the caller's shell has.
std::string missing_variable(const std::string& output) {
  static const std::regex asked{
      R"((?:KeyError: '|\b)([A-Z][A-Z0-9_]{2,})(?:'|: unbound variable))"};
  for (std::sregex_iterator each{output.begin(), output.end(), asked}, end; each != end; ++each) {
    const auto name = (*each)[1].str();
    if (!environment_value(name.c_str()).empty()) return name;
  }
  return "";
}

std::size_t place_of_fault(const std::string& output) {
  return std::min(output.rfind("Fatal Python error"), output.size());
}

}  // namespace

std::string hint_for(const std::string& output) {
  if (const auto name = missing_variable(output); !name.empty()) {
    return fmt::format(
        "; {} is set in your shell, but ranks get only the variables that docs/OWN_PROGRAM.md "
        "lists: give it in the method's \"environment\", or to pacbench exec with --env {}",
        name, name);
  }
  if (has_any(output, {"name resolution", "Network is unreachable", "getaddrinfo failed",
                       "Failed to establish a new connection", "couldn't connect to 'https://"})) {
    return "; ranks have no network but their links: download data and models before, and let the "
           "program take them from a cache (HF_HUB_OFFLINE=1 and its like)";
  }
  return "";
}

bool lost_a_peer(const std::string& output) {
  return has_any(output, {"Connection closed by peer", "Connection reset by peer", "Broken pipe",
                          "Socket closed", "recvValue failed", "DistBackendError", "failed to recv",
                          "Connection was likely closed"});
}

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
