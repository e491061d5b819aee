#pragma once

#include <ostream>

#include "spec/scenario.h"
#include "trainer/methods/method.h"

namespace pacbench {

/// In names of tests a method is called what it is in reports. `method`: with all of its options.
inline void PrintTo(const Choice& method, std::ostream* out) {
  for (const auto& entry : trainer::method_table()) {
    if (entry.info.name == method.name) *out << default_label(entry.info, method.options);
  }
}

}  // namespace pacbench
