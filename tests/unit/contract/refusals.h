#pragma once

#include <string>
#include <vector>

#include "base/errors.h"

namespace pacbench::testing {

/// What the error says that `call` throws; empty where it throws none.
template <typename Error = ConfigError, typename Call>
std::string refusal_words(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// The issues of the ConfigError that `call` throws; none where it throws none.
template <typename Call>
std::vector<Issue> refusal_issues(const Call& call) {
  try {
    call();
  } catch (const ConfigError& error) {
    return error.issues();
  }
  return {};
}

}  // namespace pacbench::testing
