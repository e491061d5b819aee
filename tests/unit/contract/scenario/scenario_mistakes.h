#pragma once

#include <vector>

namespace pacbench::testing {

/// One change that makes the example scenario wrong, and the error that it causes.
struct Mistake {
  const char* pointer;                ///< where the example is changed
  const char* value;                  ///< JSON that is put there
  const char* words;                  ///< part of the message of the one issue
  const char* reported_at = nullptr;  ///< pointer of the issue, where it is not that of the change
};

/// Mistakes that the JSON Schema refuses, as the reader does.
extern const std::vector<Mistake> kMistakes;

/// Mistakes that no JSON Schema can find: only the reader does.
extern const std::vector<Mistake> kMistakesBeyondTheSchema;

}  // namespace pacbench::testing
