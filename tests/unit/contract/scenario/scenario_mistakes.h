#pragma once

#include <ostream>
#include <vector>

namespace pacbench::testing {

/// One change that makes the example scenario wrong, and the error that it causes.
struct Mistake {
  const char* name;
  const char* pointer;                ///< where the example is changed
  const char* value;                  ///< JSON that is put there
  const char* words;                  ///< part of the message of the one issue
  const char* reported_at = nullptr;  ///< pointer of the issue
};

/// Makes GoogleTest's messages show a mistake by its name.
inline void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.name; }

/// Mistakes that the JSON Schema refuses, as the reader does.
const std::vector<Mistake>& mistakes();

/// Mistakes that no JSON Schema can find: only the reader does.
const std::vector<Mistake>& mistakes_beyond_the_schema();

}  // namespace pacbench::testing
