#include "harness/cell/program_hint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <regex>

#include "base/environment.h"

namespace pacbench::cell {
namespace {

template <std::size_t Count>
bool has_any(const std::string& output, const std::array<const char*, Count>& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](const char* each) { return output.find(each) != std::string::npos; });
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

}  // namespace

std::string hint_for(const std::string& output) {
  if (const auto name = missing_variable(output); !name.empty()) {
    return fmt::format(
        "; {} is set in your shell, but ranks get only the variables that docs/OWN_PROGRAM.md "
        "lists: give it in the method's \"environment\", or to pacbench exec with --env {}",
        name, name);
  }
  constexpr std::array kNoNetwork{"name resolution", "Network is unreachable", "getaddrinfo failed",
                                  "Failed to establish a new connection",
                                  "couldn't connect to 'https://"};
  if (has_any(output, kNoNetwork)) {
    return "; ranks have no network but their links: download data and models before, and let the "
           "program take them from a cache (HF_HUB_OFFLINE=1 and its like)";
  }
  return "";
}

bool lost_a_peer(const std::string& output) {
  constexpr std::array kLost{"Connection closed by peer",
                             "Connection reset by peer",
                             "Broken pipe",
                             "Socket closed",
                             "recvValue failed",
                             "DistBackendError",
                             "failed to recv",
                             "Connection was likely closed"};
  return has_any(output, kLost);
}

}  // namespace pacbench::cell
